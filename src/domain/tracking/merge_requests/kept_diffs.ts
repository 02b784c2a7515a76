import { LRUCache } from 'lru-cache';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type Diff, diffTrees } from '#src/git/diff/diff.ts';

/** Bytes of all cached diffs, and of the largest of them. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const MAX_CACHED_DIFF_BYTES = 4 * 1024 * 1024;

const names = new WeakMap<RepositoryReader, string>();
const diffs = new LRUCache<string, Diff>({
  maxSize: MAX_CACHED_BYTES,
  maxEntrySize: MAX_CACHED_DIFF_BYTES,
  sizeCalculation: bytesOf,
});
let scopes = 0;

/** The diff of two commits, which never changes; cached for versions that are viewed repeatedly. Throws LimitExceeded. */
export async function keptDiff(reader: RepositoryReader, from: Oid, to: Oid): Promise<Diff> {
  const key = `${scopeOf(reader)} ${from} ${to}`;
  const known = diffs.get(key);
  if (known) return known;
  const diff = await diffTrees(reader, from, to);
  // A diff that took too long may be complete next time.
  if (!diff.overflow) diffs.set(key, diff);
  return diff;
}

/** Entries of one repository are never served for another one. */
function scopeOf(reader: RepositoryReader): string {
  const name = names.get(reader) ?? String(++scopes);
  names.set(reader, name);
  return name;
}

/** JavaScript strings take up to two bytes per character, and each entry some more. */
function bytesOf({ entries }: Diff): number {
  const textBytes = ({ diff, oldPath, newPath }: Diff['entries'][number]) =>
    2 * (diff.length + oldPath.length + newPath.length) + 500;
  return entries.reduce((sum, entry) => sum + textBytes(entry), 200);
}
