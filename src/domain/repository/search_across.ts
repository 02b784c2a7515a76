import { can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces } from '#src/access/permissions/places.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import { findGroupsByIds, isGroup } from '#src/domain/groups/find.ts';
import { findProjectsByIds, type ProjectRow } from '#src/domain/projects/find.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { type FoundPage, MAX_HITS, pageOf, SEARCH_TIMEOUT_MS, searchAt } from '#src/domain/repository/search.ts';
import { canWiki, wikiPlaceOf } from '#src/domain/repository/wiki_place.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { FileHit } from '#src/git/base/search.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import type { Direction, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const group = alias('Namespace', 'g');

/** Where is searched: on the whole server, or in a group and the groups inside it. */
export interface SearchedPlaces {
  group?: { id: number } | undefined;
  /** Whether archived projects are searched, too. */
  includeArchived: boolean;
}

/** A file of the wiki of a project, or of a group. */
export interface FoundWikiFileRow extends FileHit {
  projectId: number | null;
  groupId: number | null;
  /** The branch that was searched. */
  ref: string;
}

/** Projects whose commits are searched, and projects and groups whose wikis are, as far as they have one: the most recently active ones. */
const MAX_PROJECTS = 200;
const MAX_WIKIS = 1_000;

/** Milliseconds for one repository, so that a large one leaves time for others. */
const EACH_TIMEOUT_MS = 1_000;

/**
 * The commits of default branches with a text in a line of their message that the actor may read, by time, as far as they are
 * found in five seconds: git goes through one repository after another.
 */
export async function searchCommitsAcross(
  context: Context,
  places: SearchedPlaces,
  { text, sort }: { text: string; sort: Direction },
  page: PageRequest,
): Promise<FoundPage<CommitRow>> {
  const { ids, isWhole: areAll } = await projectsIn(context, places, 'repository', MAX_PROJECTS);
  const projects = await inOrder(context, ids);
  const found: { project: ProjectRow; repository: RepositoryReader; commits: Oid[] }[] = [];
  const isWhole = await oneByOne(projects, async (project, milliseconds, most) => {
    const revision = can(context.actor, 'read_commit', project) ? await findRevision(context, project) : null;
    if (!revision) return { count: 0, isWhole: true };
    const { repository, oid: start } = revision;
    const { commits, isWhole } = await withEffort(context, () =>
      repository.searchMessages({ start, text, most, milliseconds }),
    );
    found.push({ project, repository, commits });
    return { count: commits.length, isWhole };
  });
  const rows: CommitRow[] = [];
  for (const { project, repository, commits } of found) rows.push(...(await commitRows(project, repository, commits)));
  const turn = sort === 'asc' ? 1 : -1;
  rows.sort((one, other) => turn * (one.committer.seconds - other.committer.seconds));
  return pageOf(rows, !areAll || !isWhole, page);
}

/** The files of wikis with a text that the actor may read, by path, as searchWiki finds them, as far as they are found in five seconds. */
export async function searchWikisAcross(
  context: Context,
  places: SearchedPlaces,
  { text, sort }: { text: string; sort: Direction },
  page: PageRequest,
): Promise<FoundPage<FoundWikiFileRow>> {
  const ofGroups = await groupsWithWikis(context, places);
  const groups = await findGroupsByIds(context, ofGroups.ids);
  const { ids, isWhole: areAll } = await projectsIn(context, places, 'wiki', MAX_WIKIS);
  const projects = await inOrder(context, ids);
  const owners: Owner[] = [
    ...groups.map((group): Owner => ({ project: null, group })),
    ...projects.map((project): Owner => ({ project, group: null })),
  ];
  const found: FoundWikiFileRow[] = [];
  const isWhole = await oneByOne(owners, async (owner, milliseconds) => {
    const place = canWiki(context.actor, 'read', owner) ? wikiPlaceOf(owner) : null;
    const repository = place && (await context.repositories.open(place));
    const ref = await repository?.defaultBranch();
    if (!repository || !ref) return { count: 0, isWhole: true };
    const oid = await repository.resolve(ref, { mergeRequests: false, labour: (work) => withEffort(context, work) });
    if (oid === null) return { count: 0, isWhole: true };
    const { hits, isWhole } = await searchAt(context, { repository, oid }, { text, milliseconds });
    const at = { projectId: owner.project?.id ?? null, groupId: owner.group?.id ?? null, ref };
    found.push(...hits.map((hit) => ({ ...hit, ...at })));
    return { count: hits.length, isWhole };
  });
  const turn = sort === 'asc' ? 1 : -1;
  const byPath = found
    .slice(0, MAX_HITS)
    .sort((one, other) => turn * (one.path < other.path ? -1 : Number(one.path > other.path)));
  return pageOf(byPath, !areAll || !ofGroups.isWhole || !isWhole || found.length > MAX_HITS, page);
}

/** The IDs of what is searched, and whether there is no more. */
interface Candidates {
  ids: number[];
  isWhole: boolean;
}

function firstOf(rows: readonly { id: number }[], most: number): Candidates {
  return { ids: rows.slice(0, most).map(({ id }) => id), isWhole: rows.length <= most };
}

/** The projects that are searched, with the latest activity first. */
async function projectsIn(
  context: Context,
  { group: inside, includeArchived }: SearchedPlaces,
  feature: 'repository' | 'wiki',
  most: number,
): Promise<Candidates> {
  const where = all([
    ...(inside ? [sql`n.lineage @> ARRAY[${inside.id}]::int[]`] : []),
    ...(includeArchived ? [] : [sql`NOT p.archived`]),
  ]);
  const rows = await context.db.$queryRaw<{ id: number }[]>`
    WITH ${seenPlaces(readerOf(context), where, feature)}
    SELECT p.id FROM places v JOIN projects p ON p.id = v.id WHERE ${feature === 'wiki'}::boolean OR v.commits
    ORDER BY p.last_activity_at DESC, p.id DESC LIMIT ${most + 1}`;
  return firstOf(rows, most);
}

async function inOrder(context: Context, ids: readonly number[]): Promise<ProjectRow[]> {
  const found = new Map((await findProjectsByIds(context, ids)).map((project) => [project.id, project]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** The groups with a wiki that the actor can see, inside a group and itself, or everywhere. */
async function groupsWithWikis(context: Context, { group: inside }: SearchedPlaces): Promise<Candidates> {
  const where = all([
    isGroup(group),
    sql`${group.wikiStorage} IS NOT NULL`,
    groupVisible(readerOf(context), group),
    ...(inside ? [sql`${group.lineage} @> ARRAY[${inside.id}]::int[]`] : []),
  ]);
  const rows = await context.db.$queryRaw<{ id: number }[]>`
    SELECT g.id FROM ${table(group)} WHERE ${where} ORDER BY g.id DESC LIMIT ${MAX_WIKIS + 1}`;
  return firstOf(rows, MAX_WIKIS);
}

/** Looks into places one after another, until there is enough, or no time. @returns whether all of them were looked at, wholly */
async function oneByOne<Place>(
  places: readonly Place[],
  look: (place: Place, milliseconds: number, most: number) => Promise<{ count: number; isWhole: boolean }>,
): Promise<boolean> {
  const deadline = performance.now() + SEARCH_TIMEOUT_MS;
  let left = MAX_HITS;
  let isWhole = true;
  for (const place of places) {
    const milliseconds = Math.min(deadline - performance.now(), EACH_TIMEOUT_MS);
    if (left <= 0 || milliseconds <= 0) return false;
    const found = await look(place, milliseconds, left);
    left -= found.count;
    isWhole &&= found.isWhole;
  }
  return isWhole;
}
