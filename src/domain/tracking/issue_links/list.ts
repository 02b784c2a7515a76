import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readRows } from '#src/platform/records/read.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [link, other] = [alias('IssueLink', 'l'), alias('Issue', 'i')];

export const LINK = select('IssueLink', {
  id: true,
  sourceId: true,
  targetId: true,
  type: true,
  createdAt: true,
  updatedAt: true,
});
const ISSUE = select('Issue', { id: true });

/** A link between two issues. */
export type LinkRow = typeof LINK.row;

/** The condition that a link is one of an issue. */
export const isOf = (issueId: number | Prisma.Sql) =>
  sql`(${link.sourceId} = ${issueId} OR ${link.targetId} = ${issueId})`;

/**
 * The links of each issue to issues that the actor can see, oldest first, in one statement. The caller must have checked that the
 * actor can see the issues.
 */
export async function listIssueLinks(
  context: Context,
  issueIds: readonly number[],
  page: PageRequest,
): Promise<Page<LinkRow>[]> {
  const actor = readerOf(context);
  const pageOf = ({ id }: Asked<{ id: number }>) => {
    const where = all([isOf(id), othersSeen(actor, id)]);
    return pageOfRows(LINK, { rows: link, where, order: byKey('IssueLink') }, page);
  };
  const ids = [...issueIds];
  const places = placesOfLinked(actor, ids);
  const parents = ids.map((id) => ({ id }));
  return readPages<LinkRow>(context.db, page, perParent(parents, { id: 'int' }, pageOf, [places]));
}

/** Whether the actor can see the issue at the other end, with the projects in the subquery `places`. */
function othersSeen(actor: Actor | null, issueId: number | Prisma.Sql): Prisma.Sql {
  const otherId = sql`CASE WHEN ${link.sourceId} = ${issueId} THEN ${link.targetId} ELSE ${link.sourceId} END`;
  return sql`EXISTS (SELECT 1 FROM ${table(other)} WHERE ${other.id} = ${otherId} AND ${other.deletedAt} IS NULL
    AND ${within(other.projectId, 'issues')} AND ${issueVisible(other, actor, within(other.projectId, 'confidential'))})`;
}

/**
 * The links with these IDs of which the actor can see both issues.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findIssueLinksByIds(
  context: Context,
  ids: readonly number[],
  projectOf: ProjectOf,
): Promise<LinkRow[]> {
  readerOf(context);
  const links = await readRows(context.db, LINK, { rows: link, where: sql`${link.id} = ANY(${[...ids]}::int[])` });
  const ends = [...new Set(links.flatMap(({ sourceId, targetId }) => [sourceId, targetId]))];
  const issues = ends.length === 0 ? [] : await findIssuesByIds(context, ends, ISSUE, projectOf);
  const seen = new Set(issues.map(({ id }) => id));
  return links.filter(({ sourceId, targetId }) => seen.has(sourceId) && seen.has(targetId));
}

/** How many open issues an issue blocks, and how many block it. */
export interface BlockCounts {
  blocks: number;
  blockedBy: number;
}

/** The counts of each issue, of those that the actor can see, in one statement. The caller must have checked that the actor can see the issues. */
export async function countBlocks(context: Context, issueIds: readonly number[]): Promise<BlockCounts[]> {
  const actor = readerOf(context);
  const ids = [...issueIds];
  const ofOpen = (id: Prisma.Sql) => sql`(SELECT count(*)::int FROM ${table(other)} WHERE ${other.id} = ${id}
    AND ${other.deletedAt} IS NULL AND ${other.state} = 'opened' AND ${within(other.projectId, 'issues')}
    AND ${issueVisible(other, actor, within(other.projectId, 'confidential'))})`;
  const found = await context.db.$queryRaw<(BlockCounts & { id: number })[]>`
    WITH ${placesOfLinked(actor, ids)}
    SELECT w.id, (SELECT COALESCE(sum(${ofOpen(link.targetId)}), 0)::int FROM ${table(link)}
        WHERE ${link.sourceId} = w.id AND ${link.type} = 'blocks') AS blocks,
      (SELECT COALESCE(sum(${ofOpen(link.sourceId)}), 0)::int FROM ${table(link)}
        WHERE ${link.targetId} = w.id AND ${link.type} = 'blocks') AS "blockedBy"
    FROM unnest(${ids}::int[]) AS w(id)`;
  const counts = new Map(found.map(({ id, ...counts }) => [id, counts]));
  return ids.map((id) => counts.get(id) ?? { blocks: 0, blockedBy: 0 });
}

/** The subquery `places` with the projects of issues that are linked with one of these. */
function placesOfLinked(actor: Actor | null, ids: readonly number[]): Prisma.Sql {
  return seenPlaces(
    actor,
    sql`p.id IN (SELECT li.project_id FROM issue_links ll JOIN issues li ON li.id IN (ll.source_id, ll.target_id)
      WHERE ll.source_id = ANY(${[...ids]}::int[]) OR ll.target_id = ANY(${[...ids]}::int[]))`,
  );
}
