import { MAX_ALLOCATION_BYTES } from '../program/environment.ts';
import { type GroupProgram, killGroup } from '../program/group.ts';

/** What the program may take of memory in one piece: for one object, or for the list of all. In bytes. */
export function allocationFor(count: number): number {
  return Math.max(MAX_ALLOCATION_BYTES, Math.min(count * LISTED, MAX_LISTED_BYTES));
}

/** What the list takes for an object, and in all. In bytes. */
const LISTED = 128;
const MAX_LISTED_BYTES = 4 * 1024 ** 3;

/** Ends a program that takes longer for its input than the size of the input justifies. */
export class UnpackPatience {
  readonly #program: GroupProgram;
  #bytes = 0;
  #spent = 0;
  isOver = false;

  constructor(program: GroupProgram) {
    this.#program = program;
  }

  /** Counts sent bytes; returns the total. */
  count(bytes: number): number {
    this.#bytes += bytes;
    return this.#bytes;
  }

  /** Does work that waits for the program: a minute in all, and a second more for each 256 KiB. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const timer = setTimeout(
      () => {
        this.isOver = true;
        killGroup(this.#program);
      },
      60_000 + (this.#bytes / 1024 / 256) * 1_000 - this.#spent,
    );
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      this.#spent += performance.now() - begun;
    }
  }
}
