import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type MergeRequestFilter, mergeRequestConditions } from '#src/domain/tracking/merge_requests/filter.ts';
import { all, Prisma, queryJson } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

/** How many merge requests there are in each state. */
export interface MergeRequestCounts {
  opened: number;
  closed: number;
  merged: number;
}

/** A JSON object with how many of these merge requests are in each state. */
export function countsJson({ state }: Pick<Alias<'MergeRequest'>, 'state'>): Prisma.Sql {
  const count = (one: string) => sql`count(*) FILTER (WHERE ${state} = ${one}::merge_request_state)`;
  return sql`json_build_object('opened', ${count('opened')}, 'closed', ${count('closed')}, 'merged', ${count('merged')})`;
}

/** The counts of the merge requests of each project, in one statement; Forbidden in place of unreadable ones. Throws BadRequest. */
export async function countMergeRequestsOf(
  context: Context,
  projects: readonly ProjectRow[],
  filter: Omit<MergeRequestFilter, 'state'>,
): Promise<(MergeRequestCounts | Error)[]> {
  const actor = readerOf(context);
  const countsOf = ({ project }: Asked<{ project: number }>) => sql`(
    SELECT ${countsJson(mergeRequest)} FROM ${table(mergeRequest)} WHERE ${all([
      sql`${mergeRequest.targetProjectId} = ${project}`,
      ...mergeRequestConditions(mergeRequest, filter, actor, project),
    ])})`;
  return forPermittedParents(
    projects,
    (project) => authorize(actor, 'read_merge_request', project),
    (permitted) => {
      const asked = permitted.map(({ id }) => ({ project: id }));
      return queryJson<MergeRequestCounts[]>(context.db, perParent(asked, { project: 'int' }, countsOf));
    },
  );
}
