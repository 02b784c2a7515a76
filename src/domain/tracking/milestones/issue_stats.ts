import type { Context } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

/** How many issues a milestone has, of those that the actor sees. */
export interface IssueStats {
  total: number;
  closed: number;
}

/** The issues of milestones that the actor sees, counted in one statement; in the order of the IDs. */
export async function issueStatsOfMilestones(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  ids: readonly number[],
): Promise<IssueStats[]> {
  const wanted = sql`ANY(${[...ids]}::int[])`;
  const places = seenPlaces(
    actor,
    sql`p.id IN (SELECT own.project_id FROM issues own WHERE own.milestone_id = ${wanted})`,
  );
  const { projectId, milestoneId, deletedAt, state } = issue;
  const found = await db.$queryRaw<(IssueStats & { id: number })[]>`WITH ${places}
    SELECT ${milestoneId} AS id, count(*)::int AS total, (count(*) FILTER (WHERE ${state} = 'closed'))::int AS closed
    FROM ${table(issue)} WHERE ${milestoneId} = ${wanted} AND ${deletedAt} IS NULL AND ${within(projectId, 'issues')}
      AND ${issueVisible(issue, actor, within(projectId, 'confidential'))} GROUP BY 1`;
  const byId = new Map(found.map(({ id, total, closed }) => [id, { total, closed }]));
  return ids.map((id) => byId.get(id) ?? { total: 0, closed: 0 });
}
