import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import { selectWaiting, WAITING_JOBS } from '#src/platform/background/carry.ts';
import { Exclusion } from '#src/platform/database/exclude.ts';
import { Snapshot, type Table } from '#src/platform/database/snapshot.ts';
import { packageVersion } from '#src/platform/package_root.ts';
import { opens } from '#src/platform/secrets.ts';
import { Archive } from './archive.ts';
import { archiveHostKeys } from './host_keys.ts';
import { Known } from './known.ts';
import { FORMAT, type Head, type Missing } from './manifest.ts';
import { isThere } from './present.ts';
import { archiveRepositories, type Sources } from './repositories.ts';
import { archiveStoredFiles } from './stored_files.ts';
import { tableDirectory } from './tables.ts';
import { archiveTraces } from './traces.ts';

/** What a backup is made from. */
export interface BackupOptions {
  databaseUrl: string;
  repositories: RepositoryStore;
  uploads: UploadStore;
  /** The server's key; undefined if unknown. */
  secret: string | undefined;
  /** Whether the backup includes it. */
  withSecret: boolean;
  /** Directory of the SSH host keys, which are included with the secret; absent where SSH is turned off. */
  hostKeys?: string | undefined;
  /** Name of the backup's file, recorded to find it later. */
  name: string;
  /** Files of earlier backups that need not be copied again. */
  known?: Known;
  /** Aborts waiting for locks; the consumer of the chunks ends the rest. */
  signal?: AbortSignal;
  /** Called with the number of bytes so far, and what is being copied. */
  onProgress?: (bytes: number, step: string) => void;
}

/** What a backup contains. */
export interface BackupSummary {
  tables: number;
  rows: number;
  missing: Missing[];
  /** How many files are in earlier backups. */
  elsewhere: number;
}

/** The oldest migration that creates everything a backup reads. */
const OLDEST = '20261121194848_uploads';
/** Approximate size in bytes of a table's rows in one member of the archive. */
const PART = 4 * 1024 * 1024;

/**
 * Yields a backup as a tar archive, in chunks; returns what it contains. It is consistent, however long it takes and whatever is
 * written meanwhile: the rows of one snapshot of the database, the refs recorded in it, the files that it names, and all objects
 * that existed then.
 */
export async function* createBackup(options: BackupOptions): AsyncGenerator<Buffer, BackupSummary> {
  const { databaseUrl, repositories, uploads, known = new Known(), onProgress = () => undefined } = options;
  const progress = { bytes: 0, step: 'database' };
  const tell = () => onProgress(progress.bytes, progress.step);
  const archive = new Archive((bytes) => {
    progress.bytes += bytes;
    tell();
  });
  const onStep = (step: string) => {
    progress.step = step;
    tell();
  };
  // From before the snapshot on, nothing that it may need is removed.
  await using exclusion = await Exclusion.open(databaseUrl, undefined, options.signal);
  await using snapshot = await Snapshot.open(databaseUrl);
  const head = await headOf(options, snapshot, known);
  yield* archive.addBytes('backup.json', `${JSON.stringify(head, null, 2)}\n`);
  if (options.withSecret) yield* archive.addBytes('secret', `${options.secret}\n`);
  if (options.withSecret && options.hostKeys) yield* archiveHostKeys(archive, options.hostKeys);
  const summary = yield* archiveDatabase(archive, snapshot, onStep);
  const missing: Missing[] = [];
  const sources: Sources = { archive, snapshot, exclusion, known, missing, onStep };
  yield* archiveRepositories(sources, repositories);
  yield* archiveStoredFiles(sources, uploads);
  yield* archiveTraces(sources, repositories);
  yield* archive.finish({ id: head.id, elsewhere: known.taken, missing });
  return { ...summary, missing, elsewhere: known.taken.length };
}

/** Throws an Error if the database is too old, or the secret is missing or wrong. */
async function headOf(options: BackupOptions, snapshot: Snapshot, known: Known): Promise<Head> {
  const migrations = await snapshot.migrations();
  if (!migrations.some(({ name }) => name === OLDEST)) {
    throw new Error(
      'The database is of an older version of Gantry, or empty. Bring it up to date with `gantry migrate`.',
    );
  }
  const [user] = await snapshot.query<{ token: Buffer }>(
    'SELECT private_token_encrypted AS token FROM users ORDER BY id LIMIT 1',
  );
  if (options.withSecret) requireSecret(options.secret, user?.token);
  const storages = await snapshot.query<Storage>(
    `SELECT repository_storage AS name, bool_or(EXISTS (SELECT 1 FROM recorded_refs r WHERE r.project_id = p.id)) AS filled
      FROM projects p GROUP BY 1 ORDER BY 1`,
  );
  await requireStorages(options.repositories, storages);
  return {
    format: FORMAT,
    id: randomUUID(),
    name: options.name,
    createdAt: new Date().toISOString(),
    version: packageVersion(),
    earlier: [...known.links],
    storages: storages.map(({ name }) => name),
    sample: user?.token.toString('base64') ?? null,
    secret: options.withSecret,
  };
}

