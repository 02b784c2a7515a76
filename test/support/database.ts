import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The PostgreSQL of a test run, as the workers need to know it. */
export interface TestServer {
  /** URL of a database from which others can be created. */
  url: string;
  /** Name of the migrated database that `freshDatabase` copies. */
  template: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

/**
 * Copies the template database; each caller gets one of its own.
 *
 * @returns a connection URL
 */
export async function freshDatabase(server?: TestServer): Promise<string> {
  const { url, template } = server ?? (await import('vitest')).inject('testServer');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  const client = administrator(url);
  // Workers copy at the same time, and a copy that finds another one running fails: take turns.
  await client.query('select pg_advisory_lock(hashtext($1))', [template]);
  try {
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  } finally {
    await client.query('select pg_advisory_unlock(hashtext($1))', [template]);
  }
  return withDatabase(url, name);
}

/** Drops a database of `freshDatabase` that nobody uses any more: a run makes hundreds of them. */
export async function dropDatabase(url: string): Promise<void> {
  const { url: server } = (await import('vitest')).inject('testServer');
  const name = new URL(url).pathname.slice(1);
  await administrator(server).query(`drop database ${pg.escapeIdentifier(name)} with (force)`);
}

/** A database without anything in it. */
export async function emptyDatabase(): Promise<string> {
  const { url, template } = (await import('vitest')).inject('testServer');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await administer(url, (client) => client.query(`create database ${name} template template0`));
  return withDatabase(url, name);
}

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** By the URL of the server. A connection costs more than the statement that it is for: a worker keeps one to its end. */
const administrators = new Map<string, pg.Pool>();

function administrator(url: string): pg.Pool {
  const kept = administrators.get(url);
  if (kept) return kept;
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // The server ends the connection after the last test.
  pool.on('error', () => undefined);
  administrators.set(url, pool);
  return pool;
}

/** Runs work on a connection of its own. */
export async function administer<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
