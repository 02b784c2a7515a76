import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import type { NoteableType } from '#src/domain/tracking/noteable.ts';
import { findNotesByIds, listNotes, type NoteActivity } from '#src/domain/tracking/notes/list.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const note = alias('Note', 'nt');
const BY_CREATION = order('Note', ['createdAt', 'id']);

/** Whether a note is the first remaining one of its thread. */
const IS_FIRST = sql`(${note.discussionId} IS NULL OR (
  NOT EXISTS (SELECT 1 FROM notes f WHERE f.id = ${note.discussionId})
  AND NOT EXISTS (SELECT 1 FROM notes f WHERE f.discussion_id = ${note.discussionId} AND f.id < ${note.id})))`;

/** Whether the thread of a note is on a line, file or image. */
const ON_CHANGES = sql` AND EXISTS (SELECT 1 FROM discussions d
  WHERE d.id = COALESCE(${note.discussionId}, ${note.id}) AND d.original_position IS NOT NULL)`;

/** Which threads a list has, and in which direction: oldest first when absent. */
export interface ThreadList {
  activity?: NoteActivity | null | undefined;
  sort?: Direction | null | undefined;
}

/** Whether a thread was begun by the server or by a person. */
function ofActivity(activity: NoteActivity | null | undefined): Prisma.Sql {
  if (activity == null || activity === 'all_notes') return sql``;
  return sql` AND ${note.system} = ${activity === 'only_activity'}`;
}

/**
 * The threads on each of the records in chronological order, each represented by its first remaining note, in one statement;
 * with `onChanges` only those on lines, files and images. The caller must have checked that the actor can see the records.
 */
export async function listDiscussionsOn<R>(
  context: Context,
  type: NoteableType,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'Note', R>,
  { onChanges = false, activity, sort }: { onChanges?: boolean } & ThreadList = {},
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const of = sql`sn.subject_type = ${type} AND sn.subject_id = ANY(${[...ids]}::int[])`;
  const where = (id: Prisma.Sql | number) =>
    sql`${note.subjectType} = ${type} AND ${note.subjectId} = ${id} AND ${IS_FIRST}${onChanges ? ON_CHANGES : sql``}${ofActivity(activity)}`;
  const by = sort === 'desc' ? order('Note', ['createdAt', 'id'], 'desc') : BY_CREATION;
  return listNotes(context, actor, { ids, where, of, order: by }, page, selection);
}

/** A thread on a record that the actor can see, represented by its first remaining note. Throws NotFound. */
export async function findDiscussion<R>(
  context: Context,
  { type, id: subjectId }: { type: NoteableType; id: number },
  id: number,
  selection: Selection<'Note', R>,
): Promise<R> {
  const actor = readerOf(context);
  const of = sql`sn.subject_type = ${type} AND sn.subject_id = ${subjectId}`;
  const where = () => sql`${note.subjectType} = ${type} AND ${note.subjectId} = ${subjectId} AND ${note.id} = (
    SELECT min(f.id) FROM notes f WHERE (f.id = ${id} AND f.discussion_id IS NULL) OR f.discussion_id = ${id})`;
  const one = { limit: 1, offset: 0, withTotal: false };
  const [found] = await listNotes(context, actor, { ids: [id], where, of }, one, selection);
  if (!found?.nodes[0]) throw new NotFound('Discussion');
  return found.nodes[0];
}

/** The notes of each thread, oldest first, in one statement. The caller has checked that the records are visible. */
export async function listNotesOfDiscussions<R>(
  context: Context,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const of = sql`(sn.id = ANY(${[...ids]}::int[]) OR sn.discussion_id = ANY(${[...ids]}::int[]))`;
  // As a list of IDs, since PostgreSQL assumes that many notes meet the condition itself, and reads all of them.
  const where = (id: Prisma.Sql | number) =>
    sql`${note.id} = ANY(ARRAY(SELECT ${id}::int UNION ALL SELECT f.id FROM notes f WHERE f.discussion_id = ${id}))`;
  return listNotes(context, actor, { ids, where, of, order: BY_CREATION }, page, selection);
}

const OF = select('Note', { id: true, discussionId: true });

/**
 * The threads with these IDs that the actor can see, each represented by its first remaining note but with its own ID, in no
 * particular order.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findDiscussionsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Note', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  readerOf(context);
  const firsts = await context.db.$queryRaw<{ id: number }[]>`
    SELECT min(f.id) AS id FROM notes f
    WHERE (f.id = ANY(${[...ids]}::int[]) AND f.discussion_id IS NULL) OR f.discussion_id = ANY(${[...ids]}::int[])
    GROUP BY COALESCE(f.discussion_id, f.id)`;
  const noteIds = firsts.map(({ id }) => id);
  if (noteIds.length === 0) return [];
  const found = await findNotesByIds(context, noteIds, selection.with(OF), projectOf);
  return found.map((one) => ({ ...one, id: one.discussionId ?? one.id }));
}
