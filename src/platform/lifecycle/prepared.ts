import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseLog } from '#src/platform/database/embedded_options.ts';
import { type DataLock, LockedError, lockDataDirectory } from '#src/platform/database/lock.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { copyTree } from './copy_tree.ts';
import { removeAbandoned } from './ephemeral.ts';

/** What a prepared data directory holds. */
export type Content = 'empty' | 'seeded';

export interface PreparedOptions {
  content: Content;
  /** Makes the data directory, and is done with it when it returns. */
  make(dataDir: string): Promise<void>;
  log: DatabaseLog;
}

/** Milliseconds between two looks whether another process has prepared the directory. */
const PAUSE = 50;

/** Milliseconds after which prepared directories that nobody used are removed. */
const MAX_UNUSED_MS = 14 * 24 * 60 * 60_000;

/** The file that says how many there are besides: a directory that lacks some, as clean-ups of temporary files leave it, is made anew. */
const MANIFEST = 'prepared.json';

/** What belongs to the process that made a data directory, and to no copy. */
const OWN = ['run', 'socket-directory', 'postgres-lib', 'holder.json', 'lock', 'postgres/postmaster.opts'];

/**
 * Copies a prepared data directory of this build of Gantry, which the first caller makes and all later ones find among the
 * caches of this account. Of several processes one makes it, and the others wait.
 *
 * @param target the directory to copy it to, which must be this account's own
 * @returns whether it was copied; not where there is no place for caches
 * @throws Error when the data directory cannot be made
 */
export async function copyPrepared(target: string, options: PreparedOptions): Promise<boolean> {
  const cache = cacheDirectory();
  if (cache === null) return false;
  const directory = path.join(cache, `${options.content}-${buildName()}`);
  if (await copied(directory, target)) return true;
  const lock = await lockPatiently(`${directory}.lock`);
  try {
    if (await copied(directory, target)) return true;
    await make(directory, options);
    removeUnused(cache, directory);
    return await copied(directory, target);
  } finally {
    lock.release();
  }
}

/** It grows under another name, so that what a killed process began is never taken for whole. */
async function make(directory: string, { make, log }: PreparedOptions): Promise<void> {
  const growing = `${directory}.new`;
  if (!(await removeAbandoned(growing))) throw new Error(`${growing} is still in use by another process.`);
  log.info(`Preparing a data directory in ${directory}, which later starts copy`);
  mkdirSync(growing, { mode: 0o700 });
  await make(growing);
  for (const name of OWN) rmSync(path.join(growing, name), { recursive: true, force: true });
  const files = readdirSync(growing, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).length;
  writeFileSync(path.join(growing, MANIFEST), JSON.stringify({ files }), { mode: 0o600 });
  rmSync(directory, { recursive: true, force: true });
  renameSync(growing, directory);
}

/** Whether it was there, whole. */
async function copied(directory: string, target: string): Promise<boolean> {
  const files = filesOf(directory);
  if (files === null) return false;
  utimesSync(directory, new Date(), new Date());
  try {
    // The manifest is one more.
    if ((await copyTree(directory, target)) === files + 1) return true;
  } catch (error) {
    // Files that were listed are gone: it is being removed.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  for (const name of readdirSync(target)) rmSync(path.join(target, name), { recursive: true, force: true });
  return false;
}

function filesOf(directory: string): number | null {
  try {
    return JSON.parse(readFileSync(path.join(directory, MANIFEST), 'utf8')).files;
  } catch {
    return null;
  }
}

/** Where this account keeps prepared directories; null where that cannot be had, or others could write to it. */
function cacheDirectory(): string | null {
  const { XDG_CACHE_HOME: caches } = process.env;
  const account = process.getuid?.();
  const directory =
    caches !== undefined && path.isAbsolute(caches)
      ? path.join(caches, 'gantry-prepared')
      : path.join(tmpdir(), account === undefined ? 'gantry-prepared' : `gantry-prepared-${account}`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const found = lstatSync(directory);
    const isOwn = account === undefined || (found.uid === account && (found.mode & 0o022) === 0);
    return found.isDirectory() && isOwn ? directory : null;
  } catch {
    return null;
  }
}

async function lockPatiently(place: string): Promise<DataLock> {
  for (;;) {
    try {
      return lockDataDirectory(place, 'preparing a data directory');
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      await sleep(PAUSE);
    }
  }
}

/** What earlier builds left. A copy that is under way has just been marked as used. */
function removeUnused(cache: string, current: string): void {
  for (const name of readdirSync(cache)) {
    const directory = path.join(cache, name);
    if (directory.startsWith(current) || !/^(empty|seeded)-[0-9a-f]+$/.test(name)) continue;
    const { mtimeMs } = statSync(directory, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs === undefined || mtimeMs > Date.now() - MAX_UNUSED_MS) continue;
    for (const part of [directory, `${directory}.lock`]) rmSync(part, { recursive: true, force: true });
  }
}

/**
 * What the prepared directory was made by: the build that a package names, or else the state of the sources, which change
 * while the version stays.
 */
function buildName(): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} `);
  if (existsSync(packagePath('src'))) {
    for (const place of ['src', 'prisma/migrations', 'package-lock.json']) hash.update(stateOf(packagePath(place)));
  } else {
    const { build }: { build?: string } = JSON.parse(readFileSync(packagePath('dist/package.json'), 'utf8'));
    if (build === undefined) throw new Error('The package is incomplete: dist/package.json does not name its build');
    hash.update(build);
  }
  return hash.digest('hex').slice(0, 32);
}

/** Names, sizes and times of the files of a directory, or of one file. */
function stateOf(place: string): string {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found) return '';
  if (!found.isDirectory()) return `${place} ${found.size} ${found.mtimeMs}\n`;
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map(stateOf)
    .join('');
}
