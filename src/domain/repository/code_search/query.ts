import { definitionOf } from '#src/domain/repository/code_search/definition.ts';
import { BY_EXTENSION } from '#src/generated/languages.ts';
import type { PathPattern, SearchTerm } from '#src/git/base/search.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** What searches in code look for. */
export interface CodeQuery {
  /** All of them are in the text of a file, or in its path. */
  has: SearchTerm[];
  /** None of them is in its text. */
  lacks: SearchTerm[];
  /** Patterns that its path matches, all of them, and none of these. */
  paths: PathPattern[];
  notPaths: PathPattern[];
  /** Its language is one of these, in lower case, and none of those. */
  languages: string[];
  notLanguages: string[];
}

/** Terms and filters of a query, and characters of a regular expression. */
const MAX_TERMS = 10;
const MAX_REGEX_LENGTH = 200;

const TERM =
  /(-?)(?:(path|file|filename|extension|lang|language|symbol):)?(?:"((?:[^"\\]|\\.)*)"|\/((?:[^/\\]|\\.)+)\/(?=\s|$)|(\S+))/g;

/** What a regular expression must not have: references to what it has found, which take any time, and more than 99 repetitions. */
const BACK_REFERENCE = /(?<!\\)(?:\\\\)*\\[1-9]/;
const REPETITIONS = /\{\d{3,}|\{\d*,\d{3,}/;

/** How a filter of paths is made of the parts of its value, between which `*` stands for any characters. */
const PATHS: Record<string, (parts: string[]) => PathPattern> = {
  path: (parts) => ['', ...parts, ''],
  file: (parts) => ['', ...parts],
  filename: (parts) => ['', ...parts],
  extension: ([first = '', ...rest]) => ['', `.${first.replace(/^\./, '')}`, ...rest],
};

/**
 * Reads a query: words and `"texts"` that files have all of, `/regular expressions/`, the filters `path:`, `file:`, `extension:`,
 * `lang:` and `symbol:`, and each of them with `-` for what files must not have. Throws BadRequest.
 */
export function readCodeQuery(text: string): CodeQuery {
  const query: CodeQuery = { has: [], lacks: [], paths: [], notPaths: [], languages: [], notLanguages: [] };
  let terms = 0;
  for (const [, minus, filter, quoted, regex, word] of text.replaceAll('\0', ' ').matchAll(TERM)) {
    if (++terms > MAX_TERMS) throw new BadRequest(`search has too many terms (maximum is ${MAX_TERMS})`, 'search');
    const isNot = minus === '-';
    const literal = quoted?.replace(/\\(["\\])/g, '$1') ?? word ?? (filter === undefined ? undefined : regex);
    if (filter === undefined) {
      const kind = literal === undefined ? 'regex' : 'text';
      const value = literal ?? usableRegex(regex ?? '');
      if (value !== '') (isNot ? query.lacks : query.has).push({ kind, value: value.toWellFormed() });
    } else if (literal && filter === 'symbol') {
      (isNot ? query.lacks : query.has).push(definitionOf(literal.toWellFormed()));
    } else if (literal) {
      const pattern = PATHS[filter]?.(literal.toWellFormed().split('*'));
      if (pattern !== undefined) (isNot ? query.notPaths : query.paths).push(pattern);
      else (isNot ? query.notLanguages : query.languages).push(languageNamed(literal));
    }
  }
  return query;
}

/** Whether files can be found by it; what only says what they lack finds nothing. */
export function findsFiles({ has, paths, languages }: CodeQuery): boolean {
  return has.length + paths.length + languages.length > 0;
}

function usableRegex(regex: string): string {
  const refused = (why: string) => new BadRequest(`search has a regular expression ${why}`, 'search');
  if (regex.length > MAX_REGEX_LENGTH) throw refused(`that is too long (maximum is ${MAX_REGEX_LENGTH} characters)`);
  if (BACK_REFERENCE.test(regex)) throw refused('with a back reference');
  if (REPETITIONS.test(regex)) throw refused('with more than 99 repetitions');
  return regex.replaceAll('\\/', '/');
}

/** A language by its name, or by the ending of its files. */
function languageNamed(name: string): string {
  const lower = name.toLowerCase();
  return (BY_EXTENSION.get(`.${lower}`) ?? lower).toLowerCase();
}
