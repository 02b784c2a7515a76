import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { assignedTo } from '#src/access/permissions/visibility.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import { type MergeRequestFilter, mergeRequestConditions } from '#src/domain/tracking/merge_requests/filter.ts';
import { firstOfKeyed, type MergeRequestOrder, orderOf } from '#src/domain/tracking/merge_requests/list.ts';
import { searchOf } from '#src/domain/tracking/subjects/filter.ts';
import { searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { isKeyed, keyedPage } from '#src/domain/tracking/subjects/order.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [mergeRequest, reviewer] = [alias('MergeRequest', 'mr'), alias('MergeRequestReviewer', 'rv')];

/** A user's part in a merge request. */
export type MergeRequestRole = 'author' | 'assignee' | 'reviewer';

/** The merge requests in which each user has that part, as far as the actor can see them, in one statement. Throws BadRequest. */
export async function listMergeRequestsOfUsers<R>(
  context: Context,
  userIds: readonly number[],
  role: MergeRequestRole,
  filter: MergeRequestFilter,
  by: MergeRequestOrder,
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const params = { actor };
  const pageOf = ({ user }: Asked<{ user: number }>) => {
    const where = all([
      PARTS[role](user),
      within(mergeRequest.targetProjectId, 'merge_requests'),
      ...mergeRequestConditions(mergeRequest, filter, actor, null),
    ]);
    if (isKeyed(by.by)) {
      const found = sql`SELECT ${firstOfKeyed} FROM ${table(mergeRequest)} WHERE ${where}`;
      const list = { type: 'MergeRequest', row: mergeRequest, by: by.by, direction: by.direction } as const;
      return keyedPage(selection, { ...list, found, total: null, params }, page);
    }
    return pageOfRows(selection, { rows: mergeRequest, where, order: orderOf(by), params }, page);
  };
  const places = seenPlaces(actor, filter.nonArchived ? sql`NOT p.archived` : sql`TRUE`, 'mergeRequests');
  const common = [places, ...searchHits(searchOf(filter), 'merge_requests')];
  const users = userIds.map((user) => ({ user }));
  return readPages<R>(context.db, page, perParent(users, { user: 'int' }, pageOf, common));
}

/** The condition that a user has a part in a merge request. */
const PARTS: Record<MergeRequestRole, (user: number | Prisma.Sql) => Prisma.Sql> = {
  author: (user) => sql`${mergeRequest.authorId} = ${user}`,
  assignee: (user) => assignedTo('MergeRequest', mergeRequest, user),
  reviewer: (user) => sql`${mergeRequest.id} IN (SELECT ${reviewer.mergeRequestId} FROM ${table(reviewer)}
    WHERE ${reviewer.userId} = ${user})`,
};
