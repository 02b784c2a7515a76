import type { Context } from '#src/access/permissions/actor.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { trimSlashes } from '#src/domain/repository/tree.ts';
import { authorizeWiki } from '#src/domain/repository/wiki_place.ts';
import { reachableCommit, wikiTip } from '#src/domain/repository/wikis/repository.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { pathFault } from '#src/git/write/path.ts';
import { ContentTooLarge, NotFound } from '#src/platform/errors.ts';
import { type Page, type PageRequest, pageByName } from '#src/platform/page.ts';

export type WikiFormat = 'markdown' | 'rdoc' | 'asciidoc' | 'org';

/** The endings of files by the format of their pages. The first is that of new pages. */
const ENDINGS: Record<WikiFormat, readonly string[]> = {
  markdown: ['md', 'markdown', 'mdown', 'mkd', 'mkdn'],
  rdoc: ['rdoc'],
  asciidoc: ['asciidoc', 'adoc', 'asc'],
  org: ['org'],
};

const FORMATS = new Map(
  Object.entries(ENDINGS).flatMap(([format, endings]) => endings.map((ending) => [ending, format as WikiFormat])),
);

/** The slug of the page that stands beside all others. Lists leave it out, as they do other files whose names begin with `_`. */
export const SIDEBAR = '_sidebar';

/** Files of a wiki that are looked at, and bytes of the largest page. */
const MAX_FILES = 20_000;
export const MAX_PAGE_BYTES = 5 * 1024 * 1024;

/** A page of a wiki, at one of its commits. */
export interface WikiPageRow {
  owner: Owner;
  reader: RepositoryReader;
  /** The commit that it was read at. */
  commit: Oid;
  /** Its slug, by which lists are sorted. */
  name: string;
  /** Of the file. */
  path: string;
  oid: Oid;
  format: WikiFormat;
}

/** The path of a new page with this slug. */
export function pathOf(slug: string, format: WikiFormat): string {
  return `${slug}.${ENDINGS[format][0]}`;
}

/** The slug of a title: blanks become dashes. */
export function slugOf(title: string): string {
  return trimSlashes(title.trim())
    .split(/\s/)
    .filter((word) => word !== '')
    .join('-');
}

/** The title of a page: the last part of its slug, with blanks for dashes. */
export function titleOf({ name }: Pick<WikiPageRow, 'name'>): string {
  return (name.split('/').at(-1) ?? '').replaceAll('-', ' ').toWellFormed();
}

/** The slug and format of a file; null for one that is no page. */
export function pageAt(path: string): { name: string; format: WikiFormat } | null {
  const [, name, ending = ''] = /^(.+)\.([a-z]+)$/i.exec(path) ?? [];
  const format = FORMATS.get(ending.toLowerCase());
  if (name === undefined || format === undefined) return null;
  return name.startsWith('_') && name !== SIDEBAR ? null : { name, format };
}

/** The pages of a wiki, by slug. Throws Forbidden, Unauthenticated, RateLimited. */
export async function listWikiPages(context: Context, owner: Owner, page: PageRequest): Promise<Page<WikiPageRow>> {
  authorizeWiki(context.actor, 'read', owner);
  const tip = await wikiTip(context, owner);
  const pages = tip === null ? [] : await withEffort(context, () => pagesOf(owner, tip.reader, tip.commit));
  return pageByName(pages, page, async (part) => part);
}

/**
 * A page by its slug, as it is or was at a commit of the wiki. Throws NotFound, Forbidden, Unauthenticated.
 *
 * @param version full hash of a commit
 */
export async function findWikiPage(
  context: Context,
  owner: Owner,
  slug: string,
  version?: string | null,
): Promise<WikiPageRow> {
  authorizeWiki(context.actor, 'read', owner);
  const tip = await wikiTip(context, owner);
  if (tip === null) throw new NotFound('Wiki Page');
  const commit = version ? await reachableCommit(tip.reader, tip.commit, version) : tip.commit;
  const page = commit && (await pageOf(owner, tip.reader, commit, slug));
  if (!page) throw new NotFound('Wiki Page');
  return page;
}

/** The page beside all others; null where there is none. Throws Forbidden, Unauthenticated. */
export async function findSidebar(context: Context, owner: Owner): Promise<WikiPageRow | null> {
  authorizeWiki(context.actor, 'read', owner);
  const tip = await wikiTip(context, owner);
  return tip && pageOf(owner, tip.reader, tip.commit, SIDEBAR);
}

/** The page with a slug at a commit; null if there is none. */
export async function pageOf(
  owner: Owner,
  reader: RepositoryReader,
  commit: Oid,
  slug: string,
): Promise<WikiPageRow | null> {
  for (const { path, format } of pathsOf(slug)) {
    const entry = await reader.entry(commit, path);
    if (entry?.type === 'blob') return { owner, reader, commit, name: slug, path, oid: entry.oid, format };
  }
  return null;
}

/** The paths that the file of a page with this slug can have; none for what is no slug. */
export function pathsOf(slug: string): { path: string; format: WikiFormat }[] {
  const paths = [...FORMATS].map(([ending, format]) => ({ path: `${slug}.${ending}`, format }));
  return paths.every(({ path }) => pageAt(path) !== null && pathFault(path) === null) ? paths : [];
}

async function pagesOf(owner: Owner, reader: RepositoryReader, commit: Oid): Promise<WikiPageRow[]> {
  const found = await reader.treePage(commit, '', { recursive: true, offset: 0, limit: MAX_FILES });
  const pages = (found?.entries ?? []).flatMap(({ path, oid, type }) => {
    const page = type === 'blob' && !path.startsWith('uploads/') ? pageAt(path) : null;
    return page === null || page.name === SIDEBAR ? [] : [{ owner, reader, commit, ...page, path, oid }];
  });
  return pages.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

/** The text of a page. Throws ContentTooLarge. */
export async function contentOf(context: Context, { reader, oid }: WikiPageRow): Promise<string> {
  const size = await reader.blobSize(oid);
  if (size === null) throw new NotFound('Wiki Page');
  if (size > MAX_PAGE_BYTES) throw new ContentTooLarge(`pages can be at most ${MAX_PAGE_BYTES} bytes`);
  const read = async () => (await reader.blob(oid, MAX_PAGE_BYTES))?.toString().replaceAll('\0', '\uFFFD') ?? '';
  return size > 256 * 1024 ? withEffort(context, read) : read();
}
