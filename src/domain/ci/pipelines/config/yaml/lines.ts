/* White space and line ends of YAML, for texts whose line ends are all \n. The end of the text is an empty character. */

export function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

export function isEnd(char: string): boolean {
  return char === '\n' || char === '';
}

export function isBlankOrEnd(char: string): boolean {
  return isBlank(char) || isEnd(char);
}

/** The reading position. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Starts at 0. */
  get column(): number {
    return this.at - this.#lineStart;
  }

  char(ahead = 0): string {
    return this.text.charAt(this.at + ahead);
  }

  /** Moves on by some characters of the line, or past the line end. */
  skip(count = 1): void {
    const isLineEnd = count === 1 && this.char() === '\n';
    this.at += count;
    if (!isLineEnd) return;
    this.line++;
    this.#lineStart = this.at;
  }

  /** Whether a document marker, `---` or `...`, begins here. */
  isAtMark(): boolean {
    if (this.column !== 0) return false;
    const mark = this.text.slice(this.at, this.at + 3);
    return (mark === '---' || mark === '...') && isBlankOrEnd(this.char(3));
  }
}

/** White space within a text, possibly across lines. */
export class Gap {
  #blanks = '';
  #isFolded = false;
  #first = '';
  #more = '';

  /** Whether it contains a line end. */
  get hasLineEnd(): boolean {
    return this.#isFolded;
  }

  /** Drops an escaped line end. */
  escapeLineEnd(): void {
    this.#isFolded = true;
  }

  /** Adds one white space character. */
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

  /** The folded text: a single line end becomes a space, further ones are kept. */
  toString(): string {
    if (!this.#isFolded) return this.#blanks;
    return this.#more === '' && this.#first !== '' ? ' ' : this.#more;
  }
}
