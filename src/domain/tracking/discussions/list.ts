import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findNotesByIds, listNotes } from '#src/domain/tracking/notes/list.ts';
import type { NoteableType } from '#src/domain/tracking/notes/noteable.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
/** As lists of notes call them. */
const note = alias('Note', 'nt');

/** Whether a note is the first of its thread that is left. */
const IS_FIRST = sql`(${note.discussionId} IS NULL OR (
  NOT EXISTS (SELECT 1 FROM notes f WHERE f.id = ${note.discussionId})
  AND NOT EXISTS (SELECT 1 FROM notes f WHERE f.discussion_id = ${note.discussionId} AND f.id < ${note.id})))`;

/**
 * The threads on each of the records in the order in which they were begun, each as the first of its notes that is left, in one
 * statement. The caller has made sure that the actor sees the records.
 */
export async function listDiscussionsOn<R>(
  context: Context,
  type: NoteableType,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const of = sql`sn.subject_type = ${type} AND sn.subject_id = ANY(${[...ids]}::int[])`;
  const where = (id: Prisma.Sql | number) =>
    sql`${note.subjectType} = ${type} AND ${note.subjectId} = ${id} AND ${IS_FIRST}`;
  return listNotes(context, actor, { ids, where, of }, page, selection);
}

/** A thread on a record that the actor sees, as the first of its notes that is left. Throws NotFound. */
export async function findDiscussion<R>(
  context: Context,
  { type, id: subjectId }: { type: NoteableType; id: number },
  id: number,
  selection: Selection<'Note', R>,
): Promise<R> {
  const actor = requireActor(context);
  const of = sql`sn.subject_type = ${type} AND sn.subject_id = ${subjectId}`;
  const where = () => sql`${note.subjectType} = ${type} AND ${note.subjectId} = ${subjectId} AND ${note.id} = (
    SELECT min(f.id) FROM notes f WHERE (f.id = ${id} AND f.discussion_id IS NULL) OR f.discussion_id = ${id})`;
  const one = { limit: 1, offset: 0, withTotal: false };
  const [found] = await listNotes(context, actor, { ids: [id], where, of }, one, selection);
  if (!found?.nodes[0]) throw new NotFound('Discussion');
  return found.nodes[0];
}

/**
 * The notes of each of the threads, oldest first, in one statement. The caller has made sure that the actor sees the records
 * that they are on.
 */
export async function listNotesOfDiscussions<R>(
  context: Context,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const of = sql`(sn.id = ANY(${[...ids]}::int[]) OR sn.discussion_id = ANY(${[...ids]}::int[]))`;
  // As a list of IDs, since PostgreSQL takes the condition itself for one that many notes meet, and walks through all of them.
  const where = (id: Prisma.Sql | number) =>
    sql`${note.id} = ANY(ARRAY(SELECT ${id}::int UNION ALL SELECT f.id FROM notes f WHERE f.discussion_id = ${id}))`;
  return listNotes(context, actor, { ids, where, of }, page, selection);
}

const OF = select('Note', { id: true, discussionId: true });

/**
 * Those of the threads with these IDs that the actor sees, each as the first of its notes that is left but with its own ID, in
 * no order.
 *
 * @param projectOf gives the projects that the actor sees, null for others
 */
export async function findDiscussionsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Note', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  requireActor(context);
  const firsts = await context.db.$queryRaw<{ id: number }[]>`
    SELECT min(f.id) AS id FROM notes f
    WHERE (f.id = ANY(${[...ids]}::int[]) AND f.discussion_id IS NULL) OR f.discussion_id = ANY(${[...ids]}::int[])
    GROUP BY COALESCE(f.discussion_id, f.id)`;
  const noteIds = firsts.map(({ id }) => id);
  if (noteIds.length === 0) return [];
  const found = await findNotesByIds(context, noteIds, selection.with(OF), projectOf);
  return found.map((one) => ({ ...one, id: one.discussionId ?? one.id }));
}
