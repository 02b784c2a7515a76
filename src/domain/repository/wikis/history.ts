import type { Context } from '#src/access/permissions/actor.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { authorizeWiki } from '#src/domain/repository/wiki_place.ts';
import { findWikiPage, pageAt, pageOf, pathsOf, type WikiPageRow } from '#src/domain/repository/wikis/pages.ts';
import { reachableCommit, wikiTip } from '#src/domain/repository/wikis/repository.ts';
import { type Commit, EMPTY_TREE, type Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type Diff, diffCommit, diffTrees } from '#src/git/diff/diff.ts';
import { pathFault } from '#src/git/write/path.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** A commit that changed a page of a wiki. */
export interface WikiCommitRow extends Commit {
  owner: Owner;
  /** The slug that the page had after it. */
  slug: string;
}

/** A commit, and the path that a file had after it. */
interface Step {
  commit: Commit;
  path: string;
}

/** Commits of a page that are looked at for the names it had, and names that lead to another one each. */
const MAX_STEPS = 2_000;
const MAX_MOVES = 10;

/** Commits that are read together. */
const BATCH_SIZE = 50;

/**
 * A page by its slug, or by one that it had before it was renamed. With a version, the page as it was then, whatever its name was. Throws
 * as findWikiPage.
 */
export async function followWikiPage(
  context: Context,
  owner: Owner,
  slug: string,
  version?: string | null,
): Promise<WikiPageRow> {
  authorizeWiki(context.actor, 'read', owner);
  const tip = await wikiTip(context, owner);
  const commit = tip && (version ? await reachableCommit(tip.reader, tip.commit, version) : tip.commit);
  if (!commit) throw new NotFound('Wiki Page');
  const there = await pageOf(owner, tip.reader, commit, slug);
  if (there) return there;
  // Files beside pages are no pages that were renamed.
  if (pathFault(slug) !== null || (await tip.reader.entry(commit, slug))?.type === 'blob')
    throw new NotFound('Wiki Page');
  const present = await pageOf(owner, tip.reader, tip.commit, slug);
  const found = await withEffort(context, () => {
    return present ? pageThen(present, commit) : movedPage(owner, tip.reader, tip.commit, slug);
  });
  if (!found) throw new NotFound('Wiki Page');
  return version && !present ? findWikiPage(context, owner, found.name, version) : found;
}

/** A page that is there today, as one of its commits left it; null if it is no commit of the page. */
async function pageThen(page: WikiPageRow, commit: Oid): Promise<WikiPageRow | null> {
  for await (const step of steps(page)) {
    if (step.commit.oid !== commit) continue;
    const known = pageAt(step.path);
    const entry = known && (await page.reader.entry(commit, step.path));
    return entry?.type === 'blob' ? { ...page, commit, ...known, path: step.path, oid: entry.oid } : null;
  }
  return null;
}

/** Where a page went that once had this slug, by the renames that git finds; null if it was deleted, or never there. */
async function movedPage(owner: Owner, reader: RepositoryReader, tip: Oid, slug: string): Promise<WikiPageRow | null> {
  let paths = pathsOf(slug).map(({ path }) => path);
  for (let moves = 0; moves < MAX_MOVES; moves += 1) {
    const next = await movedFrom(reader, tip, paths);
    const page = next === null ? null : pageAt(next);
    if (next === null || page === null) return null;
    const present = await pageOf(owner, reader, tip, page.name);
    if (present) return present;
    paths = [next];
  }
  return null;
}

/** The path to which the last commit of one of these files moved it. */
async function movedFrom(reader: RepositoryReader, tip: Oid, paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const last = await reader.lastCommit(tip, path);
    if (last === null) continue;
    const { entries } = await diffCommit(reader, last.oid, { text: false });
    const moved = entries.find(({ renamedFile, oldPath }) => renamedFile && oldPath === path);
    if (moved) return moved.newPath;
  }
  return null;
}

/** The commits that changed a page, newest first, through its renames. */
export async function listWikiPageCommits(
  context: Context,
  page: WikiPageRow,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<WikiCommitRow>> {
  return withEffort(context, async () => {
    const oids = await commitsOf(page);
    const nodes: WikiCommitRow[] = [];
    let at = 0;
    if (limit > 0) {
      for await (const { commit, path } of steps(page, oids)) {
        if (at++ < offset) continue;
        nodes.push({ ...commit, owner: page.owner, slug: pageAt(path)?.name ?? page.name });
        if (nodes.length === limit) break;
      }
    }
    return { nodes, offset, total: withTotal ? oids.length : null };
  });
}

/**
 * What changed in a page from one commit of the wiki to another, whatever it was called. Throws NotFound, RateLimited.
 *
 * @param from full hash; what is before `to` when left out
 * @param to full hash; the commit that the page was read at when left out
 */
export async function diffWikiPage(
  context: Context,
  page: WikiPageRow,
  { from, to }: { from?: string | null | undefined; to?: string | null | undefined },
): Promise<Diff> {
  const { owner, reader } = page;
  const tip = await wikiTip(context, owner);
  const commitAt = async (version: string) => {
    const commit = tip && (await reachableCommit(reader, tip.commit, version));
    if (!commit) throw new NotFound('Commit');
    return commit;
  };
  const end = to ? await commitAt(to) : page.commit;
  const start = from ? await commitAt(from) : ((await reader.commit(end))?.parents[0] ?? EMPTY_TREE);
  return withEffort(context, async () => {
    const names = new Set([page.path]);
    const present = tip && (await pageOf(owner, reader, tip.commit, page.name));
    for (const one of present ? [present, page] : [page]) for await (const { path } of steps(one)) names.add(path);
    const diff = await diffTrees(reader, start, end);
    const entries = diff.entries.filter(({ oldPath, newPath }) => names.has(oldPath) || names.has(newPath));
    return { ...diff, entries, overflow: diff.overflow && entries.some(({ tooLarge }) => tooLarge) };
  });
}

/** Without a git program the list ends at the last rename. */
async function commitsOf({ reader, commit: start, path }: WikiPageRow): Promise<Oid[]> {
  const followed = await reader.followed({ start, path });
  return followed ?? (await reader.log({ start, path }, { limit: MAX_STEPS })).map(({ oid }) => oid);
}

async function* steps(page: WikiPageRow, oids?: readonly Oid[]): AsyncGenerator<Step> {
  const { reader } = page;
  const all = (oids ?? (await commitsOf(page))).slice(0, MAX_STEPS);
  let { path } = page;
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    for (const commit of await reader.commits(all.slice(at, at + BATCH_SIZE))) {
      yield { commit, path };
      const [parent] = commit.parents;
      if (parent === undefined || (await reader.entry(parent, path)) !== null) continue;
      const { entries } = await diffCommit(reader, commit.oid, { text: false });
      path = entries.find(({ renamedFile, newPath }) => renamedFile && newPath === path)?.oldPath ?? path;
    }
  }
}
