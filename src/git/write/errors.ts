import { GitError } from '../base/errors.ts';

/** The actions left everything as it was. */
export class NothingChanged extends GitError {
  override name = 'NothingChanged';
}
