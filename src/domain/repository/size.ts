import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isTemporary } from '#src/git/write/leftovers.ts';

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
  return sizeOf(path.join(directory, 'objects'), new Set(), (name) => !isTemporary(name));
}

/** What the objects of a repository take now, in bytes, with those of pushes that are under way. */
export function diskUse(directory: string): Promise<number> {
  return sizeOf(path.join(directory, 'objects'), new Set(), () => true);
}

/** Files that have several names count once. */
async function sizeOf(directory: string, seen: Set<string>, counts: (name: string) => boolean): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(directory, entry.name);
      if (!counts(entry.name)) return 0;
      if (entry.isDirectory()) return sizeOf(file, seen, counts);
      // A file that was renamed or removed meanwhile takes nothing.
      const stats = await lstat(file).catch(() => null);
      if (stats === null) return 0;
      const key = `${stats.dev} ${stats.ino}`;
      if (stats.nlink > 1 && seen.has(key)) return 0;
      if (stats.nlink > 1) seen.add(key);
      return stats.size;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
