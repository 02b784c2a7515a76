import type { RepositoryReader } from '#src/git/base/reader.ts';

const memories = new WeakMap<RepositoryReader, Map<string, Promise<unknown>>>();

/** Maximum number of cached results per repository. */
const LIMIT = 1000;

/**
 * Caches the result of work by a key, which must contain everything that it depends on, such as the hash of a commit. For small
 * results only. Kept as long as the process keeps the reader; least recently used ones are evicted.
 */
export function remembered<T>(repository: RepositoryReader, key: string, work: () => Promise<T>): Promise<T> {
  const memory = memories.get(repository) ?? new Map<string, Promise<unknown>>();
  memories.set(repository, memory);
  const known = memory.get(key) as Promise<T> | undefined;
  const answer = known ?? work();
  memory.delete(key);
  memory.set(key, answer);
  if (!known) answer.catch(() => memory.delete(key));
  for (const oldest of memory.keys()) {
    if (memory.size <= LIMIT) break;
    memory.delete(oldest);
  }
  return answer;
}
