import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { CodeQuery } from '#src/domain/repository/code_search/query.ts';
import type { FoundCodeRow } from '#src/domain/repository/code_search/rows.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { anyLanguageOf } from '#src/domain/repository/languages/of_file.ts';
import type { Revision } from '#src/domain/repository/revision.ts';
import type { FileHit, FileSearch, PathPattern } from '#src/git/base/search.ts';
import { matchesPath } from '#src/git/search/pattern.ts';

/** Files that a search finds at most. */
const MAX_FOUND = 1_000;

/** Lines of a file that are told. */
const MAX_LINES = 5;

/** How long a search goes through the files of a commit, in milliseconds. */
const SEARCH_TIMEOUT_MS = 5_000;

/** The files of a commit that a query finds, those with its terms in their text before those with them in their path. */
export async function searchAtRef(
  context: Context,
  project: ProjectRow,
  { repository, oid: commit }: Revision,
  ref: string,
  query: CodeQuery,
): Promise<{ rows: FoundCodeRow[]; isLimited: boolean }> {
  const { has, lacks, paths } = query;
  const { hits, isWhole } = await withEffort(context, async () => {
    const deadline = performance.now() + SEARCH_TIMEOUT_MS;
    const look = (search: Pick<FileSearch, 'paths' | 'all'>) =>
      repository.searchFiles({
        commit,
        text: '',
        none: lacks,
        most: MAX_FOUND,
        milliseconds: deadline - performance.now(),
        ...search,
      });
    const holding = await look({ paths, all: has });
    const isNamed = has.length > 0 && has.every(({ kind }) => kind === 'text');
    if (!isNamed || !holding.isWhole) return holding;
    const called = await look({ paths: [...has.map(({ value }): PathPattern => ['', value, '']), ...paths] });
    const known = new Set(holding.hits.map(({ path }) => path));
    return { hits: [...holding.hits, ...called.hits.filter(({ path }) => !known.has(path))], isWhole: called.isWhole };
  });
  const rows = hits.filter(({ path }) => fits(path, query)).map((hit) => rowOf(hit, project, ref, query));
  return { rows: rows.slice(0, MAX_FOUND), isLimited: !isWhole || rows.length > MAX_FOUND };
}

/** Whether a file is none that the query leaves out by its path or language. */
function fits(path: string, { notPaths, languages, notLanguages }: CodeQuery): boolean {
  const language = anyLanguageOf(path)?.toLowerCase() ?? '';
  return (
    !notPaths.some((pattern) => matchesPath(path.toLowerCase(), pattern)) &&
    (languages.length === 0 || languages.includes(language)) &&
    !notLanguages.includes(language)
  );
}

/** The lines that are told are those around the first one, as far as they have one of the texts. */
function rowOf({ path, startLine, data }: FileHit, { id }: ProjectRow, ref: string, { has }: CodeQuery): FoundCodeRow {
  const texts = has.flatMap(({ kind, value }) => (kind === 'text' ? [value.toLowerCase()] : []));
  // Only those that are made here take no more time than their lines: those of callers are left to the program.
  const definitions = has.flatMap(({ value, literal }) => (literal === undefined ? [] : [new RegExp(value, 'i')]));
  const lines = data
    .split('\n')
    .map((text, at) => ({ line: startLine + at, text }))
    .filter(
      ({ text }) =>
        texts.some((one) => text.toLowerCase().includes(one)) ||
        definitions.some((definition) => definition.test(text)),
    )
    .slice(0, MAX_LINES);
  const language = anyLanguageOf(path)?.toLowerCase() ?? null;
  return { projectId: id, ref, path: path.toWellFormed(), language, startLine, data, lines };
}
