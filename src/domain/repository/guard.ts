import { isDamage } from '#src/git/base/damage.ts';
import { Damaged } from '#src/git/base/errors.ts';
import { isGone } from '#src/git/base/existence.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';

const guarded = new WeakMap<RepositoryReader, RepositoryReader>();

/**
 * Wraps a reader so that its methods throw NotFound if the repository was removed while they ran, as errors about missing objects
 * are then no damage; and Damaged if objects are missing or damaged. Returns the same wrapper for the same reader.
 */
export function guardReader(reader: RepositoryReader): RepositoryReader {
  const known = guarded.get(reader);
  if (known) return known;
  const guard = new Proxy(reader, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const answer: unknown = value.apply(target, given);
        return answer instanceof Promise ? answer.catch((error: unknown) => fail(target.directory, error)) : answer;
      };
    },
  });
  guarded.set(reader, guard);
  return guard;
}

function fail(directory: string, error: unknown): never {
  if (error instanceof DomainError) throw error;
  if (isGone(directory)) throw new NotFound('Project');
  throw isDamage(error) ? new Damaged(directory, error) : error;
}
