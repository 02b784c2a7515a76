/** Milliseconds between two lines; on a terminal each replaces the one before. */
const REPORT_INTERVALS_MS = { terminal: 200, file: 5_000 };

/** Shows progress on the standard error, on a terminal or where requested. */
export class Progress {
  readonly #terminal = process.stderr.isTTY === true;
  readonly #wanted: boolean;
  #last = -Infinity;

  constructor(wanted: boolean) {
    this.#wanted = wanted || this.#terminal;
  }

  show(text: string): void {
    const now = performance.now();
    if (!this.#wanted || now - this.#last < (this.#terminal ? REPORT_INTERVALS_MS.terminal : REPORT_INTERVALS_MS.file))
      return;
    this.#last = now;
    process.stderr.write(this.#terminal ? `\r\x1b[K${text}` : `${text}\n`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#wanted && this.#terminal) process.stderr.write('\r\x1b[K');
  }
}
