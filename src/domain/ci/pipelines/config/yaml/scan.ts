import { type Position, wrong } from '#src/domain/ci/pipelines/config/yaml/error.ts';
import { Cursor, isBlank, isBlankOrEnd, isEnd } from '#src/domain/ci/pipelines/config/yaml/lines.ts';
import { readBlock, readPlain, readQuoted } from '#src/domain/ci/pipelines/config/yaml/scalars.ts';

/** The token types. Those for `block` and `end` follow from indentation alone. */
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
  /** Whether a text is unquoted. */
  isPlain: boolean;
}

/** A position that becomes a key if a colon follows. */
interface PossibleKey extends Position {
  /** Index of its first token. */
  token: number;
  at: number;
  /** Whether it cannot be anything else. */
  isRequired: boolean;
}

/** All control characters except tabs and line ends. */
const CONTROLS = /(?![\t\n\x85])\p{Cc}/u;

/** Characters of the longest key without a question mark. */
const MAX_KEY_LENGTH = 1024;

/**
 * Splits a text into YAML tokens, by the rules of libyaml: within quotes and brackets, lines may have any indentation, and
 * comments may follow any token. Takes time proportional to the length of the text. Throws InvalidConfig.
 */
export function scan(text: string): Token[] {
  return new Scanner(text).scan();
}

class Scanner {
  readonly #cursor: Cursor;
  readonly #tokens: Token[] = [];
  /** The column of the current block, and those of the enclosing blocks. */
  #indent = -1;
  readonly #indents: number[] = [];
  /** One entry per open bracket, after the first one for none. */
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

  /** Skips white space within the line, except tabs in indentation. */
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

  /** Ends a document and all its blocks. */
  #end(type: 'stop' | '---' | '...', length: number): void {
    if (!this.#isFlow) this.#unroll(-1);
    this.#keyIsNone();
    this.#mayBeKey = false;
    this.#push(type);
    this.#cursor.skip(length);
  }

  /** Directives about the version of YAML and tags are ignored. */
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

  /** Begins another list item, or an explicit key. */
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

  /** Records a possible key, which a colon would confirm. */
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

  /** Keys are short, and on the same line as their colon. */
  #forgetStaleKey(): void {
    const key = this.#keys.at(-1);
    if (key && (key.line !== this.#cursor.line || this.#cursor.at - key.at > MAX_KEY_LENGTH)) this.#keyIsNone();
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
