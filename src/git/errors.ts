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

/** Objects that were asked for are missing or damaged; `cause` is what was found. */
export class Damaged extends GitError {
  override name = 'Damaged';
  /** Of the repository. */
  readonly directory: string;

  constructor(directory: string, cause: unknown) {
    super(`${directory} is damaged: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.directory = directory;
  }
}

/** An object is larger than the caller wants to have in memory. */
export class TooLarge extends GitError {
  override name = 'TooLarge';
  /** In bytes. */
  readonly size: number;
  readonly limit: number;

  constructor(size: number, limit: number) {
    super(`${size} bytes are more than ${limit}`);
    this.size = size;
    this.limit = limit;
  }
}

/** The request takes more work than one request may cause; the message names the limit. */
export class TooMuch extends GitError {
  override name = 'TooMuch';
}

/** A ref does not hold what it was expected to hold: someone else was faster. */
export class RefChanged extends GitError {
  override name = 'RefChanged';
  /** What it holds; null if there is no such ref. */
  readonly actual: Oid | null;

  constructor(ref: string, actual: Oid | null) {
    super(`${ref} is at ${actual ?? 'nothing'}`);
    this.actual = actual;
  }
}

/** A lock file is in the way: another update is under way, or was cut off. */
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

/** The git program failed, took too long or said too much. */
export class ProgramFailed extends GitError {
  override name = 'ProgramFailed';
}
