import path from 'node:path';
import { createApp } from '#src/app.ts';
import { connect } from '#src/platform/db.ts';
import { createLogger } from '#src/platform/log.ts';
import { RepositoryStore } from '#src/repository/store.ts';
import { DiskUploads } from '#src/uploads/disk.ts';
import { SECRET } from './dataset.ts';
import { given, serve } from './serve.ts';

const { databaseUrl, repositories } = given();
const db = connect(databaseUrl);
const log = createLogger('warn');
const app = createApp({
  db,
  secret: SECRET,
  repositories: new RepositoryStore({ default: path.resolve(repositories) }),
  uploads: new DiskUploads('nowhere'),
  jobs: { enqueue: () => Promise.reject(new Error('no job is measured here')) },
  externalUrl: undefined,
  trustProxy: false,
  log,
});
await serve(app);
