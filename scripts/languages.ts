import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as languages from 'linguist-languages';

/**
 * Makes src/generated/languages.ts: which programming language a file is counted for, by its name or its extension, and the colours that
 * languages are known by, from the data of Linguist (MIT). Prose and data are not counted.
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

const all = Object.values(languages as unknown as Record<string, Language>).sort((a, b) => (a.name < b.name ? -1 : 1));
const names = new Map(all.map((language) => [language.name, language]));
const byExtension = chosen((language) => (language.extensions ?? []).map((extension) => extension.toLowerCase()));
const byName = chosen(({ filenames = [] }) => filenames);

/** The language for each key, null for those that are not counted. */
function chosen(keysOf: (language: Language) => readonly string[]): [string, string | null][] {
  const claims = new Map<string, { language: Language; isFirst: boolean }[]>();
  for (const language of all) {
    for (const [index, key] of keysOf(language).entries())
      claims.set(key, [...(claims.get(key) ?? []), { language, isFirst: index === 0 }]);
  }
  return [...claims].sort().map(([key, claimed]) => {
    const [best] = claimed.sort((a, b) => rank(a) - rank(b));
    return [key, best ? counted(best.language) : null];
  });
}

/** The smaller, the more likely a file is meant to be in the language. */
function rank({ language: { name }, isFirst }: { language: Language; isFirst: boolean }): number {
  const place = COMMON.indexOf(name);
  return (isFirst ? 0 : 1_000) + (place < 0 ? COMMON.length : place);
}

function counted({ name, group, type }: Language): string | null {
  const whole = names.get(group ?? name);
  return type === 'programming' || type === 'markup' ? (whole?.name ?? name) : null;
}

const counts = new Set([...byExtension, ...byName].map(([, name]) => name));
const colors = all.flatMap(({ name, color }) => (color && counts.has(name) ? [[name, color]] : []));

const text = `/** Made by scripts/languages.ts of the data of Linguist; null for what is not counted. */
export const BY_EXTENSION: ReadonlyMap<string, string | null> = new Map(${JSON.stringify(byExtension)});
export const BY_NAME: ReadonlyMap<string, string | null> = new Map(${JSON.stringify(byName)});
/** What languages are shown in, as \`#rrggbb\`. */
export const COLORS: ReadonlyMap<string, string> = new Map(${JSON.stringify(colors)});
`;
writeFileSync(path.resolve(import.meta.dirname, '../src/generated/languages.ts'), text);
