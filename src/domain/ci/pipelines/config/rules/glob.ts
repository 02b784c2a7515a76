import picomatch from 'picomatch';

/** As Ruby's `File.fnmatch` with extended globs: `*` stays within a directory, and names may begin with a dot. */
const OPTIONS = { dot: true, nonegate: true, noextglob: true, posix: true, strictSlashes: true } as const;

/** Characters of the longest pattern. */
const MAX_PATTERN_LENGTH = 1_000;

/** Whether a path has wildcards. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** Whether one of the patterns matches the whole path. */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matcherOf(pattern)(path));
}

const matchers = new Map<string, (path: string) => boolean>();
/** Patterns whose matchers are kept. */
const MAX_CACHED_PATTERNS = 1_000;

function matcherOf(pattern: string): (path: string) => boolean {
  const known = matchers.get(pattern);
  if (known) return known;
  if (matchers.size >= MAX_CACHED_PATTERNS) matchers.clear();
  const made =
    pattern.length > MAX_PATTERN_LENGTH
      ? () => false
      : isGlob(pattern)
        ? picomatch(pattern, OPTIONS)
        : (path: string) => path === pattern;
  matchers.set(pattern, made);
  return made;
}
