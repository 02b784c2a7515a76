/** A parser of bytes that callers send, with what a fuzzer needs to know about it. */
export interface Target {
  name: string;
  /** Inputs that are in the language of the parser. */
  seeds: readonly (string | Uint8Array)[];
  /** Words of the language. */
  words?: readonly string[];
  /** Pairs that enclose something: `[` and `]`. */
  pairs?: readonly (readonly [open: string, close: string])[];
  /**
   * Reads an input. What it throws must be one of `refusals`; it throws `Broken` itself where what was read is not what it should be.
   * Its result is of no interest.
   */
  read(input: Buffer): unknown;
  /** The errors by which the parser refuses an input. */
  refusals?: readonly (abstract new (
    ...given: never[]
  ) => Error)[];
  /** Changes of an input that keep its form, such as the sums in an archive. */
  mend?(input: Buffer, random: () => number): Buffer;
  /** Milliseconds that an input of 64 KB may take, where that is not the usual: the server gives the work to a thread with a limit of its own. */
  milliseconds?: number;
  /** Megabytes alike. */
  megabytes?: number;
}

/** Something that a parser promises does not hold. */
export class Broken extends Error {
  override name = 'Broken';
}

export function holds(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Broken(message);
}

/** Bytes of the longest input. */
export const MAX_INPUT = 64 * 1024;
