import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import { administer } from '../../support/database.ts';
import { scratchDirectory, settings, startServer } from '../../support/server_process.ts';
import { residentMegabytes } from '../process_tree.ts';

/** What idle subscribers take of a server's memory. */
export interface SubscriberMemory {
  transport: 'sse' | 'websocket';
  count: number;
  /**
   * Resident megabytes of the server without PostgreSQL, without garbage: before the first, with all of them, and when they are
   * gone.
   */
  before: number;
  during: number;
  after: number;
}

/** What tokens begin with; a number follows. Each subscriber has one of their own, as different people have. */
const TOKEN = 'token-of-the-bench-';
const TOKENS = `INSERT INTO personal_access_tokens (user_id, name, token_hash, scopes)
  SELECT (SELECT min(id) FROM users), 'Bench', sha256(($1 || n)::bytea), '{api}' FROM generate_series(0, $2::int) n`;

const quiet = { info: () => undefined, warn: console.warn, error: console.error };

/** Milliseconds until a server has come to rest. */
const REST = 5_000;

/** Has so many clients subscribe, each by a connection and with a document of its own, in a process beside the server. */
export async function measureSubscribers(
  transport: SubscriberMemory['transport'],
  count: number,
): Promise<SubscriberMemory> {
  await using resources = new AsyncDisposableStack();
  const { directory, remove } = scratchDirectory();
  resources.defer(remove);
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(directory, 'database'), log: quiet });
  resources.defer(() => postgres.stop());
  const most = String(count + 100);
  const collector = pathToFileURL(path.join(import.meta.dirname, '../collect.js')).href;
  const limits = {
    GRAPHQL_MAX_SUBSCRIPTIONS: most,
    GRAPHQL_MAX_SUBSCRIPTIONS_PER_CALLER: most,
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--expose-gc --import=${collector}`,
  };
  const server = await startServer(settings(directory, { ...limits, DATABASE_URL: postgres.url }));
  resources.defer(async () => void (await server.end('SIGINT')));
  await administer(postgres.url, (client) => client.query(TOKENS, [TOKEN, count]));
  const memory = async () => {
    await sleep(REST);
    server.child.kill('SIGUSR2');
    await sleep(REST);
    return residentMegabytes(server.child.pid ?? 0);
  };
  // What the first ones have loaded is no part of what each takes.
  await (await openClients(server.url, transport, 50))();
  const before = await memory();
  const close = await openClients(server.url, transport, count);
  const during = await memory();
  await close();
  return { transport, count, before, during, after: await memory() };
}

async function openClients(url: string, transport: string, count: number): Promise<() => Promise<void>> {
  const child = fork(path.join(import.meta.dirname, 'clients.ts'), [url, TOKEN, transport, String(count)]);
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`The clients ended with ${code}`)));
  failed.catch(() => undefined);
  await Promise.race([once(child, 'message'), failed]);
  return async () => {
    child.disconnect();
    await exited;
  };
}
