import type { PathPattern } from '../base/search.ts';

/** Whether a path, in lower case, is as the pattern says. Takes time in proportion to their lengths. */
export function matchesPath(path: string, [first, ...rest]: PathPattern): boolean {
  const last = rest.pop();
  if (last === undefined) return path === first.toLowerCase();
  if (!path.startsWith(first.toLowerCase())) return false;
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part.toLowerCase(), at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - at >= last.length && path.endsWith(last.toLowerCase());
}

/** The pattern as git takes it. */
export function pathspec(pattern: PathPattern): string {
  return `:(icase)${pattern.map((part) => part.replace(/[\\*?[]/g, '\\$&')).join('*')}`;
}
