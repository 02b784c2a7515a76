import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { jobHandlers } from '#src/background_jobs.ts';
import { importSettings } from '#src/imports/options.ts';
import { startJobs } from '#src/platform/background/queue.ts';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { connect } from '#src/platform/db.ts';
import { RepositoryStore } from '#src/repository/store.ts';
import { DiskUploads } from '#src/uploads/disk.ts';

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

const quiet = { info: () => undefined, warn: console.warn, error: console.error };

/**
 * Starts a PostgreSQL for a test run, or uses the one of `TEST_DATABASE_URL`, and migrates a template database.
 * Everything is gone again after `stop`.
 */
export async function startTestServer(): Promise<TestServer & { stop(): Promise<void> }> {
  const { url, isOwn, stop } = await startServer();
  const template = `gantry_test_${randomBytes(4).toString('hex')}`;
  try {
    await administer(url, (client) => client.query(`create database ${template}`));
    await migrate(withDatabase(url, template));
    await installJobs(withDatabase(url, template));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    template,
    async stop() {
      if (!isOwn) await administer(url, (client) => dropAll(client, template));
      await stop();
    },
  };
}

/**
 * Copies the template database; each caller gets one of its own.
 *
 * @returns a connection URL
 */
export async function freshDatabase(server?: TestServer): Promise<string> {
  const { url, template } = server ?? (await import('vitest')).inject('testServer');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await administer(url, async (client) => {
    // Workers copy at the same time, and a copy that finds another one running fails: take turns.
    await client.query('select pg_advisory_lock(hashtext($1))', [template]);
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return withDatabase(url, name);
}

/** Drops a database of `freshDatabase` that nobody uses any more: a run makes hundreds of them. */
export async function dropDatabase(url: string): Promise<void> {
  const { url: server } = (await import('vitest')).inject('testServer');
  const name = new URL(url).pathname.slice(1);
  await administer(server, (client) => client.query(`drop database ${pg.escapeIdentifier(name)} with (force)`));
}

/** A database without anything in it. */
export async function emptyDatabase(): Promise<string> {
  const { url, template } = (await import('vitest')).inject('testServer');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await administer(url, (client) => client.query(`create database ${name} template template0`));
  return withDatabase(url, name);
}

/** The tables of the job queue, which the server installs at its first start. */
async function installJobs(url: string): Promise<void> {
  const db = connect(url);
  const stores = { repositories: new RepositoryStore({}), uploads: new DiskUploads('') };
  const handlers = jobHandlers({ db, ...stores, secret: '', imports: importSettings() });
  const jobs = await startJobs({ url, handlers, report: console.error, db });
  await jobs.stop();
  await db.$disconnect();
}

/** A server of this run, or the one that is given. */
async function startServer(): Promise<{ url: string; isOwn: boolean; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, isOwn: false, stop: async () => undefined };

  const dataDir = mkdtempSync(path.join(tmpdir(), 'gantry-test-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  // Nothing here has to survive a crash.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log: quiet, settings });
    return {
      url: postgres.url,
      isOwn: true,
      async stop() {
        await postgres.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function dropAll(client: pg.Client, template: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [template],
  );
  for (const { datname } of rows) await client.query(`drop database ${pg.escapeIdentifier(datname)} with (force)`);
}

/** The same server, another database. */
function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
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
