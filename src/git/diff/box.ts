/** A part of both sequences that is to be compared; a diagonal is the difference of the two positions. */
export class Box {
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;

  constructor(x0: number, x1: number, y0: number, y1: number) {
    this.x0 = x0;
    this.x1 = x1;
    this.y0 = y0;
    this.y1 = y1;
  }

  get start(): number {
    return this.x0 - this.y0;
  }

  get end(): number {
    return this.x1 - this.y1;
  }

  get lowest(): number {
    return this.x0 - this.y1;
  }

  get highest(): number {
    return this.x1 - this.y0;
  }

  get odd(): boolean {
    return ((this.start - this.end) & 1) !== 0;
  }
}

/** The diagonals that a walk has reached. */
export class Range {
  min: number;
  max: number;
  readonly #lowest: number;
  readonly #highest: number;

  constructor(diagonal: number, lowest: number, highest: number) {
    this.min = diagonal;
    this.max = diagonal;
    this.#lowest = lowest;
    this.#highest = highest;
  }

  /** One more diagonal at each end, or one less where there are no more. */
  grow(reached: Int32Array, shift: number, unreached: number): void {
    if (this.min > this.#lowest) {
      this.min--;
      reached[this.min - 1 + shift] = unreached;
    } else this.min++;
    if (this.max < this.#highest) {
      this.max++;
      reached[this.max + 1 + shift] = unreached;
    } else this.max--;
  }
}
