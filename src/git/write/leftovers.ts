import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { INCOMING, MARK } from '../incoming/pack_keep_lock.ts';
import { removeStaleLocks } from '../refs/lock.ts';

/**
 * Milliseconds without a heartbeat after which files count as left behind. Processes that receive a push or hold a pack give one
 * every few minutes, on any machine; locks and single files only exist for seconds.
 */
export const ABANDONED = 60 * 60_000;

/** What a process left behind that died. */
export interface Leftover {
  /** `objects`: on their way in; `keep`: what holds a pack; `lock`: of a ref or another file. */
  kind: 'objects' | 'keep' | 'lock';
  /** Below the directory of the repository. */
  name: string;
}

/** Finds leftover files in a bare repository. `age` is in milliseconds. */
export async function findLeftovers(directory: string, age = ABANDONED): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const folder of ['objects', 'objects/pack', 'objects/info', 'objects/info/commit-graphs']) {
    for (const name of await namesIn(path.join(directory, folder))) {
      const file = path.join(directory, folder, name);
      if (TEMPORARY.test(name) && (await isAbandoned(file, age)))
        found.push({ kind: 'objects', name: `${folder}/${name}` });
      else if (name.endsWith('.keep') && (await isAbandoned(file, age)) && (await isOurs(file)))
        found.push({ kind: 'keep', name: `${folder}/${name}` });
    }
  }
  for (const fanOut of (await namesIn(path.join(directory, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of await namesIn(path.join(directory, 'objects', fanOut))) {
      const file = path.join(directory, 'objects', fanOut, name);
      if (name.startsWith('tmp_') && (await isAbandoned(file, age)))
        found.push({ kind: 'objects', name: `objects/${fanOut}/${name}` });
    }
  }
  const locks: string[] = [];
  await collectLocks(directory, '', locks);
  for (const name of locks) {
    if (await isAbandoned(path.join(directory, name), age)) found.push({ kind: 'lock', name });
  }
  return found;
}

/** Removes leftovers that have not changed since they were found; `age` as in findLeftovers. */
export async function removeLeftovers(directory: string, found: readonly Leftover[], age = ABANDONED): Promise<void> {
  for (const { kind, name } of found) {
    const file = path.join(directory, name);
    if (!(await isAbandoned(file, age))) continue;
    if (kind === 'lock') await removeStaleLocks(directory, [name.slice(0, -'.lock'.length)]);
    else await rm(file, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Whether a file, or all in a directory, is older than so many milliseconds; false when it is gone. */
export async function isAbandoned(file: string, age = ABANDONED): Promise<boolean> {
  const time = await newest(file);
  return time !== null && time < Date.now() - age;
}

/** Whether a file among the objects is temporary or a lock, and not an object or pack itself. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name) || name.endsWith('.keep') || name.endsWith('.lock');
}

/** Temporary names of git and of this server. */
const TEMPORARY = new RegExp(`^(${INCOMING}|tmp_|\\.tmp-)`);

/** When a file, or the last one in a directory, was changed, in milliseconds since 1970; null when it is gone. */
async function newest(file: string): Promise<number | null> {
  const stats = await lstat(file).catch(() => null);
  if (stats === null) return null;
  let time = stats.mtimeMs;
  for (const name of stats.isDirectory() ? await namesIn(file) : []) {
    time = Math.max(time, (await newest(path.join(file, name))) ?? 0);
  }
  return time;
}

/** Locks on refs, and on other files of the repository. Directories are looked through as they are, however deep. */
async function collectLocks(directory: string, below: string, into: string[]): Promise<void> {
  const entries = await readdir(path.join(directory, below), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile() && name.endsWith('.lock')) into.push(name);
    const isInside = below !== '' || ['refs', 'objects'].includes(name);
    const isOfObjects = below === 'objects' && !['info', 'pack'].includes(entry.name);
    if (entry.isDirectory() && isInside && !isOfObjects) await collectLocks(directory, name, into);
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

async function isOurs(file: string): Promise<boolean> {
  return (await readFile(file, 'latin1').catch(() => '')).startsWith(MARK);
}
