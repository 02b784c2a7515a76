import { LimitExceeded } from '../base/errors.ts';
import { WALK } from '../base/limits.ts';

/** Reading a directory takes as long as passing so many entries. */
const A_DIRECTORY = 8;

/** Counts what one request looks at in trees, before it is looked at. */
export class WalkBudget {
  #entries: number;
  #pathBytes: number;

  constructor({ entries, pathBytes }: typeof WALK = WALK) {
    this.#entries = entries;
    this.#pathBytes = pathBytes;
  }

  /** To be called with the bytes of each directory that is read. Throws LimitExceeded. */
  directory(bytes: Buffer): void {
    // No entry is shorter than 28 bytes, and few are twice as long.
    this.#entries -= A_DIRECTORY + bytes.length / 40;
    if (this.#entries < 0) {
      throw new LimitExceeded(
        'work',
        `there are more than ${WALK.entries} files and directories: ask for one directory at a time`,
      );
    }
  }

  /** To be called with each path that is made. Throws LimitExceeded. */
  path(path: string): void {
    this.#pathBytes -= path.length;
    if (this.#pathBytes < 0)
      throw new LimitExceeded('work', `the paths together have more than ${WALK.pathBytes} characters`);
  }
}
