import { GitError, MissingObject, ProgramFailed } from './errors.ts';

/** Messages of the git program about damaged repositories; it runs with English messages. */
const COMPLAINTS =
  /bad (object|tree|commit|revision|default revision)|missing (blob|tree|commit|object|tag)|corrupt|inflate|unable to (read|parse|unpack|get|find)|could not (read|parse|get)|failed to (read|traverse|unpack)|not a valid object|garbage|does not point to a valid/i;

/** Names of errors of isomorphic-git for what it cannot read. */
const FOREIGN = ['InternalError', 'NotFoundError', 'ObjectTypeError', 'ParseError', 'UnsafeFilepathError'];

/**
 * Whether an error of reading says that objects of the repository are missing or damaged, as opposed to a limit, or a fault of
 * the machine.
 */
export function isDamage(error: unknown): boolean {
  if (error instanceof MissingObject) return true;
  if (error instanceof ProgramFailed) return COMPLAINTS.test(error.message);
  // Those of limits, refs and names are classes of their own.
  if (error instanceof GitError) return error.constructor === GitError;
  const code = String((error as NodeJS.ErrnoException | null)?.code ?? '');
  return /^Z_/.test(code) || ['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'].includes(code) || FOREIGN.includes(code);
}
