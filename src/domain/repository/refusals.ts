import { Damaged, GitError, isLimit, MissingObject, RefLocked } from '#src/git/base/errors.ts';
import { isGone } from '#src/git/base/existence.ts';
import { BadRequest, ContentTooLarge, DomainError, NotFound } from '#src/platform/errors.ts';

/** The message when a commit fails for any other reason (behaviour.md 1.5). */
export const NOT_COMMITTED = 'Something went wrong. Your changes were not committed';

/** The message for a commit to a missing branch, unless it would be the repository's first. */
export const NOT_ON_BRANCH = 'You can only create or edit files when you are on a branch';

/**
 * The error for a ref that could not be changed: a BadRequest with this message if git rejected the change. A lock of a dead
 * process or another program is temporary: the error stays the same, and the caller can retry.
 */
export function changeRefusal(error: unknown, message: string): unknown {
  return error instanceof GitError && !(error instanceof RefLocked) ? new BadRequest(message) : error;
}

/** The error if a repository was removed meanwhile, as its project was deleted: NotFound. Null for any other error. */
export function goneRefusal(error: unknown): DomainError | null {
  if (!(error instanceof Error) || error instanceof DomainError) return null;
  const named = (error as NodeJS.ErrnoException).path ?? (error instanceof GitError ? error.message : '');
  const directory = REPOSITORY.exec(named)?.[0];
  return directory !== undefined && isGone(directory) ? new NotFound('Project') : null;
}

/** The directory of a repository at the beginning of a path, or within a message. */
const REPOSITORY = /(?:\/|[A-Z]:\\)[^'"\n]*[\\/][0-9a-f]{2}[\\/]\d+\.git(?=[\\/'"\s]|$)/;

/** The error for a caller whose request failed because of damage: clear, and without local paths. Null for any other error. */
export function damageRefusal(error: unknown): DomainError | null {
  if (!(error instanceof Damaged || error instanceof MissingObject)) return null;
  const cause = error instanceof Damaged ? error.cause : error;
  const said = cause instanceof MissingObject ? cause.message : 'An object cannot be read';
  return new NotFound('Object', `The repository is damaged: ${said}. "gantry fsck" finds out more.`);
}

/** The error for a caller who hits a limit of the git library; null for any other error. */
export function limitRefusal(error: unknown): DomainError | null {
  if (isLimit(error, 'size')) return new ContentTooLarge(error.message);
  return isLimit(error, 'work') ? new BadRequest(`The request takes too much work: ${error.message}`) : null;
}

/** Runs work, converting errors about limits of the git library as limitRefusal does. */
export async function withinLimits<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw limitRefusal(error) ?? damageRefusal(error) ?? error;
  }
}
