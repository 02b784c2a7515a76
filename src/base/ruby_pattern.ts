/** A Ruby pattern translated to JavaScript. */
export interface Translated {
  source: string;
  flags: string;
  /** Names of the original capturing groups, in order; atomic groups need additional ones. */
  groups: string[];
}

/** Options that can be switched within a pattern, under the letters of JavaScript. */
interface Options {
  /** Whether case is ignored. */
  i: boolean;
  /** Whether a dot matches line ends. */
  s: boolean;
  /** Whether white space and comments are ignored. */
  x: boolean;
}

/** A group being translated. */
interface Frame {
  /** Its translation so far. */
  pieces: string[];
  /** Index of the piece that a quantifier would apply to; -1 for none. */
  atom: number;
  open: string;
  close: string;
  options: Options;
}

/** Characters of the longest pattern. */
const MAX_PATTERN_LENGTH = 4096;

/** Maximum nesting of groups. */
const MAX_GROUP_DEPTH = 100;

/** First and last ASCII letter in each case. */
const LETTERS = [
  ['a', 'z'],
  ['A', 'Z'],
] as const;

const HEX = '0-9a-fA-F';
/** All characters except hexadecimal digits, for use in brackets. */
const NOT_HEX = '\\0-\\x2f\\x3a-\\x40\\x47-\\x60\\x67-\\uffff';

/** Escapes that differ, or have no meaning, in JavaScript. `^` and `$` match at every line. */
const ESCAPES: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
  Z: '(?=\\n?(?![\\s\\S]))',
  h: `[${HEX}]`,
  H: `[^${HEX}]`,
  R: '(?:\\r\\n|[\\n-\\r\\x85\\u2028\\u2029])',
  a: '\\x07',
  e: '\\x1b',
};
const ESCAPES_IN_BRACKETS: Readonly<Record<string, string>> = { h: HEX, H: NOT_HEX, a: '\\x07', e: '\\x1b' };

/** `[[:digit:]]`: ASCII characters. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\0-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: HEX,
};

/**
 * Translates a Ruby pattern to JavaScript: inline options (`(?i)`, `(?mi-x:…)`), atomic groups, possessive quantifiers, comments,
 * `\h`, `\A`, `\z`, POSIX classes. Takes time, and returns a text, proportional to the length of the pattern. Null for
 * unsupported syntax; the result may still be invalid.
 *
 * @param flags of `imx`
 */
export function translatePattern(body: string, flags: string): Translated | null {
  if (body.length > MAX_PATTERN_LENGTH) return null;
  // Options at the start apply to the whole pattern.
  const [leading = '', options = ''] = /^\(\?([imx]+)\)/.exec(body) ?? [];
  const all = flags + options;
  const rest = body.slice(leading.length);
  return new Translation(rest, { i: all.includes('i'), s: all.includes('m'), x: all.includes('x') }).translate();
}

/** The character in the other case; empty if there is none of one code unit. */
function otherCase(char: string): string {
  const other = char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase();
  return other.length === 1 && other !== char ? other : '';
}

/** The ASCII letters of a range in the other case, as ranges. */
function otherCases(from: string, to: string): string {
  let ranges = '';
  for (const [first, last] of LETTERS) {
    const start = from > first ? from : first;
    const end = to < last ? to : last;
    if (start <= end) ranges += `${otherCase(start)}-${otherCase(end)}`;
  }
  return ranges;
}

class Translation {
  readonly #body: string;
  #at = 0;
  readonly #frames: Frame[];
  /** Number of atomic groups so far. */
  #atomic = 0;
  /** Names of the translated groups, and the mapping from their original names. */
  readonly #groups: string[] = [];
  readonly #names = new Map<string, string>();
  /** With named groups, unnamed ones do not capture. */
  readonly #hasNames: boolean;
  /**
   * Whether case is an option of parts of the pattern, so that letters are written in both cases. JavaScript's modifiers
   * (`(?i:…)`) are newer than the oldest supported release of Node.
   */
  readonly #spellsCases: boolean;

  constructor(body: string, options: Options) {
    this.#body = body;
    this.#frames = [{ pieces: [], atom: -1, open: '', close: '', options }];
    this.#hasNames = /(?:^|[^\\])\(\?<[A-Za-z_]/.test(body);
    this.#spellsCases = /\(\?[mx-]{0,3}i/.test(body);
  }

