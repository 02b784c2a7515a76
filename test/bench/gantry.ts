import path from 'node:path';
import { createApp } from '#src/app.ts';
import { connect } from '#src/platform/db.ts';
import { createLogger } from '#src/platform/log.ts';
import { RepositoryStore } from '#src/repository/store.ts';
import { DiskUploads } from '#src/uploads/disk.ts';
import { SECRET } from './dataset.ts';
import { givenDatabase, serve } from './serve.ts';

const db = connect(givenDatabase());
const log = createLogger('warn');
const app = createApp({
  db,
  secret: SECRET,
  // Where nothing is: no repository has anything in it.
  repositories: new RepositoryStore({ default: path.join(import.meta.dirname, 'no-repositories') }),
  uploads: new DiskUploads('nowhere'),
  jobs: { enqueue: () => Promise.reject(new Error('no job is measured here')) },
  externalUrl: undefined,
  trustProxy: false,
  log,
});
await serve(app);
