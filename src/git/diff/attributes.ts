import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { matchesPattern, type Pattern, parsePattern } from '#src/base/path_pattern.ts';
import { isLimit } from '../base/errors.ts';
import { EXECUTABLE, FILE, type Oid } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';

/** What `.gitattributes` says of showing the changes of a file; null for what it does not say. */
export interface DiffAttributes {
  /** `linguist-generated`: whether a program writes the file. */
  generated: boolean | null;
  /** `-diff`: whether its changes are not to be shown. */
  suppressed: boolean | null;
}

/** Directories of the changed files, and above, that are looked at for `.gitattributes`. */
const MAX_DIRECTORIES = 500;

/** Bytes of these files together. */
const MAX_BYTES = 256 * 1024;

/** Rules that say something of these attributes. */
const MAX_RULES = 500;

/** Bytes of a line, as of git. */
const MAX_LINE_BYTES = 2_048;

/** After how many files others get their turn. */
const FILES_PER_YIELD = 100;

const NAME = '.gitattributes';

/** The state of an attribute: set, unset, unspecified, or a value. */
type State = true | false | null | string;

interface Rule {
  /** With a slash at the end; empty for the root. */
  directory: string;
  pattern: Pattern;
  states: readonly (readonly [name: string, state: State])[];
}

/** What attributes stand for that are no more than names of others. */
type Macros = Map<string, Rule['states']>;

/**
 * What the files `.gitattributes` of a commit say of its paths: those of their directories and all above, as git reads them, within
 * limits beyond which they say nothing.
 */
export async function diffAttributes(
  reader: RepositoryReader,
  commit: Oid,
  paths: readonly string[],
): Promise<Map<string, DiffAttributes>> {
  const macros: Macros = new Map([['binary', [['diff', false] as const]]]);
  const rules = await rulesOf(reader, commit, paths, macros);
  const found = new Map<string, DiffAttributes>();
  if (rules.length === 0) return found;
  for (const [at, path] of paths.entries()) {
    if (at % FILES_PER_YIELD === 0) await yieldToEventLoop();
    found.set(path, attributesAt(rules, macros, path));
  }
  return found;
}

/** The rules of all directories, those of the root first. */
async function rulesOf(
  reader: RepositoryReader,
  commit: Oid,
  paths: readonly string[],
  macros: Macros,
): Promise<Rule[]> {
  const rules: Rule[] = [];
  let left = MAX_BYTES;
  for (const directory of directoriesOf(paths)) {
    const entry = await reader.entry(commit, directory + NAME);
    // Git does not follow links there.
    if (entry === null || ![FILE, EXECUTABLE].includes(entry.mode)) continue;
    const content = await reader.blob(entry.oid, left).catch((error) => {
      if (isLimit(error, 'size')) return null;
      throw error;
    });
    if (content === null) continue;
    left -= content.length;
    rules.push(...parseAttributes(content.toString('utf8'), directory, macros));
    if (rules.length > MAX_RULES) return [];
  }
  return rules;
}

/** The directories of these paths and all above them, with a slash at the end, those above first; the root is empty. */
function directoriesOf(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end + 1);
      if (found.has(directory)) break;
      found.add(directory);
      if (end <= 0) break;
    }
  }
  const depth = (directory: string) => directory.split('/').length;
  return [...found].sort((one, other) => depth(one) - depth(other)).slice(0, MAX_DIRECTORIES);
}

/** The rules of a file that are about showing changes; the macros of the root become known. */
export function parseAttributes(text: string, directory: string, macros: Macros): Rule[] {
  return text.split('\n').flatMap((line): Rule[] => {
    if (Buffer.byteLength(line) > MAX_LINE_BYTES) return [];
    const [, quoted, plain, rest = ''] = /^[ \t\r]*(?:("(?:[^"\\]|\\.)*")|([^\s"#][^\s]*))(.*)$/s.exec(line) ?? [];
    const pattern = quoted === undefined ? plain : unquoted(quoted);
    // Patterns that begin so are none that git takes.
    if (pattern === undefined || pattern.startsWith('!')) return [];
    const states = statesIn(rest);
    if (pattern.startsWith('[attr]')) {
      if (directory === '') macros.set(pattern.slice('[attr]'.length), states);
      return [];
    }
    // Nothing that is a directory has attributes.
    if (pattern.endsWith('/') || !states.some(([name]) => isKnown(name, macros))) return [];
    return [{ directory, pattern: compiled(pattern), states }];
  });
}

function isKnown(name: string, macros: Macros): boolean {
  return name === 'diff' || name === 'linguist-generated' || macros.has(name);
}

/** With a slash the pattern is of the path below its directory, without one of the name. What ends with `/**` is what lies within. */
function compiled(pattern: string): Pattern {
  const within = pattern.replace(/\/\*\*$/, '/**/*');
  return parsePattern(within.includes('/') && !within.startsWith('/') ? `/${within}` : within);
}

function statesIn(text: string): Rule['states'] {
  return text
    .split(/[ \t\r]+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (word.startsWith('-')) return [word.slice(1), false] as const;
      if (word.startsWith('!')) return [word.slice(1), null] as const;
      const at = word.indexOf('=');
      return at < 0 ? ([word, true] as const) : ([word.slice(0, at), word.slice(at + 1)] as const);
    });
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A pattern in quotes as C has them. */
function unquoted(text: string): string {
  const bytes = text.slice(1, -1).replace(/\\([0-3][0-7]{2}|.)/g, (_all, escaped: string) => {
    if (/^[0-3][0-7]{2}$/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8));
    return ESCAPES[escaped] ?? escaped;
  });
  const isBytes = /^[\0-\xff]*$/.test(bytes) && /\\[0-3][0-7]{2}/.test(text);
  return isBytes ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}

/** What is said last holds, and what is said in a directory below. */
function attributesAt(rules: readonly Rule[], macros: Macros, path: string): DiffAttributes {
  const known = new Map<string, State>();
  const take = (states: Rule['states']) => {
    for (const [name, state] of states.toReversed()) {
      if (known.has(name)) continue;
      known.set(name, state);
      const macro = state === true ? macros.get(name) : undefined;
      if (macro) take(macro);
    }
  };
  for (const { directory, pattern, states } of rules.toReversed()) {
    if (path.startsWith(directory) && matchesPattern(pattern, path.slice(directory.length))) take(states);
  }
  const diff = known.get('diff') ?? null;
  return { generated: booleanOf(known.get('linguist-generated')), suppressed: diff === null ? null : diff === false };
}

function booleanOf(state: State | undefined): boolean | null {
  if (state === undefined || state === null) return null;
  return typeof state === 'string' ? state !== 'false' : state;
}
