import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { openUploads } from '#src/domain/uploads/open.ts';
import { removeProjectsLater } from '#src/platform/background/carry.ts';
import type { Config } from '#src/platform/config/config.ts';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import type { DatabaseLog } from '#src/platform/database/embedded_options.ts';
import { Loading } from '#src/platform/database/load.ts';
import { lockDataDirectory } from '#src/platform/database/lock.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { databaseUrls } from '#src/platform/lifecycle/database.ts';
import { writePrivateFile } from '#src/platform/lifecycle/private_file.ts';
import { secretFile } from '#src/platform/lifecycle/secret.ts';
import { UNFINISHED_RESTORE } from '#src/platform/lifecycle/unfinished.ts';
import { readChain } from './chain.ts';
import { requireSecret } from './create.ts';
import { placeHostKeys } from './host_keys.ts';
import { labelOf } from './input.ts';
import { loadDatabase } from './load_database.ts';
import type { Head, Missing } from './manifest.ts';
import { Stage } from './stage.ts';
import { storesOf } from './stored_files.ts';
import type { Entry } from './unarchive.ts';

export interface RestoreOptions {
  config: Config;
  /** Path of the backup, or `-` for the standard input. */
  file: string;
  /** Paths of the earlier backups that it builds on, where they are not in the same directory. */
  earlier: readonly string[];
  log: DatabaseLog;
  /** Called with the current step. */
  onStep?: (text: string) => void;
  signal?: AbortSignal | undefined;
}

/** What was restored, and what was missing in it. */
export interface Restored {
  head: Head;
  missing: Missing[];
  /** Some of the refs to objects that the backup does not contain. */
  dangling: string[];
  /** Skipped tables, which are not Gantry's. */
  foreign: string[];
  /** Migrations applied since the backup. */
  migrated: string[];
}

/** Files that a data directory may contain and still count as empty. */
const HARMLESS = ['lock', 'holder.json', 'run', 'postgres-lib', 'socket-directory', 'lost+found'];

/**
 * Restores a server from a backup into an empty data directory and database. The whole backup is read and verified before
 * anything is put in place; until the end, no server starts on what is there.
 *
 * @throws Error if something exists already, the backup is damaged or does not fit, or the signal aborts it; the data directory
 * and the
 *   storages are then empty again, and the error names what is left elsewhere
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { config } = options;
  const lock = lockDataDirectory(config.dataDir, 'gantry restore');
  try {
    refuseFull(config);
    await refuseFullBucket(config);
    const stage = path.join(config.dataDir, UNFINISHED_RESTORE);
    mkdirSync(stage, { mode: 0o700 });
    const touched: string[] = [];
    try {
      return await restoreInto(options, stage, touched);
    } catch (error) {
      // It is removed once everything is in place.
      if (!existsSync(stage)) throw error;
      removeAll(config);
      throw explained(options.signal?.aborted ? options.signal.reason : error, touched);
    }
  } finally {
    lock.release();
  }
}

/** Adds to an error what must be cleared away before the next attempt. */
function explained(error: Error, touched: readonly string[]): Error {
  if (touched.length === 0) return error;
  return new Error(
    `${error.message.replace(/\.?$/, '.')} Before you try again, empty ${touched.join(' and ')}: part of the backup is in there.`,
    { cause: error },
  );
}

/** @param touched called with each place that is not cleared when this fails */
async function restoreInto(options: RestoreOptions, directory: string, touched: string[]): Promise<Restored> {
  const { config, file, earlier, onStep = () => undefined, signal } = options;
  const stage = new Stage(directory, config.storages);
  const take = (entry: Entry) => stage.take(entry);
  onStep('reading the backup');
  const onHead = (head: Head) => requireFitting(head, config);
  const onEarlier = (needed: ReadonlySet<string>) => ({
    onEntry: async (entry: Entry) => (needed.has(entry.path) ? take(entry) : undefined),
  });
  const { head, manifest } = await readChain(file, earlier, { onHead, onEntry: take }, onEarlier, signal);
  const secret = secretFor(head, stage.secret, config);
  const dump = stage.dump(labelOf(file));
  await syncDisks(placesOf(config));
  return withEmptyDatabase(options, async (url) => {
    await using loading = await Loading.begin(url, signal);
    if (config.databaseUrl !== undefined) touched.push('the database of DATABASE_URL');
    const foreign = await loadDatabase(loading, url, dump, onStep);
    await removeGone(loading, url, manifest.missing);
    await loading.query(FORGET_PUSHES);
    onStep('repositories and uploads');
    const repositories = new RepositoryStore(config.storages);
    const dangling = await stage.placeRepositories(repositories, signal);
    if ('bucket' in config.uploads) touched.push(`the bucket ${config.uploads.bucket}`);
    const uploads = await openUploads(config);
    await stage.placeTraces(repositories, signal);
    for (const [folder, store] of storesOf(uploads)) await stage.placeFiles(folder, store, signal);
    if (config.secret === undefined) writePrivateFile(secretFile(config), `${secret}\n`);
    if (config.ssh) placeHostKeys(config.ssh.keys, stage.hostKeys);
    await syncDisks(placesOf(config));
    signal?.throwIfAborted();
    await loading.finish();
    rmSync(directory, { recursive: true });
    const migrated = await migrate(url);
    return { head, missing: manifest.missing, dangling, foreign, migrated };
  });
}

