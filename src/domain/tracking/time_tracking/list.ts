import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const timelog = alias('Timelog', 'tl');

/**
 * The time log of each issue, or of each merge request, oldest first, in one statement. The caller must have checked that the
 * actor can see the records.
 */
export async function listTimelogsOf<R>(
  context: Context,
  kind: SubjectType,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'Timelog', R>,
): Promise<Page<R>[]> {
  readerOf(context);
  const column = kind === 'Issue' ? timelog.issueId : timelog.mergeRequestId;
  const pageOf = ({ subject }: Asked<{ subject: number }>) =>
    pageOfRows(selection, { rows: timelog, where: sql`${column} = ${subject}`, order: byKey('Timelog') }, page);
  const subjects = ids.map((subject) => ({ subject }));
  return readPages<R>(context.db, page, perParent(subjects, { subject: 'int' }, pageOf));
}
