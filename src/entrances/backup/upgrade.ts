import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { syncDirectory } from '#src/git/base/sync.ts';
import { WAITING_JOBS } from '#src/platform/background/carry.ts';
import { findBinaries, findOtherBinaries } from '#src/platform/database/binaries.ts';
import { clusterVersion, completeUpgrade, upgradedName } from '#src/platform/database/cluster.ts';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import type { DatabaseLog } from '#src/platform/database/embedded_options.ts';
import { type DumpedTable, Loading } from '#src/platform/database/load.ts';
import { startOther } from '#src/platform/database/other_cluster.ts';
import { Snapshot } from '#src/platform/database/snapshot.ts';
import { tablesOf } from './create.ts';
import { loadDatabase } from './load_database.ts';

export interface UpgradeOptions {
  /** Absolute path of the data directory, locked by the caller. */
  dataDir: string;
  /** Directory with the programs of the old version, unless in a usual place. */
  from?: string | undefined;
  log: DatabaseLog;
  onStep?: (text: string) => void;
}

/** What an upgrade did. */
export interface Upgraded {
  from: number;
  to: number;
  tables: number;
  rows: number;
  /** Skipped tables, which are not Gantry's. */
  foreign: string[];
  /** Path of the old cluster, which is no longer needed. */
  kept: string;
}

/**
 * Upgrades a PostgreSQL cluster of an older version: copies all rows into a new cluster next to it, compares the two, and puts
 * the new one in its place. The old one is only read, and kept. An interrupted upgrade can be restarted: until the last moment
 * the old cluster is the one in use.
 *
 * @returns null when there is nothing to do
 * @throws Error when there is no cluster, or it is of a later version, or the programs of the old one are missing
 */
export async function upgradeCluster(options: UpgradeOptions): Promise<Upgraded | null> {
  const { dataDir, from, log, onStep = () => undefined } = options;
  const cluster = path.join(dataDir, 'postgres');
  completeUpgrade(cluster);
  const current = findBinaries(path.join(dataDir, 'postgres-lib'));
  const version = clusterVersion(cluster);
  if (version === undefined) throw new Error(`There is no PostgreSQL in ${dataDir}: nothing to upgrade.`);
  if (version === current.major) return null;
  if (version > current.major)
    throw new Error(
      `${cluster} was created by PostgreSQL ${version}; this version of Gantry supports up to ${current.major}. Upgrade Gantry.`,
    );
  const binaries = findOtherBinaries(version, path.join(dataDir, `postgres-lib-${version}`), from);

  const growing = path.join(dataDir, 'postgres.upgrade');
  const upgraded = upgradedName(cluster);
  // The old cluster is still in place, so anything else is left over from an earlier attempt.
  for (const left of [growing, upgraded]) rmSync(left, GONE);
  mkdirSync(growing, { mode: 0o700 });
  try {
    const copied = await copyAll(cluster, binaries, growing, { log, onStep });
    renameSync(path.join(growing, 'postgres'), upgraded);
    await syncDirectory(dataDir);
    const kept = freeName(`${cluster}-${version}`);
    renameSync(cluster, kept);
    renameSync(upgraded, cluster);
    await syncDirectory(dataDir);
    return { from: version, to: current.major, ...copied, kept };
  } finally {
    rmSync(growing, GONE);
  }
}

/** The PostgreSQL of a killed attempt takes a moment to stop writing. */
const GONE = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

interface Telling {
  log: DatabaseLog;
  onStep(text: string): void;
}

/** Fills a new cluster and stops both afterwards. */
async function copyAll(
  cluster: string,
  binaries: ReturnType<typeof findOtherBinaries>,
  growing: string,
  { log, onStep }: Telling,
): Promise<Pick<Upgraded, 'tables' | 'rows' | 'foreign'>> {
  await using old = await startOther(cluster, binaries, log);
  const fresh = await startEmbeddedPostgres({ dataDir: growing, log });
  try {
    await using snapshot = await Snapshot.open(old.url);
    const facts = await countAll(snapshot);
    const sums = new Map<string, string>();
    let foreign: string[] = [];
    {
      await using loading = await Loading.begin(fresh.url);
      const [migrations, sequences] = [await snapshot.migrations(), await snapshot.sequences()];
      const rowsOf = (table: DumpedTable) => summing(snapshot.rows(table), (sum) => sums.set(table.name, sum));
      foreign = await loadDatabase(loading, fresh.url, { migrations, sequences, tables: facts, rowsOf }, onStep);
      await loading.finish();
    }
    const copied = facts.filter(({ name }) => !foreign.includes(name));
    await compare(fresh.url, copied, sums, onStep);
    return { tables: copied.length, rows: copied.reduce((sum, { rows }) => sum + rows, 0), foreign };
  } finally {
    await fresh.stop();
  }
}

async function countAll(snapshot: Snapshot): Promise<DumpedTable[]> {
  const counted: DumpedTable[] = [];
  for (const table of await tablesOf(snapshot)) {
    const source = table.select ?? `SELECT FROM "${table.name.replaceAll('"', '""')}"`;
    const [row] = await snapshot.query<{ rows: string }>(`SELECT count(*) AS rows FROM (${source}) AS t`);
    counted.push({ ...table, rows: Number(row?.rows) });
  }
  return counted;
}

/** Throws an Error that names the first table whose rows differ. */
async function compare(
  url: string,
  tables: readonly DumpedTable[],
  sums: ReadonlyMap<string, string>,
  onStep: (text: string) => void,
): Promise<void> {
  await using snapshot = await Snapshot.open(url);
  const present = new Map((await tablesOf(snapshot)).map((table) => [table.name, table]));
  for (const { name, columns } of tables) {
    const table = present.get(name);
    // The queue belongs to another program: if its columns have changed, only the number of rows was compared.
    if (name === WAITING_JOBS && table?.columns.join() !== columns.join()) continue;
    onStep(`comparing table ${name}`);
    let found = '';
    if (table) for await (const _ of summing(snapshot.rows({ ...table, columns }), (sum) => (found = sum)));
    if (found === sums.get(name)) continue;
    throw new Error(`Table ${name} is not the same in the new cluster. The old one is as it was; please report this.`);
  }
}

async function* summing(rows: AsyncIterable<Buffer>, done: (sum: string) => void): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of rows) {
    hash.update(chunk);
    yield chunk;
  }
  done(hash.digest('hex'));
}

function freeName(name: string): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (!existsSync(candidate)) return candidate;
  }
}
