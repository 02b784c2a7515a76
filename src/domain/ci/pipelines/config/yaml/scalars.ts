import { wrong } from '#src/domain/ci/pipelines/config/yaml/error.ts';
import { type Cursor, Gap, isBlank, isBlankOrEnd, isEnd } from '#src/domain/ci/pipelines/config/yaml/lines.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
/** Number of digits of the numeric escapes. */
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Reads a quoted text, whose continuation lines may have any indentation. */
export function readQuoted(cursor: Cursor): string {
  const begin = { line: cursor.line, column: cursor.column + 1 };
  const quote = cursor.char();
  cursor.skip();
  let text = '';
  for (;;) {
    if (cursor.isAtMark()) throw wrong('A document ends within quotes', begin);
    const gap = new Gap();
    let start = cursor.at;
    for (let char = cursor.char(); !isBlankOrEnd(char); char = cursor.char()) {
      if (char === quote && !(quote === "'" && cursor.char(1) === "'")) {
        text += cursor.text.slice(start, cursor.at);
        cursor.skip();
        return text;
      }
      if (char !== quote && !(char === '\\' && quote === '"')) {
        cursor.skip();
        continue;
      }
      text += cursor.text.slice(start, cursor.at);
      if (char === quote) {
        text += quote;
        cursor.skip(2);
      } else if (cursor.char(1) === '\n') {
        cursor.skip();
        cursor.skip();
        gap.escapeLineEnd();
        start = cursor.at;
        break;
      } else {
        text += readEscape(cursor);
      }
      start = cursor.at;
    }
    text += cursor.text.slice(start, cursor.at);
    if (cursor.char() === '') throw wrong('A quote is not closed', begin);
    takeGap(cursor, gap);
    text += gap;
  }
}

function readEscape(cursor: Cursor): string {
  const name = cursor.char(1);
  const digits = DIGITS[name];
  const place = { line: cursor.line, column: cursor.column + 1 };
  if (digits === undefined) {
    const char = Object.hasOwn(ESCAPES, name) ? ESCAPES[name] : undefined;
    if (char === undefined) throw wrong('An unknown escape', place);
    cursor.skip(2);
    return char;
  }
  const code = cursor.text.slice(cursor.at + 2, cursor.at + 2 + digits);
  const value = /^[0-9a-fA-F]+$/.test(code) && code.length === digits ? Number.parseInt(code, 16) : null;
  if (value === null || value > 0x10ffff) throw wrong('An unknown escape', place);
  cursor.skip(2 + digits);
  return String.fromCodePoint(value);
}

function takeGap(cursor: Cursor, gap: Gap): void {
  for (let char = cursor.char(); isBlank(char) || char === '\n'; char = cursor.char()) {
    gap.add(char);
    cursor.skip();
  }
}

/**
 * Reads an unquoted text.
 *
 * @param indent the minimum column of continuation lines; null within brackets, where any is allowed
 * @returns also whether it was followed by a line end
 */
export function readPlain(cursor: Cursor, indent: number | null): { text: string; endsLine: boolean } {
  const isFlow = indent === null;
  let text = '';
  let gap = new Gap();
  while (cursor.char() !== '#' && !cursor.isAtMark()) {
    const start = cursor.at;
    while (!endsPlain(cursor, isFlow)) cursor.skip();
    if (cursor.at > start) {
      text += gap + cursor.text.slice(start, cursor.at);
      gap = new Gap();
    }
    if (!isBlankOrEnd(cursor.char()) || cursor.char() === '') break;
    takePlainGap(cursor, gap, indent);
    if (indent !== null && cursor.column < indent) break;
  }
  return { text, endsLine: gap.hasLineEnd };
}

function endsPlain(cursor: Cursor, isFlow: boolean): boolean {
  const char = cursor.char();
  if (isBlankOrEnd(char)) return true;
  if (char === ':') return isBlankOrEnd(cursor.char(1)) || (isFlow && isFlowIndicator(cursor.char(1)));
  return isFlow && isFlowIndicator(char);
}

function isFlowIndicator(char: string): boolean {
  return char !== '' && ',[]{}'.includes(char);
}

function takePlainGap(cursor: Cursor, gap: Gap, indent: number | null): void {
  for (let char = cursor.char(); isBlank(char) || char === '\n'; char = cursor.char()) {
    if (char === '\t' && gap.hasLineEnd && indent !== null && cursor.column < indent) {
      throw wrong('A tab cannot indent', { line: cursor.line, column: cursor.column + 1 });
    }
    gap.add(char);
    cursor.skip();
  }
}

/**
 * Reads a block text after `|` or `>`.
 *
 * @param parent the column of its parent, -1 for none
 */
export function readBlock(cursor: Cursor, parent: number): string {
  const isLiteral = cursor.char() === '|';
  cursor.skip();
  const { chomp, indicated } = readHeader(cursor);
  const least = Math.max(parent + 1, 1);
  let indent = indicated === null ? null : Math.max(parent, 0) + indicated;
  let breaks: number;
  [breaks, indent] = takeBreaks(cursor, indent, least);
  let text = '';
  let isAfterBlank = false;
  let last = '';
  while (cursor.column === indent && cursor.char() !== '') {
    const isBlankLine = isBlank(cursor.char());
    if (!isLiteral && last === '\n' && !isAfterBlank && !isBlankLine) text += breaks === 0 ? ' ' : '';
    else text += last;
    text += '\n'.repeat(breaks);
    isAfterBlank = isBlankLine;
    const start = cursor.at;
    while (!isEnd(cursor.char())) cursor.skip();
    text += cursor.text.slice(start, cursor.at);
    last = cursor.char();
    if (last === '\n') cursor.skip();
    [breaks] = takeBreaks(cursor, indent, least);
  }
  if (chomp !== '-') text += last;
  return chomp === '+' ? text + '\n'.repeat(breaks) : text;
}

function readHeader(cursor: Cursor): { chomp: string; indicated: number | null } {
  const start = cursor.at;
  while (/[-+\d]/.test(cursor.char())) cursor.skip();
  const header = cursor.text.slice(start, cursor.at);
  const [, before = '', digit, behind = ''] = /^([+-]?)([1-9]?)([+-]?)$/.exec(header) ?? [];
  if (digit === undefined || (before !== '' && behind !== '')) {
    throw wrong('A wrong header of a block', { line: cursor.line, column: cursor.column + 1 - header.length });
  }
  while (isBlank(cursor.char())) cursor.skip();
  if (cursor.char() === '#') while (!isEnd(cursor.char())) cursor.skip();
  if (!isEnd(cursor.char())) {
    throw wrong('Text behind the header of a block', { line: cursor.line, column: cursor.column + 1 });
  }
  if (cursor.char() === '\n') cursor.skip();
  return { chomp: before + behind, indicated: digit === '' ? null : Number(digit) };
}

/** Skips line ends and the indentation after them; if that is not known yet, the first line with text determines it. */
function takeBreaks(cursor: Cursor, indent: number | null, least: number): [breaks: number, indent: number] {
  let [breaks, widest] = [0, 0];
  for (;;) {
    while ((indent === null || cursor.column < indent) && cursor.char() === ' ') cursor.skip();
    widest = Math.max(widest, cursor.column);
    if (cursor.char() === '\t' && (indent === null || cursor.column < indent)) {
      throw wrong('A tab cannot indent', { line: cursor.line, column: cursor.column + 1 });
    }
    if (cursor.char() !== '\n') break;
    cursor.skip();
    breaks++;
  }
  return [breaks, indent ?? Math.max(widest, least)];
}
