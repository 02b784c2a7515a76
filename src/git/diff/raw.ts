import type { Mode, Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { Side } from '../base/side.ts';

/** A line of `git diff-tree --raw`. */
export interface RawLine {
  old: Side | null;
  now: Side | null;
  /** A letter, and of renames how many percent are the same. */
  status: string;
}

/** As many parts as a text can be split into. */
const ALL = 2 ** 32 - 1;

/**
 * Reads the lines of `git diff-tree --raw`, passing over lines of other kinds.
 *
 * @param text in Latin-1
 * @param most how many lines to look at, of all kinds
 */
export function parseRaw(text: string, most = Infinity): RawLine[] {
  const lines = text.split('\n', Math.min(most, ALL));
  return lines.flatMap((line) => (line.startsWith(':') ? [parseLine(line)] : []));
}

/** `:100644 100644 <oid> <oid> R087`, a tab, and one path or two. Cut by position, as there may be thousands. */
function parseLine(line: string): RawLine {
  const tab = line.indexOf('\t');
  const next = line.indexOf('\t', tab + 1);
  const path = unquote(next < 0 ? line.slice(tab + 1) : line.slice(tab + 1, next));
  const newPath = next < 0 ? path : unquote(line.slice(next + 1));
  return {
    old: sideOf(path, line.slice(1, 7), line.slice(15, 55)),
    now: sideOf(newPath, line.slice(8, 14), line.slice(56, 96)),
    status: line.slice(97, tab),
  };
}

function sideOf(path: string, mode: Mode, oid: Oid): Side | null {
  return mode === '000000' ? null : { path, mode, oid };
}

const ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

const NOT_ASCII = /[\x80-\xff]/;

/** The path for what git says of one, in Latin-1: in quotes if it has characters that would break a line. */
function unquote(text: string): string {
  if (!text.startsWith('"') && !NOT_ASCII.test(text)) return text;
  const plain = text.startsWith('"')
    ? text.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
        return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code);
      })
    : text;
  return decodeName(Buffer.from(plain, 'latin1'));
}
