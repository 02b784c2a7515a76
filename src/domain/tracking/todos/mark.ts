import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { locateSubject, type SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { addTodos } from '#src/domain/tracking/subjects/todos.ts';
import { findTodo, type TodoFilter, todoConditions } from '#src/domain/tracking/todos/list.ts';
import { all, type Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { select } from '#src/platform/records/selection.ts';

const ID = select('Todo', { id: true });
const todo = alias('Todo', 't');

/** Marks a pending todo of the actor as done; `changed` is false if it is. Throws NotFound. */
export async function markTodoDone(context: Context, id: number): Promise<{ id: number; changed: boolean }> {
  await findTodo(context, id, ID);
  const count = await context.db
    .$executeRaw`UPDATE todos SET state = 'done', updated_at = now() WHERE id = ${id} AND state = 'pending'`;
  return { id, changed: count > 0 };
}

/** Marks all todos of the actor that match the filter as done. Returns their number. */
export async function markTodosDone(context: Context, filter: TodoFilter): Promise<number> {
  const actor = requireActor(context);
  return context.db.$executeRaw`
    UPDATE ${table(todo)} SET state = 'done', updated_at = now()
    WHERE ${all(todoConditions(actor, filter))} AND ${todo.state} = 'pending'`;
}

/** Creates a todo of the actor for an issue or merge request. `changed` is false if there is a pending one, which is returned. Throws NotFound. */
export async function markAsTodo(
  context: Context,
  type: SubjectType,
  ref: IdOrPath,
  iid: number,
): Promise<{ id: number; changed: boolean }> {
  const actor = requireActor(context);
  const subject = await locateSubject(context, type, ref, iid);
  const [id] = await addTodos(context.db, actor, subject, [{ userId: actor.id, action: 'marked' }]);
  if (id !== undefined) return { id, changed: true };
  const about = type === 'Issue' ? { issueId: subject.id } : { mergeRequestId: subject.id };
  const where = { userId: actor.id, ...about, state: 'pending' } satisfies Prisma.TodoWhereInput;
  const pending = await context.db.todo.findFirst({ where, orderBy: { id: 'desc' }, select: { id: true } });
  if (!pending) throw new NotFound('Todo');
  return { id: pending.id, changed: false };
}
