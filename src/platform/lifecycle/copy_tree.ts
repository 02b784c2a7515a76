import { constants, readdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Copies the files of a directory that nobody writes to, sharing their blocks where the file system can. The directory that
 * is made, and those in it, belong to this account alone.
 *
 * @returns how many files there were
 * @throws Error when one cannot be copied; what was copied until then is left
 */
export async function copyTree(from: string, to: string): Promise<number> {
  const entries = readdirSync(from, { withFileTypes: true, recursive: true });
  const placeOf = (entry: (typeof entries)[number]) => path.join(path.relative(from, entry.parentPath), entry.name);
  await mkdir(to, { recursive: true, mode: 0o700 });
  // A directory is listed before what is in it.
  for (const entry of entries.filter((entry) => entry.isDirectory()))
    await mkdir(path.join(to, placeOf(entry)), { recursive: true, mode: 0o700 });
  const files = entries.filter((entry) => entry.isFile()).map(placeOf);
  await Promise.all(
    files.map((file) => copyFile(path.join(from, file), path.join(to, file), constants.COPYFILE_FICLONE)),
  );
  return files.length;
}
