import { type Position, wrong } from '#src/domain/ci/pipelines/config/yaml/error.ts';
import { Cursor, isBlank, isBlankOrEnd, isEnd } from '#src/domain/ci/pipelines/config/yaml/lines.ts';
import { readBlock, readPlain, readQuoted } from '#src/domain/ci/pipelines/config/yaml/scalars.ts';

/** The parts of the text. Those of `block` and `end` are seen by indentation alone. */
export type TokenType =
  | '---'
  | '...'
  | 'block ['
  | 'block {'
  | 'end'
  | '['
  | ']'
  | '{'
  | '}'
  | '-'
  | ','
  | '?'
  | ':'
  | '*'
  | '&'
  | '!'
  | 'text'
  | 'stop';

export interface Token extends Position {
  type: TokenType;
  /** The text, the name of an anchor, or the whole tag. */
  value: string;
  /** Whether a text stands without quotes. */
  isPlain: boolean;
}

/** What may turn out to be a key, when a colon follows. */
interface PossibleKey extends Position {
  /** Number of its first token. */
  token: number;
  at: number;
  /** Whether it can be nothing else. */
  isRequired: boolean;
}

/** All but tabs and line ends. */
const CONTROLS = /(?![\t\n\x85])\p{Cc}/u;

/** Characters of the longest key that has no question mark. */
const LONGEST_KEY = 1024;

/**
 * Splits a text into the tokens of YAML, by the rules of libyaml: within quotes and brackets, lines may begin in any column, and
 * whatever ends a token may be followed by a comment. Takes time by the length of the text. Throws InvalidConfig.
 */
export function scan(text: string): Token[] {
  return new Scanner(text).scan();
}

class Scanner {
  readonly #cursor: Cursor;
  readonly #tokens: Token[] = [];
  /** The column of the innermost block, and those of the blocks around it. */
  #indent = -1;
  readonly #indents: number[] = [];
  /** For each open bracket, beside the first for none. */
  readonly #keys: (PossibleKey | null)[] = [null];
  #mayBeKey = true;

  constructor(text: string) {
    this.#cursor = new Cursor(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'));
  }

  scan(): Token[] {
    const cursor = this.#cursor;
    this.#refuseControls();
    do {
      this.#skipToToken();
      this.#forgetStaleKey();
      if (!this.#isFlow) this.#unroll(cursor.column);
      this.#scanToken();
    } while (this.#tokens.at(-1)?.type !== 'stop');
    return this.#tokens;
  }

  #refuseControls(): void {
    const { text } = this.#cursor;
    const at = text.search(CONTROLS);
    if (at < 0) return;
    const lines = text.slice(0, at).split('\n');
    throw wrong('A control character', { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 });
  }

  get #isFlow(): boolean {
    return this.#keys.length > 1;
  }

  get #place(): Position {
    return { line: this.#cursor.line, column: this.#cursor.column + 1 };
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      this.#skipBlanks();
      if (cursor.char() === '#') while (!isEnd(cursor.char())) cursor.skip();
      if (cursor.char() !== '\n') return;
      cursor.skip();
      if (!this.#isFlow) this.#mayBeKey = true;
    }
  }

