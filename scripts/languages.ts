import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as languages from 'linguist-languages';

/**
 * Makes src/generated/languages.ts: which language a file is written in, by its name or its extension, which of them are not counted, as
 * they are prose or data, and the colours that languages are known by, from the data of Linguist (MIT).
 */
interface Language {
  name: string;
  type: string;
  group?: string;
  color?: string;
  extensions?: readonly string[];
  filenames?: readonly string[];
}

/** Of several languages with the same extension the first of these is meant, if there is one. */
const COMMON = [
  'JavaScript',
  'TypeScript',
  'Python',
  'Java',
  'C',
  'Markdown',
  'SQL',
  'C++',
  'C#',
  'Go',
  'Rust',
  'Ruby',
  'PHP',
  'Shell',
  'HTML',
  'CSS',
  'Kotlin',
  'Swift',
  'Scala',
  'Perl',
  'R',
  'Objective-C',
  'Lua',
  'Dart',
  'Haskell',
  'Elixir',
  'Erlang',
  'Clojure',
  'F#',
  'OCaml',
  'Julia',
  'Groovy',
  'PowerShell',
  'Common Lisp',
  'Emacs Lisp',
  'Scheme',
  'Visual Basic .NET',
  'Verilog',
  'VHDL',
  'Assembly',
  'Fortran',
  'Pascal',
  'MATLAB',
  'D',
  'Nim',
  'PLSQL',
  'TeX',
];

const COUNTED = ['programming', 'markup'];

const all = Object.values(languages as unknown as Record<string, Language>).sort((a, b) => (a.name < b.name ? -1 : 1));
const names = new Map(all.map((language) => [language.name, language]));
const byExtension = chosen((language) => (language.extensions ?? []).map((extension) => extension.toLowerCase()));
const byName = chosen(({ filenames = [] }) => filenames);

/** The language for each key. */
function chosen(keysOf: (language: Language) => readonly string[]): [string, string][] {
  const claims = new Map<string, { language: Language; isFirst: boolean }[]>();
  for (const language of all) {
    for (const [index, key] of keysOf(language).entries())
      claims.set(key, [...(claims.get(key) ?? []), { language, isFirst: index === 0 }]);
  }
  return [...claims].sort().flatMap(([key, claimed]) => {
    const [best] = claimed.sort((a, b) => rank(a) - rank(b));
    return best ? [[key, wholeOf(best.language)]] : [];
  });
}

/** The smaller, the more likely a file is meant to be in the language. */
function rank({ language: { name }, isFirst }: { language: Language; isFirst: boolean }): number {
  const place = COMMON.indexOf(name);
  return (isFirst ? 0 : 1_000) + (place < 0 ? COMMON.length : place);
}

/** A language, or the one that it is a part of; prose and data are no part of another. */
function wholeOf({ name, group, type }: Language): string {
  return COUNTED.includes(type) ? (names.get(group ?? name)?.name ?? name) : name;
}

const known = new Set([...byExtension, ...byName].map(([, name]) => name));
const isCounted = (name: string) => COUNTED.includes(names.get(name)?.type ?? '');
const uncounted = [...known].filter((name) => !isCounted(name)).sort();
const colors = all.flatMap(({ name, color }) => (color && known.has(name) && isCounted(name) ? [[name, color]] : []));

const text = `/** Made by scripts/languages.ts of the data of Linguist. */
export const BY_EXTENSION: ReadonlyMap<string, string> = new Map(${JSON.stringify(byExtension)});
export const BY_NAME: ReadonlyMap<string, string> = new Map(${JSON.stringify(byName)});
/** Prose and data, which are not counted. */
export const UNCOUNTED: ReadonlySet<string> = new Set(${JSON.stringify(uncounted)});
/** What languages are shown in, as \`#rrggbb\`. */
export const COLORS: ReadonlyMap<string, string> = new Map(${JSON.stringify(colors)});
`;
writeFileSync(path.resolve(import.meta.dirname, '../src/generated/languages.ts'), text);
