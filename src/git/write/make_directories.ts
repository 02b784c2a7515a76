import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a directory and its parents if they are missing. Unlike Node's own recursive call, which never returns on file systems
 * that refuse new directories with ENOENT, such as /proc, this throws ENOENT.
 */
export async function makeDirectories(directory: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(directory, mode);
  } catch (error) {
    const parent = path.dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    await makeDirectories(parent, mode);
    await makeOne(directory, mode);
  }
}

async function makeOne(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