  translate(): Translated | null {
    const first = this.#frame;
    const flags = first.options.i && !this.#spellsCases ? 'i' : '';
    while (this.#at < this.#body.length) {
      if (!this.#step()) return null;
    }
    // Options without a group of their own apply until the end of the enclosing group.
    while (this.#frame.close === '') {
      if (this.#frame === first) return { source: first.pieces.join(''), flags, groups: this.#groups };
      this.#end();
    }
    return null;
  }

  get #frame(): Frame {
    const frame = this.#frames.at(-1);
    if (!frame) throw new Error('A pattern has always a frame');
    return frame;
  }

  #step(): boolean {
    const char = this.#body.charAt(this.#at);
    if (char === '\\') return this.#escape();
    if (char === '[') return this.#brackets();
    if (char === '(') return this.#open();
    if (char === ')') return this.#close();
    if ('*+?{'.includes(char) && this.#quantifier()) return true;
    if (this.#frame.options.x && /\s/.test(char)) return this.#skip(1);
    if (this.#frame.options.x && char === '#') {
      const end = this.#body.indexOf('\n', this.#at);
      return this.#skip((end < 0 ? this.#body.length : end) - this.#at);
    }
    this.#at++;
    if (char === '|' || char === '^' || char === '$') this.#write(char, false);
    else if (char === '.') this.#write(this.#frame.options.s ? '[\\s\\S]' : '[^\\n]');
    else this.#write(this.#namesBothCases && otherCase(char) ? `[${char}${otherCase(char)}]` : char);
    return true;
  }

  get #namesBothCases(): boolean {
    return this.#spellsCases && this.#frame.options.i;
  }

  #skip(length: number): true {
    this.#at += length;
    return true;
  }