  /** Takes white space of the line; tabs are none where they would indent. */
  #skipBlanks(): void {
    const cursor = this.#cursor;
    const mayIndent = !this.#isFlow && this.#mayBeKey;
    const { text, at } = cursor;
    let end = at;
    while (isBlank(text.charAt(end))) end++;
    const tab =
      mayIndent && !isEnd(text.charAt(end)) && text.charAt(end) !== '#' ? text.slice(at, end).indexOf('\t') : -1;
    cursor.skip(tab < 0 ? end - at : tab);
  }

  #scanToken(): void {
    const cursor = this.#cursor;
    const char = cursor.char();
    const isAlone = isBlankOrEnd(cursor.char(1));
    if (char === '') this.#end('stop', 0);
    else if (cursor.isAtMark()) this.#end(char === '-' ? '---' : '...', 3);
    else if (char === '%' && cursor.column === 0) this.#directive();
    else if (char === '[' || char === '{') this.#open(char);
    else if (char === ']' || char === '}') this.#close(char);
    else if (char === ',' || ((char === '-' || char === '?') && isAlone)) this.#entry(char);
    else if (char === ':' && (isAlone || this.#isFlow)) this.#value();
    else if (char === '*' || char === '&') this.#named(char);
    else if (char === '!') this.#tag();
    else if ((char === '|' || char === '>') && !this.#isFlow) this.#block();
    else if (char === '"' || char === "'") this.#quoted();
    else if (isBlank(char)) throw wrong('A tab cannot indent', this.#place);
    else if ('|>%@`'.includes(char)) throw wrong(`Nothing begins with ${char}`, this.#place);
    else this.#plain();
  }

  /** The end of a document, and of all blocks. */
  #end(type: 'stop' | '---' | '...', length: number): void {
    if (!this.#isFlow) this.#unroll(-1);
    this.#keyIsNone();
    this.#mayBeKey = false;
    this.#push(type);
    this.#cursor.skip(length);
  }

  /** Which version of YAML a document has, and what its tags mean, is of no interest. */
  #directive(): void {
    if (!this.#isFlow) this.#unroll(-1);
    this.#keyIsNone();
    while (!isEnd(this.#cursor.char())) this.#cursor.skip();
  }

  #open(type: '[' | '{'): void {
    this.#saveKey();
    this.#push(type);
    this.#keys.push(null);
    this.#mayBeKey = true;
    this.#cursor.skip();
  }

  #close(type: ']' | '}'): void {
    this.#keyIsNone();
    if (this.#isFlow) this.#keys.pop();
    this.#mayBeKey = false;
    this.#push(type);
    this.#cursor.skip();
  }

  /** One more of a list, or a key that is said to be one. */
  #entry(type: '-' | ',' | '?'): void {
    if (!this.#isFlow && type !== ',') {
      if (!this.#mayBeKey) throw wrong(`A ${type === '-' ? 'list' : 'key'} cannot begin here`, this.#place);
      this.#roll(this.#cursor.column, type === '-' ? 'block [' : 'block {', this.#tokens.length);
    }
    this.#keyIsNone();
    this.#mayBeKey = type !== '?' || !this.#isFlow;
    this.#push(type);
    this.#cursor.skip();
  }

  #value(): void {
    const key = this.#keys.at(-1);
    if (key) {
      this.#tokens.splice(key.token, 0, this.#token('?', '', false, key));
      this.#roll(key.column - 1, 'block {', key.token, key);
      this.#keys[this.#keys.length - 1] = null;
      this.#mayBeKey = false;
    } else {
      if (!this.#isFlow) {
        if (!this.#mayBeKey) throw wrong('The value of a key cannot begin here', this.#place);
        this.#roll(this.#cursor.column, 'block {', this.#tokens.length);
      }
      this.#mayBeKey = !this.#isFlow;
    }
    this.#push(':');
    this.#cursor.skip();
  }

  #named(type: '*' | '&'): void {
    this.#saveKey();
    const place = this.#place;
    this.#cursor.skip();
    const name = this.#word(/[^\s,[\]{}:]/);
    if (name === '') throw wrong(`A name is missing behind ${type}`, place);
    this.#mayBeKey = false;
    this.#push(type, name, false, place);
  }

  #tag(): void {
    this.#saveKey();
    const place = this.#place;
    const tag = this.#cursor.char(1) === '<' ? this.#word(/[^\s>]/) + this.#word(/>/) : this.#word(/[^\s,[\]{}]/);
    this.#mayBeKey = false;
    this.#push('!', tag, false, place);
  }

  #word(char: RegExp): string {
    const start = this.#cursor.at;
    while (char.test(this.#cursor.char())) this.#cursor.skip();
    return this.#cursor.text.slice(start, this.#cursor.at);
  }

  #block(): void {
    this.#keyIsNone();
    const place = this.#place;
    this.#mayBeKey = true;
    this.#push('text', readBlock(this.#cursor, this.#indent), false, place);
  }

  #quoted(): void {
    this.#saveKey();
    const place = this.#place;
    this.#mayBeKey = false;
    this.#push('text', readQuoted(this.#cursor), false, place);
  }

  #plain(): void {
    this.#saveKey();
    const place = this.#place;
    const { text, endsLine } = readPlain(this.#cursor, this.#isFlow ? null : this.#indent + 1);
    this.#mayBeKey = endsLine;
    this.#push('text', text, true, place);
  }

  #push(type: TokenType, value = '', isPlain = false, place = this.#place): void {
    this.#tokens.push(this.#token(type, value, isPlain, place));
  }

  #token(type: TokenType, value: string, isPlain: boolean, { line, column }: Position): Token {
    return { type, value, isPlain, line, column };
  }

  /** Here may be a key: a colon will tell. */
  #saveKey(): void {
    if (!this.#mayBeKey) return;
    this.#keyIsNone();
    const { at, column } = this.#cursor;
    const isRequired = !this.#isFlow && this.#indent === column;
    this.#keys[this.#keys.length - 1] = { ...this.#place, token: this.#tokens.length, at, isRequired };
  }

  #keyIsNone(): void {
    const key = this.#keys.at(-1);
    if (key?.isRequired) throw wrong('A colon is missing behind the key', key);
    this.#keys[this.#keys.length - 1] = null;
  }

  /** Keys are short, and stand in the line of their colon. */
  #forgetStaleKey(): void {
    const key = this.#keys.at(-1);
    if (key && (key.line !== this.#cursor.line || this.#cursor.at - key.at > LONGEST_KEY)) this.#keyIsNone();
  }

  #roll(column: number, type: 'block [' | 'block {', token: number, place = this.#place): void {
    if (this.#isFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#tokens.splice(token, 0, this.#token(type, '', false, place));
  }

  #unroll(column: number): void {
    while (this.#indent > column) {
      this.#push('end');
      this.#indent = this.#indents.pop() ?? -1;
    }
  }
}
