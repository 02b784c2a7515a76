/** One of two texts that are compared: its lines as numbers, and which of them are not in the other text. */
export class Side {
  readonly numbers: Int32Array;
  /** 1 for lines that were removed or added; with one more element, always 0, at the end. */
  readonly changed: Uint8Array;

  constructor(numbers: Int32Array) {
    this.numbers = numbers;
    this.changed = new Uint8Array(numbers.length + 1);
  }

  get length(): number {
    return this.numbers.length;
  }

  number(at: number): number {
    return this.numbers[at] ?? -1;
  }

  /** Whether a line is changed; lines before the first are not. */
  isChanged(at: number): boolean {
    return at >= 0 && this.changed[at] === 1;
  }
}
