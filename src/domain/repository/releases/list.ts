import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type ProjectOf, projectScoped } from '#src/domain/projects/project_scoped.ts';
import '#src/domain/users/computed_fields.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPermitted, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const release = alias('Release', 'r');
const link = alias('ReleaseLink', 'rl');

/** The releases with these IDs, for those who may list them. */
export const { findByIds: findReleasesByIds } = projectScoped({ ability: 'read_release', rows: release });

/** Which releases a list has, and in which order. */
export interface ReleaseFilter {
  orderBy: 'releasedAt' | 'createdAt';
  sort: 'asc' | 'desc';
  /** Inclusive bounds. */
  updatedAfter?: Date | null | undefined;
  updatedBefore?: Date | null | undefined;
  /** Leaves out those of the future. */
  onlyReleased?: boolean;
}

/** Identifies a release: there is one of a tag. */
export interface ReleaseKey {
  projectId: number;
  tag: string;
}

/**
 * A page of the releases of each project, in one statement; an error in place of those that the actor may not read. Guests may:
 * what the repository tells of a release is not in its row.
 */
export async function listReleases<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: ReleaseFilter,
  page: PageRequest,
  selection: Selection<'Release', R>,
): Promise<(Page<R> | Error)[]> {
  const { orderBy, sort, updatedAfter, updatedBefore, onlyReleased = false } = filter;
  const sorted = order('Release', [orderBy, 'id'], sort);
  const conditions = [
    ...(onlyReleased ? [sql`${release.releasedAt} <= now()`] : []),
    ...(updatedAfter ? [sql`${release.updatedAt} >= ${updatedAfter.toISOString()}::timestamptz`] : []),
    ...(updatedBefore ? [sql`${release.updatedAt} <= ${updatedBefore.toISOString()}::timestamptz`] : []),
  ];
  const pageOf = ({ project }: Asked<{ project: number }>) => {
    const where = all([sql`${release.projectId} = ${project}`, ...conditions]);
    return pageOfRows(selection, { rows: release, where, order: sorted }, page);
  };
  const read = (permitted: ProjectRow[]) => {
    const parents = permitted.map(({ id }) => ({ project: id }));
    return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
  };
  return forPermittedParents(projects, (project) => authorize(context.actor, 'read_release', project), read);
}

/**
 * The release of a tag, for those who may read the repository: guests do not get to a single one. Throws NotFound, Forbidden,
 * Unauthenticated.
 */
export async function findRelease<R>(
  context: Context,
  project: ProjectRow,
  tag: string,
  selection: Selection<'Release', R>,
): Promise<R> {
  authorize(context.actor, 'read_repository', project);
  const where = sql`${release.projectId} = ${project.id} AND ${release.tag} = ${tag}`;
  const found = tag.includes('\0') ? undefined : await readRow(context.db, selection, { rows: release, where });
  if (!found) throw new NotFound('Release');
  return found;
}

/** The release of a project with that ID, for those who may list them. Throws NotFound, Forbidden, Unauthenticated. */
export async function findReleaseById<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Release', R>,
): Promise<R> {
  authorize(readerOf(context), 'read_release', project);
  const where = sql`${release.id} = ${id} AND ${release.projectId} = ${project.id}`;
  const found = await readRow(context.db, selection, { rows: release, where });
  if (!found) throw new NotFound('Release');
  return found;
}

/**
 * The release of each project that was released last, none of the future, in one statement; null without one, and an error for those
 * whose repository the actor may not read.
 */
export async function latestReleases<R>(
  context: Context,
  projects: readonly ProjectRow[],
  selection: Selection<'Release', R>,
): Promise<(R | null | Error)[]> {
  const filter = { orderBy: 'releasedAt', sort: 'desc', onlyReleased: true } as const;
  const first = { limit: 1, offset: 0, withTotal: false };
  const check = (project: ProjectRow) => authorize(context.actor, 'read_repository', project);
  return forPermittedParents(projects, check, async (permitted) => {
    const pages = await listReleases(context, permitted, filter, first, selection);
    return pages.map((page) => {
      if (page instanceof Error) throw page;
      return page.nodes[0] ?? null;
    });
  });
}

