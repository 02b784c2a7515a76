import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import type { EmbeddedPostgres } from '#src/platform/database/embedded_options.ts';
import { administer, type TestServer, withDatabase } from './database.ts';
import { copyKeptCluster, keepCluster } from './kept_cluster.ts';

const quiet = { info: () => undefined, warn: console.warn, error: console.error };

// Nothing here has to survive a crash.
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };

type StoppableServer = TestServer & { stop(): Promise<void> };

/**
 * Starts a PostgreSQL for a test run, or uses the one of `TEST_DATABASE_URL`, with a migrated template database.
 * Everything is gone again after `stop`, but for a copy of the cluster that the next run begins with.
 */
export function startTestServer(): Promise<StoppableServer> {
  const given = process.env.TEST_DATABASE_URL;
  return given ? useServer(given) : startOwnServer();
}

async function useServer(url: string): Promise<StoppableServer> {
  const template = `gantry_test_${randomBytes(4).toString('hex')}`;
  const stop = () => administer(url, (client) => dropAll(client, template));
  try {
    await makeTemplate(url, template);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, template, stop };
}

async function startOwnServer(): Promise<StoppableServer> {
  const template = 'gantry_test';
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gantry-test-'));
  const cluster = path.join(dataDir, 'postgres');
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  // On Windows a cluster has a password, which is kept in the data directory around it.
  const keeps = process.platform !== 'win32';
  try {
    if (!keeps || !copyKeptCluster(cluster)) {
      await withServer(dataDir, ({ url }) => makeTemplate(url, template));
      if (keeps) keepCluster(cluster);
    }
    const postgres = await startEmbeddedPostgres({ dataDir, log: quiet, settings });
    return {
      url: postgres.url,
      template,
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

async function withServer(dataDir: string, work: (postgres: EmbeddedPostgres) => Promise<void>): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: quiet, settings });
  try {
    await work(postgres);
  } finally {
    await postgres.stop();
  }
}

async function makeTemplate(url: string, template: string): Promise<void> {
  await administer(url, (client) => client.query(`create database ${pg.escapeIdentifier(template)}`));
  // It loads most of the server, which the process of a run can do without once there is a template.
  const { fillTemplate } = await import('./template.ts');
  await fillTemplate(withDatabase(url, template));
}

async function dropAll(client: pg.Client, template: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [template],
  );
  for (const { datname } of rows) await client.query(`drop database ${pg.escapeIdentifier(datname)} with (force)`);
}
