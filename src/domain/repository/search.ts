import { can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { defaultBranch, findRevision, type Revision } from '#src/domain/repository/revision.ts';
import { wikiOf } from '#src/domain/repository/wiki_place.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { FileHit, FileHits, PathPattern } from '#src/git/base/search.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** How many files or commits a search finds. */
export const MAX_HITS = 1_000;

/** How long a search goes through files or commits, in milliseconds. */
export const SEARCH_TIMEOUT_MS = 5_000;

/** A file in which something was found. */
export interface FoundFileRow extends FileHit {
  projectId: number;
  /** The ref that was searched, as it was given, or the name of the default branch. */
  ref: string;
}

/** A page of what a search found. */
export interface FoundPage<T> extends Page<T> {
  /** Whether the search ended before it had looked at everything. */
  isLimited: boolean;
}

/** What to search, and for what. */
export interface RepositorySearch {
  text: string;
  /** A branch, tag or hash; the default branch by default. */
  ref?: string | null | undefined;
}

/**
 * The text files of a commit with a text, then those whose path has it. `filename:`, `path:` and `extension:` in the text are
 * filters. None for those who may not read files. Throws NotFound for an unknown ref.
 */
export async function searchFiles(
  context: Context,
  project: ProjectRow,
  { text, ref }: RepositorySearch,
  page: PageRequest,
): Promise<FoundPage<FoundFileRow>> {
  const found = can(readerOf(context), 'read_repository', project) ? await revisionIn(context, project, ref) : null;
  if (!found) return pageOf([], false, page);
  const named = ref || ((await defaultBranch(project, found.repository)) ?? '');
  return filesOf(project, named, await searchAt(context, found, { text }), page);
}

/** Like searchFiles, for the wiki of a project. None for those who may not read it. */
export async function searchWiki(
  context: Context,
  project: ProjectRow,
  text: string,
  page: PageRequest,
): Promise<FoundPage<FoundFileRow>> {
  const wiki = wikiOf(project);
  const found = can(readerOf(context), 'read_wiki', project) ? await findRevision(context, wiki) : null;
  if (!found) return pageOf([], false, page);
  const ref = (await found.repository.defaultBranch()) ?? '';
  return filesOf(project, ref, await searchAt(context, found, { text }), page);
}

function filesOf(
  { id: projectId }: ProjectRow,
  ref: string,
  { hits, isWhole }: FileHits,
  page: PageRequest,
): FoundPage<FoundFileRow> {
  return pageOf(
    hits.map((hit) => ({ ...hit, projectId, ref })),
    !isWhole,
    page,
  );
}

/** The files of a commit with a text and its filters, then those whose path has it. */
export async function searchAt(
  context: Context,
  { repository, oid: commit }: Revision,
  { text, milliseconds = SEARCH_TIMEOUT_MS }: { text: string; milliseconds?: number },
): Promise<FileHits> {
  const { text: wanted, paths } = filtersIn(text);
  return withEffort(context, async () => {
    const deadline = performance.now() + milliseconds;
    const look = (text: string, paths: readonly PathPattern[]) =>
      repository.searchFiles({ commit, text, paths, most: MAX_HITS, milliseconds: deadline - performance.now() });
    const holding = await look(wanted, paths);
    if (wanted === '' || !holding.isWhole) return holding;
    const called = await look('', [['', wanted, ''], ...paths]);
    const known = new Set(holding.hits.map(({ path }) => path));
    const hits = [...holding.hits, ...called.hits.filter(({ path }) => !known.has(path))];
    return { hits: hits.slice(0, MAX_HITS), isWhole: called.isWhole && hits.length <= MAX_HITS };
  });
}

/**
 * The commits that a ref reaches with a text in their message, newest first, then the one whose hash begins so. None for those who
 * may not read commits. Throws NotFound for an unknown ref.
 */
export async function searchCommits(
  context: Context,
  project: ProjectRow,
  { text, ref }: RepositorySearch,
  page: PageRequest,
): Promise<FoundPage<CommitRow>> {
  const found = can(readerOf(context), 'read_commit', project) ? await revisionIn(context, project, ref) : null;
  if (!found) return pageOf([], false, page);
  const { repository, oid: start } = found;
  const called = await hashBeginning(context, project, text);
  const { commits, isWhole } = await withEffort(context, () =>
    repository.searchMessages({ start, text, most: MAX_HITS, milliseconds: SEARCH_TIMEOUT_MS }),
  );
  const oids = called === null || commits.includes(called) ? commits : [...commits, called];
  const { nodes, ...rest } = pageOf(oids, !isWhole, page);
  return { ...rest, nodes: await commitRows(project, repository, nodes) };
}

/** The revision of a ref, or of the default branch; null in an empty repository. Throws NotFound for an unknown ref. */
export async function revisionIn(
  context: Context,
  project: ProjectRow,
  ref: string | null | undefined,
): Promise<Revision | null> {
  const found = await findRevision(context, project, ref || null);
  if (!found && ref) throw new NotFound('Commit');
  return found;
}

/** The commit whose hash begins so. */
async function hashBeginning(context: Context, project: ProjectRow, text: string): Promise<Oid | null> {
  if (!/^[0-9a-f]{7,40}$/i.test(text)) return null;
  const { oid } = (await findRevision(context, project, text)) ?? { oid: '' };
  // A ref may be called so.
  return oid.startsWith(text.toLowerCase()) ? oid : null;
}

/** The page of what was found. */
export function pageOf<T>(all: readonly T[], isLimited: boolean, { offset, limit }: PageRequest): FoundPage<T> {
  return { nodes: all.slice(offset, offset + limit), offset, total: all.length, isLimited };
}

const FILTER = /(?<!\S)(filename|path|extension):(\S+)/g;

/** Where the value of a filter is in the path. */
const PLACES: Record<string, (parts: string[]) => string[]> = {
  filename: ([first = '', ...rest]) => ['', first, ...rest],
  path: ([first = '', ...rest]) => ['', first, ...rest, ''],
  extension: ([first = '', ...rest]) => ['', `.${first}`, ...rest],
};

/** Maximum number of filters; further ones count as text. */
const MAX_FILTERS = 10;

/** The filters in a text, in which `*` stands for any characters, and the text without them. */
function filtersIn(text: string): { text: string; paths: PathPattern[] } {
  const paths: PathPattern[] = [];
  const rest = text.replace(FILTER, (whole, name: string, value: string) => {
    if (paths.length === MAX_FILTERS) return whole;
    const [first = '', ...parts] = PLACES[name]?.(value.split('*')) ?? [];
    paths.push([first, ...parts]);
    return '';
  });
  return {
    text: rest.replace(/ {2,}/g, ' ').trim(),
    paths: paths.sort((a, b) => b.join('').length - a.join('').length),
  };
}
