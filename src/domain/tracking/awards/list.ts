import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import type { AwardableType } from '#src/domain/tracking/awards/awardable.ts';
import { findNotesByIds, seenSubjects } from '#src/domain/tracking/notes/list.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const award = alias('AwardEmoji', 'a');
const OLDEST_FIRST = order('AwardEmoji', ['id']);

/** The awards on each of the records, oldest first, in one statement. The caller has checked that the records are visible. */
export async function listAwardsOn<R>(
  context: Context,
  type: AwardableType,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'AwardEmoji', R>,
): Promise<Page<R>[]> {
  readerOf(context);
  const pageOf = ({ id }: Asked<{ id: number }>) => {
    const where = sql`${award.subjectType} = ${type} AND ${award.subjectId} = ${id}`;
    return pageOfRows(selection, { rows: award, where, order: OLDEST_FIRST }, page);
  };
  const parents = ids.map((id) => ({ id }));
  return readPages<R>(context.db, page, perParent(parents, { id: 'int' }, pageOf));
}

/** An award on a record that the actor can see. Throws NotFound. */
export async function findAward<R>(
  context: Context,
  on: { type: AwardableType; id: number },
  id: number,
  selection: Selection<'AwardEmoji', R>,
): Promise<R> {
  readerOf(context);
  const where = sql`${award.id} = ${id} AND ${award.subjectType} = ${on.type} AND ${award.subjectId} = ${on.id}`;
  const found = await readRow(context.db, selection, { rows: award, where });
  if (!found) throw new NotFound('Award');
  return found;
}

const SUBJECT = select('AwardEmoji', { id: true, subjectType: true, subjectId: true });
const NOTE = select('Note', { id: true });

/**
 * The awards with these IDs that the actor can see, in no particular order, by one statement plus a few per type of record.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findAwardsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'AwardEmoji', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  readerOf(context);
  const where = sql`${award.id} = ANY(${[...ids]}::int[])`;
  const found = await readRows(context.db, selection.with(SUBJECT), { rows: award, where });
  const seen = new Set<string>();
  for (const type of new Set(found.map(({ subjectType }) => subjectType as AwardableType))) {
    const on = [...new Set(found.filter(({ subjectType }) => subjectType === type).map(({ subjectId }) => subjectId))];
    const subjects =
      type === 'Note'
        ? await findNotesByIds(context, on, NOTE, projectOf)
        : await seenSubjects(context, type, on, projectOf);
    for (const { id } of subjects) seen.add(`${type} ${id}`);
  }
  return found.filter(({ subjectType, subjectId }) => seen.has(`${subjectType} ${subjectId}`));
}