  #write(piece: string, isAtom = true): void {
    const { pieces } = this.#frame;
    this.#frame.atom = isAtom ? pieces.length : -1;
    pieces.push(piece);
  }

  #escape(): boolean {
    const name = this.#body.charAt(this.#at + 1);
    if (name === '') return false;
    const [number] = /^[1-9]\d?/.exec(this.#body.slice(this.#at + 1, this.#at + 3)) ?? [];
    if (number !== undefined) {
      this.#refer(this.#groups[Number(number) - 1]);
      return this.#skip(1 + number.length);
    }
    const [reference, to = ''] = /^\\k<(\w{1,100})>/.exec(this.#body.slice(this.#at, this.#at + 110)) ?? [];
    if (reference !== undefined) {
      this.#refer(this.#names.get(to));
      return this.#skip(reference.length);
    }
    const known = Object.hasOwn(ESCAPES, name) ? ESCAPES[name] : undefined;
    this.#write(known ?? `\\${name}`);
    return this.#skip(2);
  }

  /** Only earlier groups can be referenced. */
  #refer(group: string | undefined): void {
    this.#write(group === undefined ? '(?!)' : `\\k<${group}>`);
  }

  #brackets(): boolean {
    let at = this.#at + 1;
    let text = '[';
    if (this.#body[at] === '^') {
      text += '^';
      at++;
    }
    for (let isFirst = true; this.#body[at] !== ']' || isFirst; isFirst = false) {
      const char = this.#body.charAt(at);
      const next = this.#body.charAt(at + 1);
      const [named, not, name = ''] =
        char === '[' ? (/^\[:(\^?)([a-z]{1,6}):\]/.exec(this.#body.slice(at, at + 12)) ?? []) : [];
      if (char === '' || (char === '\\' && next === '')) return false;
      if (named !== undefined) {
        if (not !== '' || !Object.hasOwn(CLASSES, name)) return false;
        text += CLASSES[this.#namesBothCases && (name === 'lower' || name === 'upper') ? 'alpha' : name];
        at += named.length;
      } else if (char === '\\') {
        text += (Object.hasOwn(ESCAPES_IN_BRACKETS, next) ? ESCAPES_IN_BRACKETS[next] : undefined) ?? `\\${next}`;
        at += 2;
      } else {
        const [piece = '', from = piece, to = piece] =
          /^([^[\]\\])-([^[\]\\])|^./s.exec(this.#body.slice(at, at + 3)) ?? [];
        text += piece === ']' || piece === '[' ? `\\${piece}` : piece;
        if (this.#namesBothCases) text += from === to ? otherCase(from) : otherCases(from, to);
        at += piece.length;
      }
    }
    this.#at = at + 1;
    this.#write(`${text}]`);
    return true;
  }

  #open(): boolean {
    if (this.#frames.length > MAX_GROUP_DEPTH) return false;
    const rest = this.#body.slice(this.#at, this.#at + 110);
    if (rest.startsWith('(?#')) {
      const end = this.#body.indexOf(')', this.#at);
      return end >= 0 && this.#skip(end + 1 - this.#at);
    }
    const [options, on, off = '', end] = /^\(\?([imx]*)(?:-([imx]*))?([:)])/.exec(rest) ?? [];
    if (options !== undefined) return this.#options(on ?? '', off, end === ':', options.length);
    const [start = '('] = /^\((?:\?(?:<[A-Za-z_]\w{0,99}>|<?[=!]|>))?/.exec(rest) ?? [];
    this.#at += start.length;
    if (start === '(?>') {
      const name = this.#nameAtomic();
      this.#begin(`(?:(?=(?<${name}>`, `))\\k<${name}>)`);
    } else if (start === '(' && this.#body[this.#at] === '?') {
      return false;
    } else if (start === '(' && this.#hasNames) {
      this.#begin('(?:', ')');
    } else {
      const isLook = /^\(\?<?[=!]$/.test(start);
      this.#begin(isLook ? start : `(?<${this.#nameGroup(start.slice(3, -1))}>`, ')');
    }
    return true;
  }

  #nameAtomic(): string {
    this.#atomic++;
    return `atomic${this.#atomic}`;
  }

  #nameGroup(known: string): string {
    const name = `group${this.#groups.length + 1}`;
    this.#groups.push(name);
    if (known !== '') this.#names.set(known, name);
    return name;
  }

  #begin(open: string, close: string, options = this.#frame.options): void {
    this.#frames.push({ pieces: [], atom: -1, open, close, options });
  }

  /** Options for a group or, without a colon, for the rest of the enclosing group. */
  #options(on: string, off: string, isGroup: boolean, length: number): boolean {
    if (!isGroup && this.#frames.length > MAX_GROUP_DEPTH) return false;
    const before = this.#frame.options;
    const after = {
      i: (before.i || on.includes('i')) && !off.includes('i'),
      s: (before.s || on.includes('m')) && !off.includes('m'),
      x: (before.x || on.includes('x')) && !off.includes('x'),
    };
    this.#at += length;
    this.#begin('(?:', isGroup ? ')' : '', after);
    return true;
  }

  #close(): boolean {
    while (this.#frame.close === '') {
      if (this.#frames.length === 1) return false;
      this.#end();
    }
    this.#end();
    return this.#skip(1);
  }

  /** Appends the group to the enclosing one. */
  #end(): void {
    const frame = this.#frame;
    this.#frames.pop();
    this.#write(`${frame.open}${frame.pieces.join('')}${frame.close || ')'}`);
  }

  /** Whether there is a quantifier here, and something that it applies to. */
  #quantifier(): boolean {
    const frame = this.#frame;
    const rest = this.#body.slice(this.#at, this.#at + 24);
    const [whole, quantifier = ''] = /^([*+?]|\{\d{0,9}(?:,\d{0,9})?\})/.exec(rest) ?? [];
    if (whole === undefined || frame.atom < 0 || /^\{,?\}$/.test(quantifier)) return false;
    const mark = rest.charAt(quantifier.length);
    const isPossessive = mark === '+' && !quantifier.startsWith('{');
    const isLazy = mark === '?';
    const text = `${quantifier.startsWith('{,') ? `{0${quantifier.slice(1)}` : quantifier}${isLazy ? '?' : ''}`;
    const atom = frame.pieces.splice(frame.atom).join('');
    this.#at += quantifier.length + (isLazy || isPossessive ? 1 : 0);
    if (isPossessive) {
      const name = this.#nameAtomic();
      this.#write(`(?:(?=(?<${name}>${atom}${text}))\\k<${name}>)`);
    } else {
      // In a group of its own if another quantifier follows.
      this.#write('*+{'.includes(this.#body.charAt(this.#at) || ' ') ? `(?:${atom}${text})` : `${atom}${text}`);
    }
    return true;
  }
}

/** The source, flags and group names of a Ruby pattern between slashes, translated to JavaScript. Null if it is invalid. */
export function patternParts(text: string): Translated | null {
  const match = /^\/(.+)\/([imx]*)$/s.exec(text);
  if (!match) return null;
  const [, body = '', flags = ''] = match;
  return translatePattern(body, flags);
}
