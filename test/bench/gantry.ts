import path from 'node:path';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { DiskUploads } from '#src/domain/uploads/disk.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { connect } from '#src/platform/database/db.ts';
import { createLogger } from '#src/platform/observability/log.ts';
import { SECRET } from './dataset.ts';
import { given, serve } from './serve.ts';

const { databaseUrl, repositories } = given();
let statements = 0;
const db = connect(databaseUrl, { heard: () => statements++ });
process.on('message', (message: { statements?: true }) => {
  if (message.statements) process.send?.(statements);
});
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
