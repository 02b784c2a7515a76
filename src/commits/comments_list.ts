import { authorize } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import type { CommitRow } from '#src/commits/find.ts';
import { Prisma, queryPage } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import { type UserRow, userJson, WHOLE } from '#src/users/rows.ts';

const { sql } = Prisma;

/** What somebody said of a commit, or of a line in it. */
export interface CommitCommentRow {
  id: number;
  projectId: number;
  sha: string;
  note: string;
  path: string | null;
  line: number | null;
  lineType: 'new' | 'old' | null;
  /** ISO 8601. */
  createdAt: string;
  /** With the primary e-mail address, which the contract shows to every reader. */
  author: UserRow;
}

/** Every reader sees the address of the author. */
const AUTHOR = select('User', { shownEmail: true });

/** The comments on a commit, oldest first. Throws Forbidden, Unauthenticated. */
export async function listCommitComments(
  context: Context,
  { project, oid }: CommitRow,
  { limit, offset, withTotal }: PageRequest,
  users: Selection<'User'>,
): Promise<Page<CommitCommentRow>> {
  authorize(context.actor, 'read_commit', project);
  const condition = sql`project_id = ${project.id} AND sha = ${oid}`;
  const ids = sql`SELECT id FROM commit_comments WHERE ${condition} ORDER BY id LIMIT ${limit} OFFSET ${offset}`;
  const total = withTotal && sql`(SELECT count(*) FROM commit_comments WHERE ${condition})`;
  return queryPage(context.db, offset, commitCommentRows(ids, users), total);
}

/** An expression for the JSON array of the comments with these IDs, and what is selected of their authors. */
export function commitCommentRows(ids: Prisma.Sql, users: Selection<'User'> = WHOLE): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', c.id, 'projectId', c.project_id, 'sha', c.sha, 'note', c.note,
      'path', c.path, 'line', c.line, 'lineType', c.line_type, 'createdAt', c.created_at,
      'author', ${userJson('u', AUTHOR.with(users))}) ORDER BY c.id), '[]')
    FROM commit_comments c JOIN users u ON u.id = c.author_id WHERE c.id IN (${ids}))`;
}
