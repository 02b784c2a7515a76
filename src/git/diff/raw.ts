import type { Mode } from '../model.ts';
import { decodeName } from '../names.ts';
import type { Side } from './side.ts';

/** A line of `git diff-tree --raw`. */
export interface RawLine {
  old: Side | null;
  now: Side | null;
  /** A letter, and of renames how many percent are the same. */
  status: string;
}

/** `100644 100644 <oid> <oid> R087`, a tab, and one path or two; in Latin-1. */
export function parseRaw(line: string): RawLine {
  const [facts = '', ...paths] = line.split('\t');
  const [oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = facts.split(' ');
  const [path = '', newPath = path] = paths.map(unquote);
  const side = (mode: Mode, oid: string, at: string): Side | null =>
    mode === '000000' ? null : { path: at, mode, oid };
  return { old: side(oldMode, oldOid, path), now: side(newMode, newOid, newPath), status };
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
