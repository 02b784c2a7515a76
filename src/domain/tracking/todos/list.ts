import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import '#src/domain/tracking/issues/computed_fields.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import { isOpenNote } from '#src/domain/tracking/subjects/seen_sources.ts';
import type { TodoAction } from '#src/domain/tracking/subjects/todos.ts';
import { all, Prisma, queryJson, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [todo, issue, mergeRequest] = [alias('Todo', 't'), alias('Issue', 'i'), alias('MergeRequest', 'mr')];
const note = alias('Note', 'tn');

export interface TodoFilter {
  state: 'pending' | 'done';
  action?: TodoAction | null | undefined;
  authorId?: number | null | undefined;
  projectId?: number | null | undefined;
  type?: 'Issue' | 'MergeRequest' | null | undefined;
}

/** The conditions of a filter on the actor's todos. */
export function todoConditions(
  actor: Pick<Actor, 'id'>,
  { state, action, authorId, projectId, type }: TodoFilter,
): Prisma.Sql[] {
  return [
    sql`${todo.userId} = ${actor.id}`,
    sql`${todo.state} = ${state}::todo_state`,
    ...(action == null ? [] : [sql`${todo.action} = ${action}::todo_action`]),
    ...(authorId == null ? [] : [sql`${todo.authorId} = ${authorId}`]),
    ...(projectId == null ? [] : [sql`${todo.projectId} = ${projectId}`]),
    ...(type == null
      ? []
      : [type === 'Issue' ? sql`${todo.issueId} IS NOT NULL` : sql`${todo.mergeRequestId} IS NOT NULL`]),
  ];
}

/** Whether the actor can see the target of a todo, using `places` (seenPlaces). */
function targetVisible(actor: Actor): Prisma.Sql {
  const seesConfidential = within(issue.projectId, 'confidential');
  return sql`((EXISTS (SELECT 1 FROM ${table(issue)} WHERE ${issue.id} = ${todo.issueId} AND ${issue.deletedAt} IS NULL
      AND ${within(issue.projectId, 'issues')} AND ${issueVisible(issue, actor, seesConfidential)})
    OR EXISTS (SELECT 1 FROM ${table(mergeRequest)} WHERE ${mergeRequest.id} = ${todo.mergeRequestId}
      AND ${within(mergeRequest.targetProjectId, 'merge_requests')}))
    AND (${todo.noteId} IS NULL OR EXISTS (SELECT 1 FROM ${table(note)} WHERE ${note.id} = ${todo.noteId}
      AND (${isOpenNote(note)} OR ${within(note.sourceProjectId, 'confidential')}))))`;
}

const NEWEST_FIRST = order('Todo', ['id'], 'desc');

/** The actor's todos whose target is still visible to the actor, newest first, in one statement. */
export async function listTodos<R>(
  context: Context,
  filter: TodoFilter,
  page: PageRequest,
  selection: Selection<'Todo', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  return read(context, actor, todoConditions(actor, filter), page, selection);
}

/** The actor's todo with that ID, if its target is still visible to the actor. Throws NotFound. */
export async function findTodo<R>(context: Context, id: number, selection: Selection<'Todo', R>): Promise<R> {
  const [found] = await findTodosByIds(context, [id], selection);
  if (!found) throw new NotFound('Todo');
  return found;
}

const ID = select('Todo', { id: true });

/** The todos with these IDs that belong to the actor, and whose target is still visible to the actor. */
export async function findTodosByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Todo', R>,
): Promise<(R & { id: number })[]> {
  const actor = requireActor(context);
  const conditions = [sql`${todo.userId} = ${actor.id}`, sql`${todo.id} = ANY(${[...ids]}::int[])`];
  const page = { limit: ids.length, offset: 0, withTotal: false };
  return (await read(context, actor, conditions, page, selection.with(ID))).nodes;
}

async function read<R>(
  context: Context,
  actor: Actor,
  conditions: Prisma.Sql[],
  page: PageRequest,
  selection: Selection<'Todo', R>,
): Promise<Page<R>> {
  const where = all([...conditions, targetVisible(actor)]);
  const list = { rows: todo, where, order: NEWEST_FIRST, params: { actor } };
  const pages = perParent([{}], {}, () => pageOfRows(selection, list, page), [seenPlaces(actor)]);
  const [found] = await readPages<R>(context.db, page, pages);
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}

/** How many todos of each state the actor has, counting those with visible targets. */
export async function countTodos(context: Context): Promise<{ pending: number; done: number }> {
  const actor = requireActor(context);
  const of = (state: string) => sql`count(*) FILTER (WHERE ${todo.state} = ${state}::todo_state)`;
  const [counts] = await queryJson<{ pending: number; done: number }[]>(
    context.db,
    sql`(WITH ${seenPlaces(actor)} SELECT json_build_array(json_build_object('pending', ${of('pending')}, 'done', ${of('done')}))
      FROM ${table(todo)} WHERE ${todo.userId} = ${actor.id} AND ${targetVisible(actor)})`,
  );
  return counts ?? { pending: 0, done: 0 };
}
