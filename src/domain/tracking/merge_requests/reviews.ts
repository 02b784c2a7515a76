import type { Context } from '#src/access/permissions/actor.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const rows = alias('MergeRequestReviewer', 'r');
const order = byKey('MergeRequestReviewer');

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
