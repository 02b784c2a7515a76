import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';

/** Listens on a free loopback port, tells the parent process where, and ends with it. */
export function serve(handler: RequestListener): Promise<void> {
  return listen(createServer(handler));
}

/** As serve, for a server whose requests are handled already. */
export async function listen(server: Server): Promise<void> {
  server.keepAliveTimeout = 75_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1');
  process.once('disconnect', () => process.exit(0));
  process.send?.({ url: `http://127.0.0.1:${address.port}` });
}

/** The URL of the database, and the directory of the repositories, as the parent process gave them. */
export function given(): { databaseUrl: string; repositories: string } {
  const [, , databaseUrl, repositories] = process.argv;
  if (databaseUrl === undefined || repositories === undefined) {
    throw new Error('The bench starts this file with the URL of a database and a directory');
  }
  return { databaseUrl, repositories };
}
