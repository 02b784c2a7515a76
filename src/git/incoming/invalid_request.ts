import { GitError } from '../base/errors.ts';

/** A client of the remote does not speak git's protocol. */
export class InvalidRequest extends GitError {
  override name = 'InvalidRequest';
}

/** A client of the remote sends more than it may; the message names the limit. */
export class TooMuchSent extends InvalidRequest {
  override name = 'TooMuchSent';
}
