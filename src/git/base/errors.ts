import type { Oid } from './model.ts';

/** What git cannot do; the message is for the log, the class for the caller. */
export class GitError extends Error {
  override name = 'GitError';
}

/** An object that others refer to is not there, or of another type: the repository is damaged. */
export class MissingObject extends GitError {
  override name = 'MissingObject';

  constructor(oid: Oid, type = 'object') {
    super(`There is no ${type} ${oid}`);
  }
}

/** Objects that were asked for are missing or damaged; `cause` is the error that says which. */
export class Damaged extends GitError {
  override name = 'Damaged';
  /** Of the repository. */
  readonly directory: string;

  constructor(directory: string, cause: unknown) {
    super(`${directory} is damaged: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.directory = directory;
  }
}

/** What a limit is about: the size of one object in memory, or the work that one request may cause. */
export type LimitKind = 'size' | 'work';

/** The request asks for more than it may; the message names the limit. */
export class LimitExceeded extends GitError {
  override name = 'LimitExceeded';
  readonly kind: LimitKind;

  constructor(kind: LimitKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Both in bytes. */
export function objectTooLarge(size: number, limit: number): LimitExceeded {
  return new LimitExceeded('size', `an object has ${size} bytes, more than ${limit}`);
}

export function isLimit(error: unknown, kind: LimitKind): error is LimitExceeded {
  return error instanceof LimitExceeded && error.kind === kind;
}

/** A ref does not have the expected value: another change was faster. */
export class RefChanged extends GitError {
  override name = 'RefChanged';
  /** Its value; null if there is no such ref. */
  readonly actual: Oid | null;

  constructor(ref: string, actual: Oid | null) {
    super(`${ref} is at ${actual ?? 'nothing'}`);
    this.actual = actual;
  }
}

/** There is a lock file: another update is running, or was interrupted. */
export class RefLocked extends GitError {
  override name = 'RefLocked';

  constructor(ref: string) {
    super(`${ref} is locked`);
  }
}

/** A ref name that git does not accept, or that is a directory of other refs, or lies below another ref. */
export class InvalidRefName extends GitError {
  override name = 'InvalidRefName';

  constructor(ref: string, reason = 'is not a valid name') {
    super(`${JSON.stringify(ref)} ${reason}`);
  }
}

/** The git program failed, took too long or printed too much. */
export class ProgramFailed extends GitError {
  override name = 'ProgramFailed';
}
