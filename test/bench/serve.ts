import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** Listens on a free loopback port, tells the parent process where, and ends with it. */
export async function serve(handler: RequestListener): Promise<void> {
  const server = createServer(handler);
  server.keepAliveTimeout = 75_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1');
  process.once('disconnect', () => process.exit(0));
  process.send?.({ url: `http://127.0.0.1:${address.port}` });
}

/** The URL of the database, as the parent process gave it. */
export function givenDatabase(): string {
  const url = process.argv[2];
  if (url === undefined) throw new Error('The bench starts this file with the URL of a database');
  return url;
}
