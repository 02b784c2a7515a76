import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { within } from '#src/access/permissions/places.ts';
import { directlyIn, type GroupParent, placesAround } from '#src/domain/tracking/issues/list_across.ts';
import { type MergeRequestFilter, mergeRequestConditions } from '#src/domain/tracking/merge_requests/filter.ts';
import type { MergeRequestOrder } from '#src/domain/tracking/merge_requests/list.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, ofEach } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

/** The merge requests with each label or milestone of a group, in all projects that the actor can see, in one statement. */
export async function listMergeRequestsAcross<R>(
  context: Context,
  parents: readonly GroupParent[],
  filter: MergeRequestFilter,
  { by, direction }: MergeRequestOrder,
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
  { inSubgroups = true }: { inSubgroups?: boolean } = {},
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const sorted = order('MergeRequest', [by === 'created_at' ? 'createdAt' : 'updatedAt', 'id'], direction);
  const isOfLabel = parents.some(({ labelId }) => labelId !== undefined);
  const { targetProjectId } = mergeRequest;
  const pageOf = ({ id, group }: Asked<{ id: number; group: number }>) => {
    const where = all([
      isOfLabel
        ? sql`${mergeRequest.id} IN (SELECT bl.merge_request_id FROM merge_request_labels bl WHERE bl.label_id = ${id})`
        : sql`${mergeRequest.milestoneId} = ${id}`,
      within(targetProjectId, 'merge_requests'),
      ...(inSubgroups ? [] : [directlyIn(targetProjectId, group)]),
      ...mergeRequestConditions(mergeRequest, filter, actor, targetProjectId),
    ]);
    return pageOfRows(selection, { rows: mergeRequest, where, order: sorted, params: { actor } }, page);
  };
  const asked = parents.map(({ group, labelId, milestoneId }) => ({
    id: labelId ?? milestoneId ?? 0,
    group: group.id,
  }));
  return readPages<R>(
    context.db,
    page,
    ofEach(asked, { id: 'int', group: 'int' }, pageOf, [placesAround(actor, parents)]),
  );
}
