import type { RepositoryReader } from '#src/git/reader.ts';

const memories = new WeakMap<RepositoryReader, Map<string, Promise<unknown>>>();

/** How many answers are kept for one repository. */
const LIMIT = 1000;

/**
 * What the work gives, done once for a key, which must name all that it depends on, such as the hash of a commit. Only small answers belong here. As long
 * as the process keeps the reader; the answers that were asked for least recently are forgotten.
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
