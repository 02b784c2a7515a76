import { GitError } from '../errors.ts';

/** A client of the remote does not speak git's protocol. */
export class InvalidRequest extends GitError {
  override name = 'InvalidRequest';
}