interface Storage {
  name: string;
  /** Whether it contains repositories with refs. */
  filled: boolean;
}

/** Throws an Error for a missing storage: it is misnamed or not mounted, which does not mean that its repositories are lost. */
async function requireStorages(repositories: RepositoryStore, storages: readonly Storage[]): Promise<void> {
  for (const { name } of storages.filter(({ filled }) => filled)) {
    const root = path.resolve(repositories.directory({ id: 0, repositoryStorage: name }), '../..');
    if (await isThere(root)) continue;
    throw new Error(
      `The directory ${root} of the storage "${name}" does not exist, but the database knows of repositories in it. ` +
        'Correct GANTRY_DATA or GANTRY_STORAGES, or mount the volume on which it lies.',
    );
  }
}

/** Throws an Error unless the sample was made with this secret. */
export function requireSecret(secret: string | undefined, sample: Uint8Array | undefined): asserts secret is string {
  const help = 'Set GANTRY_SECRET to the value that the server has';
  if (secret === undefined) throw new Error(`The secret of the server is not known. ${help}.`);
  if (sample && !opens(sample, secret)) throw new Error(`The secret does not fit the database. ${help}.`);
}

async function* archiveDatabase(
  archive: Archive,
  snapshot: Snapshot,
  onStep: (step: string) => void,
): AsyncGenerator<Buffer, { tables: number; rows: number }> {
  const dumped: object[] = [];
  let total = 0;
  for (const table of await tablesOf(snapshot)) {
    onStep(`table ${table.name}`);
    const rows = yield* archiveTable(archive, snapshot, table);
    total += rows;
    dumped.push({ name: table.name, columns: table.columns, rows });
  }
  const [migrations, sequences] = [await snapshot.migrations(), await snapshot.sequences()];
  const [server] = await snapshot.query<{ server_version: string }>('SHOW server_version');
  const content = { postgres: server?.server_version, migrations, sequences, tables: dumped };
  yield* archive.addBytes('database.json', `${JSON.stringify(content, null, 1)}\n`);
  return { tables: dumped.length, rows: total };
}

/** All tables, and the waiting jobs. Throws an Error if a table has the reserved name of these. */
export async function tablesOf(snapshot: Snapshot): Promise<Table[]> {
  const columns = await snapshot.query<{ name: string }>(`
    SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('pgboss.job') AND attnum > 0 AND NOT attisdropped
    ORDER BY attnum`);
  const names = columns.map(({ name }) => name);
  const jobs = names.length === 0 ? [] : [{ name: WAITING_JOBS, columns: names, select: selectWaiting(names) }];
  const tables = await snapshot.tables();
  if (tables.some(({ name }) => name === WAITING_JOBS))
    throw new Error(`A table that is not Gantry's is named "${WAITING_JOBS}", as the waiting jobs are. Rename it.`);
  return [...tables, ...jobs];
}

/** Adds the rows as members of some megabytes, since tar needs sizes in advance, split between rows; returns their number. */
async function* archiveTable(archive: Archive, snapshot: Snapshot, table: Table): AsyncGenerator<Buffer, number> {
  let parts = 0;
  let chunks: Buffer[] = [];
  let size = 0;
  const part = (content: Buffer) =>
    archive.addBytes(`${tableDirectory(table.name)}/${String(++parts).padStart(6, '0')}.copy`, content);
  const rows = snapshot.rows(table);
  for (;;) {
    const { done, value } = await rows.next();
    if (done) {
      if (size > 0) yield* part(Buffer.concat(chunks));
      return value;
    }
    chunks.push(value);
    size += value.length;
    if (size < PART) continue;
    const all = Buffer.concat(chunks);
    const end = all.lastIndexOf(10) + 1 || all.length;
    yield* part(all.subarray(0, end));
    chunks = [all.subarray(end)];
    size = all.length - end;
  }
}
