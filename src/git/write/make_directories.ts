import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../base/sync.ts';

/**
 * Creates a directory and its parents if they are missing. Unlike Node's own recursive call, which never returns on file systems
 * that refuse new directories with ENOENT, such as /proc, this throws ENOENT.
 */
export async function makeDirectories(directory: string, mode = 0o777): Promise<void> {
  await makeAll(directory, mode, () => undefined);
}

async function makeAll(directory: string, mode: number, onMade: (directory: string) => void): Promise<void> {
  const makeOne = async () => {
    if (await wasMade(directory, mode)) onMade(directory);
  };
  try {
    await makeOne();
  } catch (error) {
    const parent = path.dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    await makeAll(parent, mode, onMade);
    await makeOne();
  }
}

/** Directories whose names this process knows to be on the disk, and how many it remembers. */
const known = new Set<string>();
const MAX_KNOWN = 10_000;

/**
 * As makeDirectories, but their names survive a power cut when this returns, also where another process has just made them. Only for
 * directories that no other process removes and makes anew.
 */
export async function makeDurableDirectories(directory: string, mode = 0o777): Promise<void> {
  const place = path.resolve(directory);
  await makeAll(place, mode, (made) => known.delete(made));
  await syncNames(place);
}

/** Syncs the directory above, and those above that, up to one whose name is known to be on the disk. */
async function syncNames(place: string): Promise<void> {
  const parent = path.dirname(place);
  if (parent === place || known.has(place)) return;
  try {
    await syncDirectory(parent);
  } catch (error) {
    // Of a directory that this user may not even list, the administrator has made what is in it.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
  await syncNames(parent);
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(place);
}

async function wasMade(directory: string, mode: number): Promise<boolean> {
  try {
    await mkdir(directory, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
