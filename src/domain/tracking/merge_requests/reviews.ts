import { can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readPermitted } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const rows = alias('MergeRequestReviewer', 'r');
const order = byKey('MergeRequestReviewer');

const OF_PROJECT = select('MergeRequestReviewer', { id: true, mergeRequest: { targetProjectId: true } });

/**
 * The reviews with these IDs of merge requests that the actor may read, in one statement.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export function findReviewsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'MergeRequestReviewer', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const actor = readerOf(context);
  return readPermitted(context.db, selection, { rows, ids, keys: OF_PROJECT }, async ({ mergeRequest }) => {
    const project = await projectOf(mergeRequest.targetProjectId);
    return project !== null && can(actor, 'read_merge_request', project);
  });
}

/**
 * The reviewers of each merge request, in the order in which they were asked, in one statement. The caller has checked that the merge
 * requests are visible.
 */
export function listReviews<R>(
  context: Context,
  mergeRequestIds: readonly number[],
  page: PageRequest,
  selection: Selection<'MergeRequestReviewer', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ id }: Asked<{ id: number }>) =>
    pageOfRows(selection, { rows, where: Prisma.sql`${rows.mergeRequestId} = ${id}`, order }, page);
  const parents = mergeRequestIds.map((id) => ({ id }));
  return readPages<R>(context.db, page, perParent(parents, { id: 'int' }, pageOf));
}
