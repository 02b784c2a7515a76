import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { seenSubjects } from '#src/domain/tracking/notes/list.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const draft = alias('DraftNote', 'd');
const OLDEST_FIRST = order('DraftNote', ['id']);
const OF = select('DraftNote', { id: true, mergeRequestId: true });

/** The actor's own draft notes on each merge request, in one statement. The caller has checked that these are visible. */
export async function listDraftNotes<R>(
  context: Context,
  mergeRequestIds: readonly number[],
  page: PageRequest,
  selection: Selection<'DraftNote', R>,
): Promise<Page<R>[]> {
  // Visitors without an account have none.
  const authorId = readerOf(context)?.id ?? null;
  const pageOf = ({ id }: Asked<{ id: number }>) => {
    const where = sql`${draft.mergeRequestId} = ${id} AND ${draft.authorId} = ${authorId}`;
    return pageOfRows(selection, { rows: draft, where, order: OLDEST_FIRST }, page);
  };
  const parents = mergeRequestIds.map((id) => ({ id }));
  return readPages<R>(context.db, page, perParent(parents, { id: 'int' }, pageOf));
}

/** One of the actor's own draft notes on a merge request that the actor can see. Throws NotFound, also for those of others. */
export async function findDraftNote<R>(
  context: Context,
  mergeRequestId: number,
  id: number,
  selection: Selection<'DraftNote', R>,
): Promise<R> {
  const actor = requireActor(context);
  const where = sql`${draft.id} = ${id} AND ${draft.mergeRequestId} = ${mergeRequestId} AND ${draft.authorId} = ${actor.id}`;
  const found = await readRow(context.db, selection, { rows: draft, where });
  if (!found) throw new NotFound('DraftNote');
  return found;
}

/**
 * The actor's own draft notes with these IDs, on merge requests that the actor can see, in no particular order.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findDraftNotesByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'DraftNote', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const actor = requireActor(context);
  const where = sql`${draft.id} = ANY(${[...ids]}::int[]) AND ${draft.authorId} = ${actor.id}`;
  const found = await readRows(context.db, selection.with(OF), { rows: draft, where });
  const on = [...new Set(found.map(({ mergeRequestId }) => mergeRequestId))];
  const subjects = on.length > 0 ? await seenSubjects(context, 'MergeRequest', on, projectOf) : [];
  const seen = new Set(subjects.map(({ id }) => id));
  return found.filter(({ mergeRequestId }) => seen.has(mergeRequestId));
}
