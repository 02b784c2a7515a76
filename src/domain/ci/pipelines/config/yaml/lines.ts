/* White space and line ends of YAML, in texts whose line ends are all \n. The end of the text is an empty character. */

export function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

export function isEnd(char: string): boolean {
  return char === '\n' || char === '';
}

export function isBlankOrEnd(char: string): boolean {
  return isBlank(char) || isEnd(char);
}

/** Where the text is being read. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Counts from 0. */
  get column(): number {
    return this.at - this.#lineStart;
  }

  char(ahead = 0): string {
    return this.text.charAt(this.at + ahead);
  }

  /** Goes on by some characters of the line, or by the one that ends it. */
  skip(count = 1): void {
    const isLineEnd = count === 1 && this.char() === '\n';
    this.at += count;
    if (!isLineEnd) return;
    this.line++;
    this.#lineStart = this.at;
  }

  /** Whether `---` or `...` begins here, which separate documents. */
  isAtMark(): boolean {
    if (this.column !== 0) return false;
    const mark = this.text.slice(this.at, this.at + 3);
    return (mark === '---' || mark === '...') && isBlankOrEnd(this.char(3));
  }
}

/** White space within a text, which may go over lines. */
export class Gap {
  #blanks = '';
  #isFolded = false;
  #first = '';
  #more = '';

  /** Whether it has a line end. */
  get hasLineEnd(): boolean {
    return this.#isFolded;
  }

  /** A line end that an escape has taken away. */
  escapeLineEnd(): void {
    this.#isFolded = true;
  }

  /** Takes one character of white space. */
  add(char: string): void {
    if (char !== '\n') {
      if (!this.#isFolded) this.#blanks += char;
    } else if (this.#isFolded) {
      this.#more += '\n';
    } else {
      this.#isFolded = true;
      this.#first = '\n';
    }
  }

  /** What it means: one line end is a space, others are kept. */
  toString(): string {
    if (!this.#isFolded) return this.#blanks;
    return this.#more === '' && this.#first !== '' ? ' ' : this.#more;
  }
}
