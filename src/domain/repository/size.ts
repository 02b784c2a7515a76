import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isTemporary } from '#src/git/write/leftovers.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';

/** A repository is measured once in ten seconds: adding up all its files on each of many writes costs too much. */
const measuring = new LeakyBucket({ perSecond: 0.1, atOnce: 1 }, 1_000);

/** The size of a repository's objects, in bytes; null if it was measured a moment ago. */
export async function repositorySize(directory: string): Promise<number | null> {
  return measuring.tryTake(directory) ? objectsSize(directory) : null;
}

/** The same however often it is asked for: for small repositories. */
export function objectsSize(directory: string): Promise<number> {
  return sizeOf(path.join(directory, 'objects'), new Set(), (name) => !isTemporary(name));
}

/** The current size of a repository's objects, in bytes, including those of pushes in progress. */
export function diskUse(directory: string): Promise<number> {
  return sizeOf(path.join(directory, 'objects'), new Set(), () => true);
}

/** Hard links count once. */
async function sizeOf(directory: string, seen: Set<string>, counts: (name: string) => boolean): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(directory, entry.name);
      if (!counts(entry.name)) return 0;
      if (entry.isDirectory()) return sizeOf(file, seen, counts);
      // A file that was renamed or removed meanwhile counts as empty.
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
