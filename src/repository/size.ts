import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** How long a size holds, in milliseconds: adding up all files of a repository at each of many writes costs too much. */
const HOLDS = 10_000;
/** How many repositories are remembered. */
const MOST = 1_000;

const measured = new Map<string, number>();

/** What the objects of a repository take, in bytes; null if that was looked at a moment ago. */
export async function repositorySize(directory: string): Promise<number | null> {
  const now = performance.now();
  const last = measured.get(directory);
  if (last !== undefined && now - last < HOLDS) return null;
  if (measured.size >= MOST) measured.clear();
  measured.set(directory, now);
  return diskUse(directory);
}

/** What the objects of a repository take now, in bytes. */
export function diskUse(directory: string): Promise<number> {
  return sizeOf(path.join(directory, 'objects'));
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((entry) => {
      const file = path.join(directory, entry.name);
      if (entry.isDirectory()) return sizeOf(file);
      // A file that was renamed or removed meanwhile takes nothing.
      return stat(file).then(
        ({ size }) => size,
        () => 0,
      );
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
