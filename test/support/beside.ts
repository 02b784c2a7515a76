import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll } from 'vitest';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import { startJobs } from '#src/platform/background/queue.ts';
import { connect, type Db } from '#src/platform/database/db.ts';
import { type Send, sender } from './http.ts';
import { SECRET, type World } from './world.ts';

/** Another server beside that of a world, as another process has it: with a pool and with readers of its own. */
export interface Beside {
  db: Db;
  repositories: RepositoryStore;
  send: Send;
  url: string;
}

/** Where a world keeps an uploaded file, or those of a project. */
export function uploadPath(world: World, ...names: (string | number)[]): string {
  const directory = world.repositories.directory({ id: 0, repositoryStorage: 'default' });
  const root = path.dirname(path.dirname(path.dirname(directory)));
  return path.join(root, 'uploads', ...names.map(String));
}

/** Starts a server on the database and the storage of a world; it stops after the last test of the file, or when `atEnd` says. */
export async function startBeside(world: World, atEnd: (end: () => Promise<void>) => void = afterAll): Promise<Beside> {
  const db = connect(world.databaseUrl);
  const directory = world.repositories.directory({ id: 0, repositoryStorage: 'default' });
  const repositories = new RepositoryStore({ default: path.dirname(path.dirname(directory)) });
  const { uploads, imports } = world;
  const handlers = jobHandlers({ db, repositories, uploads, secret: SECRET, imports });
  const report = (error: unknown) => console.error(error);
  const jobs = await startJobs({ url: world.databaseUrl, handlers, report, db, queues: [] });
  const options = { db, secret: SECRET, jobs, repositories, uploads, imports, listeningUrl: () => world.url };
  const server = createServer(createApp(options));
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { send, close } = sender(port);
  atEnd(async () => {
    close();
    server.closeAllConnections();
    server.close();
    await jobs.stop();
    await repositories.close();
    await db.$disconnect();
  });
  return { db, repositories, send, url: `http://127.0.0.1:${port}` };
}