/** The releases of tags that the actor has seen, in the order of the keys; null for tags without one. */
export async function releasesOfTags<R>(
  { db }: Pick<Context, 'db'>,
  keys: readonly ReleaseKey[],
  selection: Selection<'Release', R>,
): Promise<(R | null)[]> {
  const wanted = keys.map(({ projectId, tag }) => ({ project_id: projectId, tag: storable(tag) }));
  const where = sql`(${release.projectId}, ${release.tag}) IN (
    SELECT k.project_id, k.tag FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS k (project_id int, tag text))`;
  const rows = await readRows(db, selection.with(select('Release', { projectId: true, tag: true })), {
    rows: release,
    where,
  });
  return keys.map((key) => rows.find(({ projectId, tag }) => projectId === key.projectId && tag === key.tag) ?? null);
}

/** Names of tags that the database cannot store have no release. */
function storable(tag: string): string {
  return tag.includes('\0') ? '' : tag.toWellFormed();
}

/** A link of a release, with what its address is made of. */
export const LINK = select('ReleaseLink', {
  id: true,
  name: true,
  url: true,
  directAssetPath: true,
  type: true,
  release: { projectId: true, tag: true },
});

export type ReleaseLinkRow = (typeof LINK)['row'];

const NEWEST_FIRST = order('ReleaseLink', ['id'], 'desc');

/** The links of each release, newest first, in one statement. Who sees the release may read them. */
export async function listReleaseLinks(
  { db }: Pick<Context, 'db'>,
  releases: readonly { id: number }[],
  page: PageRequest,
): Promise<Page<ReleaseLinkRow>[]> {
  const parents = releases.map(({ id }) => ({ release: id }));
  const pageOf = ({ release: id }: Asked<{ release: number }>) =>
    pageOfRows(LINK, { rows: link, where: sql`${link.releaseId} = ${id}`, order: NEWEST_FIRST }, page);
  return readPages<ReleaseLinkRow>(db, page, perParent(parents, { release: 'int' }, pageOf));
}

/** The ID of the release of a tag whose links the actor may read. Throws NotFound, Forbidden, Unauthenticated. */
export async function linkedRelease(context: Context, project: ProjectRow, tag: string): Promise<{ id: number }> {
  authorize(context.actor, 'read_release', project);
  const where = { projectId: project.id, tag };
  const found = tag.includes('\0') ? null : await context.db.release.findFirst({ where, select: { id: true } });
  if (!found) throw new NotFound('Release');
  return found;
}

/** A link of a release by its ID, or by the path of its asset. Throws NotFound. */
export async function findReleaseLink(
  { db }: Pick<Context, 'db'>,
  releaseId: number,
  which: { id: number } | { directAssetPath: string },
): Promise<ReleaseLinkRow> {
  const isIt =
    'id' in which ? sql`${link.id} = ${which.id}` : sql`${link.directAssetPath} = ${assetPath(which.directAssetPath)}`;
  const where = sql`${link.releaseId} = ${releaseId} AND ${isIt}`;
  const found = await readRow(db, LINK, { rows: link, where });
  if (!found) throw new NotFound('ReleaseLink');
  return found;
}

const OF_RELEASE = select('ReleaseLink', { id: true, release: { projectId: true } });

/**
 * The links of releases with these IDs that the actor may read, in one statement.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export function findReleaseLinksByIds(
  context: Context,
  ids: readonly number[],
  projectOf: ProjectOf,
): Promise<ReleaseLinkRow[]> {
  const actor = readerOf(context);
  return readPermitted(context.db, LINK, { rows: link, ids, keys: OF_RELEASE }, async ({ release: { projectId } }) => {
    const project = await projectOf(projectId);
    return project !== null && can(actor, 'read_release', project);
  });
}

/** The path as it is stored: with a slash in front. */
function assetPath(given: string): string {
  return given.includes('\0') ? '' : `/${given.replace(/^\/+/, '')}`;
}
