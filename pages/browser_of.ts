/** What a browser calls itself, in words: names of programs and systems, which are the same in all languages. */
export interface ShownBrowser {
  program: string | null;
  system: string | null;
}

/** The first that matches counts: browsers name those before them, too. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** The program and the system of a `User-Agent`; null where they are not known. */
export function browserOf(userAgent: string | null): ShownBrowser {
  const named = (names: typeof PROGRAMS) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1] ?? null;
  return { program: named(PROGRAMS), system: named(SYSTEMS) };
}
