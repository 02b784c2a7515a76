import { randomBytes } from 'node:crypto';
import type { PathLike } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** A file that appears at once, complete and synced to the disk; its directory has to be synced thereafter. */
export async function writeSynced(file: string, parts: Buffer[], prefix: string): Promise<void> {
  const temporary = path.join(path.dirname(file), prefix + randomBytes(8).toString('hex'));
  let handle: FileHandle | undefined;
  try {
    handle = await open(temporary, 'wx', 0o444);
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
    await handle.close();
    handle = undefined;
    await rename(temporary, file);
  } catch (error) {
    await handle?.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes sure that the names in a directory survive a power cut. Throws ENOENT if it is gone. */
export async function syncDirectory(directory: PathLike): Promise<void> {
  // Windows has no such thing.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** As syncDirectory, but does nothing if a repack has removed the directory, having put its objects into a pack. */
export async function syncFanOut(directory: string): Promise<void> {
  try {
    await syncDirectory(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/**
 * Does work on a file whose directory may vanish at any moment, as a repack removes directories that it has emptied: then
 * it is made anew, and the work is done again.
 */
export async function inDirectory<T>(directory: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 5) throw error;
      await ensureDirectory(directory);
    }
  }
}

/** Creates a directory whose parent exists; returns whether it was not there. */
export async function ensureDirectory(directory: string): Promise<boolean> {
  try {
    await mkdir(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
