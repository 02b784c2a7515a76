/** Parameters of a path by name, or null where the path is another one. */
export type Match = (path: string) => Record<string, string> | null;

/** One segment of a path, which is not the `-` that separates a place from what belongs to it. */
const SEGMENT = '(?!-(?:/|$))[^/]+';

/** Parameters that are full paths of projects and groups. No user or group is named `groups`, which their own pages begin with. */
const PLACES: Record<string, string> = {
  project: `(?!groups/)${SEGMENT}(?:/${SEGMENT})+`,
  group: `${SEGMENT}(?:/${SEGMENT})*`,
};

/** Characters of the longest path that is compared with the rows. */
const MAX_PATH_LENGTH = 8_192;

/** Compiles the path of a row (`engine/row.ts`). */
export function matcher(pattern: string): Match {
  const names: string[] = [];
  const expression = pattern
    .split(/([:*]\w+)/)
    .map((part) => {
      const [, kind, name] = /^([:*])(\w+)$/.exec(part) ?? [];
      if (name === undefined) return part.replace(/[.+]/g, '\\$&');
      names.push(name);
      return `(${kind === '*' ? '.+' : (PLACES[name] ?? '[^/]+')})`;
    })
    .join('');
  const whole = new RegExp(`^${expression}/?$`);
  return (path) => {
    const found = path.length > MAX_PATH_LENGTH ? null : whole.exec(path);
    if (!found) return null;
    try {
      return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]));
    } catch {
      // A broken escape.
      return null;
    }
  };
}
