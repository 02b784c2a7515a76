import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import '#src/merge_requests/values.ts';
import { Prisma, queryPage } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import '#src/users/values.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

/** The merge requests of a milestone, oldest first. Throws Forbidden. */
export async function listMilestoneMergeRequests<R>(
  context: Context,
  project: ProjectRow,
  milestoneId: number,
  { limit, offset, withTotal }: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<Page<R>> {
  authorize(requireActor(context), 'read_merge_request', project);
  const { id, targetProjectId, milestoneId: ofMilestone } = mergeRequest;
  const source = sql`${table(mergeRequest)} WHERE ${targetProjectId} = ${project.id} AND ${ofMilestone} = ${milestoneId}`;
  const from = sql`SELECT mr.* FROM ${source} ORDER BY ${id} LIMIT ${limit} OFFSET ${offset}`;
  const given = { projectPath: project.fullPath };
  const nodes = rowsJson(selection, { from, order: (row) => row.id, given });
  return queryPage(context.db, offset, nodes, withTotal && sql`(SELECT count(*) FROM ${source})`);
}
