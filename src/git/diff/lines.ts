/** A text cut into lines, each with its line break. */
export interface Lines {
  bytes: Buffer;
  /** Where each line begins, and where the last one ends. */
  starts: number[];
  count: number;
}

export function splitLines(bytes: Buffer): Lines {
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== bytes.length) starts.push(bytes.length);
  return { bytes, starts, count: starts.length - 1 };
}

/** One line as bytes, with its line break. */
export function lineAt({ bytes, starts }: Lines, at: number): Buffer {
  return bytes.subarray(starts[at] ?? bytes.length, starts[at + 1] ?? bytes.length);
}

/** Numbers for the lines of several texts: equal lines get equal numbers. */
export class LineNumbers {
  readonly #known = new Map<string, number>();

  of(lines: Lines): Int32Array {
    const numbers = new Int32Array(lines.count);
    for (let at = 0; at < lines.count; at++) {
      const line = lines.bytes.toString('latin1', lines.starts[at], lines.starts[at + 1]);
      const known = this.#known.get(line);
      const number = known ?? this.#known.size;
      if (known === undefined) this.#known.set(line, number);
      numbers[at] = number;
    }
    return numbers;
  }

  get size(): number {
    return this.#known.size;
  }
}

/** Whether git takes a content for binary: a NUL among the first 8,000 bytes. */
export function isBinary(bytes: Buffer): boolean {
  const nul = bytes.indexOf(0);
  return nul >= 0 && nul < 8_000;
}
