import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { commentsAsNotes } from '#src/domain/changes/comments_as_notes.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, onlyOne, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/tracking/notes/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const note = alias('Note', 'nt');
const BY_CREATION = order('Note', ['createdAt', 'id']);
const ONE = { limit: 1, offset: 0, withTotal: false };

/** Whether a comment is the first remaining one of its thread. */
const IS_FIRST = sql`(c.discussion_id IS NULL OR (NOT EXISTS (SELECT 1 FROM commit_comments f WHERE f.id = c.discussion_id)
  AND NOT EXISTS (SELECT 1 FROM commit_comments f WHERE f.discussion_id = c.discussion_id AND f.id < c.id)))`;

/** The comments of a thread, as a list of IDs, since PostgreSQL assumes that many meet the condition itself, and reads all. */
const inThread = (id: Prisma.Sql | number) =>
  sql`c.id = ANY(ARRAY(SELECT ${id}::int UNION ALL SELECT f.id FROM commit_comments f WHERE f.discussion_id = ${id}))`;

/**
 * The threads on each commit in chronological order, each represented by its first remaining comment in the form of a note, in
 * one statement; Forbidden or Unauthenticated in place of unreadable ones.
 */
export function listCommitDiscussions<R>(
  context: Context,
  commits: readonly CommitRow[],
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<(Page<R> | Error)[]> {
  return commentsOn(context, commits, IS_FIRST, page, selection);
}

/** A thread on a commit, represented likewise. Throws NotFound, Forbidden, Unauthenticated. */
export async function findCommitDiscussion<R>(
  context: Context,
  commit: CommitRow,
  id: number,
  selection: Selection<'Note', R>,
): Promise<R> {
  const where = sql`${inThread(id)} AND (c.id = ${id} AND c.discussion_id IS NULL OR c.discussion_id = ${id})`;
  return first('Discussion', await commentsOn(context, [commit], where, ONE, selection));
}

/** A comment on a commit in the form of a note, in that thread, if one is given. Throws NotFound, Forbidden, Unauthenticated. */
export async function findCommitNote<R>(
  context: Context,
  commit: CommitRow,
  id: number,
  selection: Selection<'Note', R>,
  discussionId?: number | null,
): Promise<R> {
  const of = discussionId == null ? sql`TRUE` : sql`COALESCE(c.discussion_id, c.id) = ${discussionId}`;
  return first('Note', await commentsOn(context, [commit], sql`c.id = ${id} AND ${of}`, ONE, selection));
}

/** The comments of each thread in the form of notes, oldest first, in one statement. The caller has checked that it is visible. */
export async function listNotesOfCommitDiscussions<R>(
  { db }: Context,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ id }: Asked<{ id: number }>) => pageOfComments(selection, inThread(id), page);
  const parents = ids.map((id) => ({ id }));
  return readPages<R>(db, page, perParent(parents, { id: 'int' }, pageOf));
}

function commentsOn<R>(
  context: Context,
  commits: readonly CommitRow[],
  where: Prisma.Sql,
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<(Page<R> | Error)[]> {
  const pageOf = ({ project, sha }: Asked<{ project: number; sha: string }>) =>
    pageOfComments(selection, sql`c.project_id = ${project} AND c.sha = ${sha} AND ${where}`, page);
  return forPermittedParents(
    commits,
    ({ project }) => authorize(context.actor, 'read_commit', project),
    (permitted) => {
      const parents = permitted.map(({ project, oid }) => ({ project: project.id, sha: oid }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int', sha: 'text' }, pageOf));
    },
  );
}

function pageOfComments(selection: Selection<'Note'>, where: Prisma.Sql, page: PageRequest): Prisma.Sql {
  const from = sql`(${commentsAsNotes(where)}) nt`;
  return pageOfRows(selection, { rows: note, from, where: sql`TRUE`, order: BY_CREATION }, page);
}

function first<R>(resource: 'Discussion' | 'Note', pages: readonly (Page<R> | Error)[]): R {
  const { nodes } = onlyOne(pages);
  if (nodes[0] === undefined) throw new NotFound(resource);
  return nodes[0];
}
