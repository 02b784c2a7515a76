/** A pattern of paths, as CODEOWNERS and .gitattributes have them: segments of a path; `**` stands for any number of them. */
export type Pattern = readonly Segment[];

type Segment = '**' | readonly Part[];

/** What one character of a name may be: that one, any (`?`), any number of any (`*`), or one of some (`[a-z]`). */
type Part = { is: string } | '?' | '*' | { in: readonly (readonly [from: string, to: string])[]; not: boolean };

/**
 * The pattern of an entry: from the root with a slash in front, anywhere without; with a slash at the end all that is below. `*` and `?` stay
 * within a directory, `**` does not. No expression is made of it: matching takes time proportional to the product of both lengths at most.
 */
export function parsePattern(text: string): Pattern {
  const anchored = text.startsWith('/') ? text.slice(1) : `**/${text}`;
  const whole = anchored.endsWith('/') || anchored === '' ? `${anchored}**/*` : anchored;
  return splitAtSlashes(whole).map((segment) => (segment === '**' ? '**' : partsOf(segment)));
}

/** Whether a path without a slash in front matches. */
export function matchesPattern(pattern: Pattern, path: string): boolean {
  const names = path.split('/').map((name) => [...name]);
  // Whether the segments so far match the first n names.
  let reached: boolean[] = [true, ...names.map(() => false)];
  for (const segment of pattern) {
    const next = reached.map(() => false);
    for (let n = 0; n <= names.length; n += 1) {
      if (segment === '**') next[n] = reached[n] === true || (n > 0 && next[n - 1] === true);
      else if (n > 0 && reached[n - 1]) next[n] = matchesName(segment, names[n - 1] ?? []);
    }
    if (!next.includes(true)) return false;
    reached = next;
  }
  return reached[names.length] === true;
}

/** Goes back to the last `*` alone, which is enough: what stands before it has matched as early as it can. */
function matchesName(parts: readonly Part[], name: readonly string[]): boolean {
  let [at, from, star, retry] = [0, 0, -1, 0];
  while (from < name.length) {
    const part = parts[at];
    if (part === '*') [star, retry, at] = [at, from, at + 1];
    else if (part !== undefined && isOf(part, name[from] ?? '')) [at, from] = [at + 1, from + 1];
    else if (star >= 0) {
      retry += 1;
      [at, from] = [star + 1, retry];
    } else return false;
  }
  while (parts[at] === '*') at += 1;
  return at === parts.length;
}

function isOf(part: Part, character: string): boolean {
  if (part === '?' || part === '*') return true;
  if ('is' in part) return part.is === character;
  return part.in.some(([from, to]) => from <= character && character <= to) !== part.not;
}

/** Slashes with a backslash in front separate as well: names cannot have them. */
function splitAtSlashes(text: string): string[] {
  return text.replaceAll('\\/', '/').split(/\/+/);
}

function partsOf(segment: string): Part[] {
  const parts: Part[] = [];
  const all = [...segment];
  for (let at = 0; at < all.length; at += 1) {
    const character = all[at] ?? '';
    const end = character === '[' ? all.indexOf(']', all[at + 1] === '!' || all[at + 1] === '^' ? at + 3 : at + 2) : -1;
    if (character === '\\' && at + 1 < all.length) {
      at += 1;
      parts.push({ is: all[at] ?? '' });
    } else if (character === '?') parts.push('?');
    else if (character === '*') {
      if (parts.at(-1) !== '*') parts.push('*');
    } else if (end > 0) {
      parts.push(classOf(all.slice(at + 1, end)));
      at = end;
    } else parts.push({ is: character });
  }
  return parts;
}

function classOf(characters: readonly string[]): Part {
  const not = characters[0] === '!' || characters[0] === '^';
  const rest = not ? characters.slice(1) : characters;
  const ranges: [string, string][] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const from = rest[at] ?? '';
    const isRange = rest[at + 1] === '-' && at + 2 < rest.length;
    ranges.push([from, isRange ? (rest[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  return { in: ranges, not };
}
