import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import '#src/merge_requests/own_values.ts';
import { Prisma, readPages } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, ofEach, ofPermitted } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import '#src/users/own_values.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

/**
 * The merge requests of each milestone, oldest first, in one statement; Forbidden in the place of those that the actor may not
 * read.
 */
export async function listMilestoneMergeRequests<R>(
  context: Context,
  parents: readonly { project: ProjectRow; milestoneId: number }[],
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const { targetProjectId, milestoneId } = mergeRequest;
  const pageOf = ({ project, path, milestone }: Asked<{ project: number; path: string; milestone: number }>) => {
    const where = sql`${targetProjectId} = ${project} AND ${milestoneId} = ${milestone}`;
    const list = { rows: mergeRequest, where, order: order('MergeRequest', ['id']), given: { projectPath: path } };
    return pageOfRows(selection, list, page);
  };
  return ofPermitted(
    parents,
    ({ project }) => authorize(actor, 'read_merge_request', project),
    (permitted) => {
      const asked = permitted.map(({ project, milestoneId }) => {
        return { project: project.id, path: project.fullPath, milestone: milestoneId };
      });
      const types = { project: 'int', path: 'text', milestone: 'int' } as const;
      return readPages<R>(context.db, page, ofEach(asked, types, pageOf));
    },
  );
}
