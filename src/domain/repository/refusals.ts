import { Damaged, GitError, isLimit, MissingObject, RefLocked } from '#src/git/errors.ts';
import { isGone } from '#src/git/existence.ts';
import { BadRequest, ContentTooLarge, DomainError, NotFound } from '#src/platform/errors.ts';

/** What is said when a commit cannot be made for any other reason (behaviour.md 1.5). */
export const NOT_COMMITTED = 'Something went wrong. Your changes were not committed';

/** What is said of a commit to a branch that is not there, unless it would be the first one of the repository. */
export const NOT_ON_BRANCH = 'You can only create or edit files when you are on a branch';

/**
 * What it means that a ref could not be changed: a BadRequest with this message where git refused the change. The lock of a
 * process that died, or of another program, goes away: it stays the same error, and the caller can try again.
 */
export function changeRefusal(error: unknown, message: string): unknown {
  return error instanceof GitError && !(error instanceof RefLocked) ? new BadRequest(message) : error;
}

/**
 * What an error means that came of a repository that was removed meanwhile, since its project was deleted: there is none. Null
 * for any other error.
 */
export function goneRefusal(error: unknown): DomainError | null {
  if (!(error instanceof Error) || error instanceof DomainError) return null;
  const named = (error as NodeJS.ErrnoException).path ?? (error instanceof GitError ? error.message : '');
  const directory = REPOSITORY.exec(named)?.[0];
  return directory !== undefined && isGone(directory) ? new NotFound('Project') : null;
}

/** A repository's directory at the beginning of a path, or within a message. */
const REPOSITORY = /(?:\/|[A-Z]:\\)[^'"\n]*[\\/][0-9a-f]{2}[\\/]\d+\.git(?=[\\/'"\s]|$)/;

/**
 * The error for a caller who asked for something that cannot be read because of damage: clear, and without paths of this machine.
 * Null for any other error.
 */
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

/** Does work; what is over a limit of git's library is refused as limitRefusal words it. */
export async function withinLimits<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw limitRefusal(error) ?? damageRefusal(error) ?? error;
  }
}
