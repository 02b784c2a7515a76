import type { Subject } from '#src/domain/changes/change.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** The reason for a todo. */
export type TodoAction =
  | 'assigned'
  | 'mentioned'
  | 'build_failed'
  | 'marked'
  | 'approval_required'
  | 'unmergeable'
  | 'directly_addressed'
  | 'review_requested'
  | 'review_submitted';

/** The column of a todo's target. */
export function targetColumn({ type }: Pick<Subject, 'type'>): Prisma.Sql {
  return type === 'Issue' ? sql`issue_id` : sql`merge_request_id`;
}

/** A todo for one of several users. */
export interface NewTodo {
  userId: number;
  action: TodoAction;
}

/** Creates todos for an issue or merge request, for users who have none pending for it. Returns their IDs. */
export async function addTodos(
  tx: Pick<Transaction, '$queryRaw'>,
  author: { id: number },
  subject: Pick<Subject, 'type' | 'id' | 'project'>,
  todos: readonly NewTodo[],
  noteId: number | null = null,
): Promise<number[]> {
  if (todos.length === 0) return [];
  const [users, actions] = [todos.map(({ userId }) => userId), todos.map(({ action }) => action)];
  // Ordered by user, so that concurrent inserts for the same users do not deadlock.
  const made = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO todos (user_id, author_id, project_id, ${targetColumn(subject)}, note_id, action)
    SELECT t.user_id, ${author.id}, ${subject.project.id}, ${subject.id}, ${noteId}::int, t.action::todo_action
    FROM unnest(${users}::int[], ${actions}::text[]) AS t(user_id, action)
    JOIN users u ON u.id = t.user_id AND NOT u.bot AND NOT u.ghost ORDER BY t.user_id
    ON CONFLICT DO NOTHING RETURNING id`;
  return made.map(({ id }) => id);
}

/** Marks the pending todos of a user for an issue or merge request as done, after an action of the user. */
export function finishTodos(
  tx: Pick<Transaction, '$executeRaw'>,
  userId: number,
  subject: Pick<Subject, 'type' | 'id'>,
): Promise<void> {
  return finishTodosOf(tx, [userId], subject);
}

/** Like finishTodos, for several users, and those of one reason if it is given. */
export async function finishTodosOf(
  tx: Pick<Transaction, '$executeRaw'>,
  userIds: readonly number[],
  subject: Pick<Subject, 'type' | 'id'>,
  action?: TodoAction,
): Promise<void> {
  if (userIds.length === 0) return;
  const only = action === undefined ? Prisma.empty : sql`AND action = ${action}::todo_action`;
  await tx.$executeRaw`
    UPDATE todos SET state = 'done', updated_at = now()
    WHERE user_id = ANY(${[...userIds]}::int[]) AND ${targetColumn(subject)} = ${subject.id} AND state = 'pending' ${only}`;
}