/** Deletes projects that were deleted while the backup was made, as they may lack files. */
async function removeGone(loading: Loading, url: string, missing: readonly Missing[]): Promise<void> {
  const ids = [...new Set(missing.filter(({ gone }) => gone).map(({ projectId }) => projectId))];
  if (ids.length === 0) return;
  await loading.query('UPDATE projects SET deleted_at = now() WHERE id = ANY($1) AND deleted_at IS NULL', [ids]);
  await loading.query('UPDATE projects SET forked_from_id = NULL WHERE forked_from_id = ANY($1)', [ids]);
  await removeProjectsLater(url, ids);
}

/** Checks the head of a backup. Throws an Error if it cannot be restored with these settings. */
function requireFitting(head: Head, config: Config): void {
  const unknown = head.storages.filter((name) => !Object.hasOwn(config.storages, name));
  if (unknown.length > 0) {
    throw new Error(`The backup has repositories in storages missing from GANTRY_STORAGES: ${unknown.join(', ')}`);
  }
  if (head.secret) return;
  if (config.secret === undefined)
    throw new Error('The backup was made without the secret: set GANTRY_SECRET to the value that the server had.');
  requireFits(config.secret, head);
}

/** The key for the restored server. Throws an Error if GANTRY_SECRET differs. */
function secretFor(head: Head, kept: string | undefined, config: Config): string {
  const secret = config.secret ?? kept ?? '';
  requireFits(secret, head);
  return secret;
}

function requireFits(secret: string, { sample }: Head): void {
  requireSecret(secret, sample === null ? undefined : Buffer.from(sample, 'base64'));
}

/** Runs work on the database to restore into. */
async function withEmptyDatabase<T>({ config, log }: RestoreOptions, work: (url: string) => Promise<T>): Promise<T> {
  const given = databaseUrls(config);
  if (given) return work(given.directUrl);
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

/** Throws an Error that names what already exists. */
function refuseFull(config: Config): void {
  for (const directory of placesOf(config)) {
    const [odd] = contentOf(directory);
    if (odd === UNFINISHED_RESTORE) {
      throw new Error(
        `${directory} holds what a restore left that did not end. Remove ${placesOf(config).join(' and ')}, and try again.`,
      );
    }
    if (odd !== undefined)
      throw new Error(
        `${directory} is not empty: it has "${odd}". Restore into an empty directory (GANTRY_DATA), or move this one away.`,
      );
  }
}

/** Throws an Error if uploads are kept in a bucket that is not empty. */
async function refuseFullBucket(config: Config): Promise<void> {
  const { uploads } = config;
  if ('directory' in uploads) return;
  for (const [folder, files] of storesOf(await openUploads(config))) {
    for await (const { projectId, secret, fileName } of files.list()) {
      const below = folder === 'uploads' ? '' : `${folder}/`;
      const file = `${uploads.prefix}${below}${projectId}/${secret}/${fileName}`;
      throw new Error(
        `The bucket ${uploads.bucket} is not empty: it has "${file}". Restore into an empty one (GANTRY_UPLOADS).`,
      );
    }
  }
}

/** The data directory, and the storages and the uploads directory outside of it. */
function placesOf({ dataDir, storages, uploads }: Config): string[] {
  const roots = [...Object.values(storages), ...('directory' in uploads ? [uploads.directory] : [])];
  return [dataDir, ...roots.filter((root) => !root.startsWith(dataDir + path.sep))];
}

function contentOf(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => !HARMLESS.includes(name));
    return names.sort((left, right) => Number(right === UNFINISHED_RESTORE) - Number(left === UNFINISHED_RESTORE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Everything was empty before, so all that is there came from the backup. */
function removeAll(config: Config): void {
  for (const directory of placesOf(config)) {
    for (const name of contentOf(directory))
      rmSync(path.join(directory, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Syncs everything below the directories to the disk, which is faster than file by file. Windows has no such program. */
async function syncDisks(directories: readonly string[]): Promise<void> {
  if (!(await runSync(['-f', '--', ...directories.filter((directory) => existsSync(directory))]))) await runSync([]);
}

async function runSync(args: string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn('sync', args, { stdio: 'ignore' });
  child.once('error', () => resolve(false));
  child.once('close', (status) => resolve(status === 0));
  return promise;
}

/** Removes what was being pushed when a backup was made, as backups have no parts of blobs; earlier ones do not have the table either. */
const FORGET_PUSHES = `DO $$ BEGIN
  IF to_regclass('container_uploads') IS NOT NULL THEN DELETE FROM container_uploads; END IF; END $$`;
