/** Milliseconds between two lines: on a terminal each takes the place of the one before. */
const PACE = { terminal: 200, file: 5_000 };

/** Shows on the standard error what is being done: on a terminal, or where it is wanted. */
export class Progress {
  readonly #terminal = process.stderr.isTTY === true;
  readonly #wanted: boolean;
  #last = -Infinity;

  constructor(wanted: boolean) {
    this.#wanted = wanted || this.#terminal;
  }

  show(text: string): void {
    const now = performance.now();
    if (!this.#wanted || now - this.#last < (this.#terminal ? PACE.terminal : PACE.file)) return;
    this.#last = now;
    process.stderr.write(this.#terminal ? `\r\x1b[K${text}` : `${text}\n`);
  }

  /** Leaves the line to others. */
  end(): void {
    if (this.#wanted && this.#terminal) process.stderr.write('\r\x1b[K');
  }
}
