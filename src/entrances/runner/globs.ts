/** A path pattern that cannot be used; the message says why. */
export class BadPattern extends Error {}

/** A pattern, segment by segment; `**` stands for any number of directories. */
export type Pattern = readonly string[];

/** Characters of the longest pattern. */
const MAX_PATTERN_LENGTH = 1_000;

/**
 * Parses a pattern below a directory, such as `out/*.txt`; a path that begins with the directory itself is relative to it. Throws
 * BadPattern if it leads out of the directory.
 */
export function parsePattern(text: string, directory: string): Pattern {
  if (text.length > MAX_PATTERN_LENGTH || text.includes('\0'))
    throw new BadPattern('it is too long, or has odd characters');
  const inner = text.startsWith(`${directory}/`) ? text.slice(directory.length + 1) : text;
  if (inner.startsWith('/')) throw new BadPattern('it leads out of the directory of the project');
  const segments = inner.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw new BadPattern('it leads out of the directory of the project');
  // Two in a row mean the same as one.
  return segments.filter((segment, at) => segment !== '**' || segments[at - 1] !== '**');
}

/**
 * Whether a name matches one segment: `*` is any characters, `?` any single one, `[a-z]` a set. Takes time proportional to the
 * product of both lengths at most.
 */
export function fits(segment: string, name: string): boolean {
  const parts = partsOf(segment);
  let [part, at] = [0, 0];
  let star: { part: number; at: number } | null = null;
  while (at < name.length) {
    const wanted = parts[part];
    if (wanted === '*') {
      star = { part: ++part, at };
    } else if (wanted !== undefined && isOne(wanted, name[at] ?? '')) {
      part++;
      at++;
    } else if (star) {
      // Let the last star match one more character.
      star = { part: star.part, at: star.at + 1 };
      [part, at] = [star.part, star.at];
    } else return false;
  }
  return parts.slice(part).every((left) => left === '*');
}

/** The parts of a segment: single characters, `*`, `?`, and sets in brackets. */
function partsOf(segment: string): string[] {
  return segment.match(/\[[!^]?\]?[^\]]*\]|[\s\S]/g) ?? [];
}

function isOne(part: string, character: string): boolean {
  if (part === '?') return true;
  if (part.length === 1) return part === character;
  const isNegated = /^\[[!^]/.test(part);
  const members = part.slice(isNegated ? 2 : 1, -1);
  let found = false;
  for (let at = 0; at < members.length; at++) {
    const [first = '', dash, last] = members.slice(at, at + 3);
    if (dash === '-' && last !== undefined) {
      found ||= first <= character && character <= last;
      at += 2;
    } else found ||= first === character;
  }
  return found !== isNegated;
}
