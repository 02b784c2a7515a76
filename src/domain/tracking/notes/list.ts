import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findSnippetsByIds } from '#src/domain/snippets/find.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';
import type { NoteableType } from '#src/domain/tracking/noteable.ts';
import { isSourceVisible, sourcePlaces } from '#src/domain/tracking/subjects/seen_sources.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/tracking/notes/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const note = alias('Note', 'nt');
const OLDEST_FIRST = order('Note', ['id']);
const ORDERS = { created_at: ['createdAt', 'id'], updated_at: ['updatedAt', 'id'] } as const;

/** Which notes a list has. */
export type NoteActivity = 'all_notes' | 'only_comments' | 'only_activity';

export interface NoteList {
  activity?: NoteActivity | null | undefined;
  /** By when they were written, if only the direction is given; newest first, if only this is given. Oldest first without both. */
  orderBy?: keyof typeof ORDERS | null | undefined;
  sort?: Direction | null | undefined;
}

/**
 * The notes on each of the records, in one statement. Excludes those from sources that the actor cannot see. The caller must have
 * checked that the actor can see the records.
 */
export async function listNotesOn<R>(
  context: Context,
  type: NoteableType,
  ids: readonly number[],
  { activity, orderBy, sort }: NoteList,
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const isSystem = activity === 'only_comments' || activity === 'only_activity';
  const only = isSystem ? [sql`${note.system} = ${activity === 'only_activity'}`] : [];
  const isOrdered = orderBy != null || sort != null;
  const by = isOrdered ? order('Note', ORDERS[orderBy ?? 'created_at'], sort ?? 'desc') : OLDEST_FIRST;
  return listNotes(context, actor, { ...notesOn(type, ids, ...only), order: by }, page, selection);
}

/** A note on a record that the actor can see, in that thread, if one is given. Throws NotFound. */
export async function findNote<R>(
  context: Context,
  on: { type: NoteableType; id: number },
  id: number,
  selection: Selection<'Note', R>,
  discussionId?: number | null,
): Promise<R> {
  const actor = readerOf(context);
  const one = { limit: 1, offset: 0, withTotal: false };
  const only = [
    sql`${note.id} = ${id}`,
    ...(discussionId == null ? [] : [sql`COALESCE(${note.discussionId}, ${note.id}) = ${discussionId}`]),
  ];
  const [found] = await listNotes(context, actor, notesOn(on.type, [on.id], ...only), one, selection);
  if (!found?.nodes[0]) throw new NotFound('Note');
  return found.nodes[0];
}

function notesOn(type: NoteableType, ids: readonly number[], ...only: Prisma.Sql[]): NotesOf {
  return {
    ids,
    where: (id) => all([sql`${note.subjectType} = ${type}`, sql`${note.subjectId} = ${id}`, ...only]),
    of: sql`sn.subject_type = ${type} AND sn.subject_id = ANY(${[...ids]}::int[])`,
  };
}

/** Lists of notes by the IDs of their parents. */
interface NotesOf {
  ids: readonly number[];
  /** A condition for the notes (`nt`) of one parent. */
  where: (id: Prisma.Sql | number) => Prisma.Sql;
  /** The notes (`sn`) of all parents. */
  of: Prisma.Sql;
  /** Oldest first by default. */
  order?: Order<'Note'>;
}

/** The visible notes, in one statement for all lists. */
export function listNotes<R>(
  { db }: Context,
  actor: Actor | null,
  { ids, where, of, order: by = OLDEST_FIRST }: NotesOf,
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ id }: Asked<{ id: number }>) =>
    pageOfRows(selection, { rows: note, where: all([where(id), isSourceVisible(note, actor)]), order: by }, page);
  const parents = ids.map((id) => ({ id }));
  return readPages<R>(db, page, perParent(parents, { id: 'int' }, pageOf, [sourcePlaces(actor, of)]));
}

/** The columns that identify a note's record. */
const SUBJECT = select('Note', { id: true, subjectType: true, subjectId: true });
const KEY = {
  Issue: select('Issue', { id: true }),
  MergeRequest: select('MergeRequest', { id: true }),
  Snippet: select('Snippet', { id: true }),
};

/**
 * The notes with these IDs that the actor can see, in no particular order, by one statement plus one per type of record.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findNotesByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Note', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const actor = readerOf(context);
  const where = sql`${note.id} = ANY(${[...ids]}::int[]) AND ${isSourceVisible(note, actor)}`;
  const page = { limit: ids.length, offset: 0, withTotal: false };
  const list = { rows: note, where, order: OLDEST_FIRST };
  const places = sourcePlaces(actor, sql`sn.id = ANY(${[...ids]}::int[])`);
  const pages = perParent([{}], {}, () => pageOfRows(selection.with(SUBJECT), list, page), [places]);
  const [found] = await readPages<R & typeof SUBJECT.row>(context.db, page, pages);
  const nodes = found?.nodes ?? [];
  const seen = new Set(
    (
      await Promise.all(
        (['Issue', 'MergeRequest', 'Snippet'] as const).map(async (type) => {
          const on = nodes.filter(({ subjectType }) => subjectType === type).map(({ subjectId }) => subjectId);
          const subjects = on.length > 0 ? await seenSubjects(context, type, [...new Set(on)], projectOf) : [];
          return subjects.map(({ id }) => `${type} ${id}`);
        }),
      )
    ).flat(),
  );
  return nodes.filter(({ subjectType, subjectId }) => seen.has(`${subjectType} ${subjectId}`));
}

/** The records that the actor can see. */
export async function seenSubjects(
  context: Context,
  type: NoteableType,
  ids: readonly number[],
  projectOf: ProjectOf,
): Promise<{ id: number }[]> {
  switch (type) {
    case 'Issue':
      return findIssuesByIds(context, ids, KEY.Issue, projectOf);
    case 'Snippet':
      return findSnippetsByIds(context, ids, KEY.Snippet, projectOf);
    case 'MergeRequest':
      return findMergeRequestsByIds(context, ids, KEY.MergeRequest, projectOf);
  }
}
