import { encodeName } from '../base/names.ts';

/** Why a path cannot be written. */
export type PathFault = 'empty' | 'traversal' | 'reserved' | 'control' | 'long';

const MAX_PATH_BYTES = 4_096;
const MAX_NAME_BYTES = 255;

/** Characters that some file systems leave out of names, so that `.g\u200cit` would become `.git`. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * The problem with the path of a file to be written; null if it is fine. Refused are empty segments, `.` and `..`,
 * segments that are or could become `.git`, control characters and what no file system holds.
 */
export function pathFault(path: string): PathFault | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them.
  if (/[\x00-\x1f\x7f]/.test(path)) return 'control';
  const segments = path.split('/');
  if (segments.includes('..') || segments.includes('.')) return 'traversal';
  if (segments.includes('')) return 'empty';
  if (segments.some(isReserved)) return 'reserved';
  const long =
    encodeName(path).length > MAX_PATH_BYTES || segments.some((name) => encodeName(name).length > MAX_NAME_BYTES);
  return long ? 'long' : null;
}

/**
 * Whether git, or a file system, could take a name on a path for `.gitmodules` or `.gitattributes`, whose contents git acts
 * upon. True of a few other names as well.
 */
export function isActedUpon(path: string): boolean {
  const names = path.replace(IGNORED, '').split(/[/\\]/);
  return names.some((name) => /^(\.gitm|\.gita|gitmod~|gitatt~|gi7)/i.test(name));
}

/** Names that a file system takes for `.git`: in any case, with trailing dots or spaces, as a short name or a stream. */
function isReserved(name: string): boolean {
  const parts = name.replace(IGNORED, '').split('\\');
  return parts.some((part) => /^(\.git|git~1)[. ]*(:.*)?$/i.test(part));
}
