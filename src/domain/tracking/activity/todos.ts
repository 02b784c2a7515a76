import type { Change, Subject } from '#src/domain/changes/change.ts';
import { mentionedUsers } from '#src/domain/tracking/references/mentioned_users.ts';
import { mayMention, seerOf } from '#src/domain/tracking/references/mentions.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { readersAmong } from '#src/domain/tracking/subjects/readers.ts';
import {
  addTodos,
  finishTodos,
  finishTodosOf,
  type NewTodo,
  type TodoAction,
} from '#src/domain/tracking/subjects/todos.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Creates the todos for others that follow from changes of an issue or merge request. The actor's own are marked as done. */
export async function writeTodos(
  tx: Transaction,
  actor: { id: number },
  subject: Subject,
  changes: readonly Change[],
): Promise<void> {
  const isNew = changes.some(({ kind }) => kind === 'opened');
  if (!isNew) await finishTodos(tx, actor.id, subject);
  for (const change of changes) {
    switch (change.kind) {
      case 'opened':
        await addAsked(tx, actor, subject, change.assigneeIds, 'assigned');
        await addAsked(tx, actor, subject, change.reviewerIds ?? [], 'review_requested');
        await addMentioned(tx, actor, subject, { text: change.description });
        break;
      case 'assignees':
        await finishTodosOf(tx, without(change.from, change.to), subject, 'assigned');
        await addAsked(tx, actor, subject, without(change.to, change.from), 'assigned');
        break;
      case 'reviewers':
        await finishTodosOf(tx, without(change.from, change.to), subject, 'review_requested');
        await addAsked(tx, actor, subject, without(change.to, change.from), 'review_requested');
        break;
      case 'reviewRequestedAgain':
        await addAsked(tx, actor, subject, [change.userId], 'review_requested');
        break;
      case 'description':
        await addMentioned(tx, actor, subject, { text: change.to, before: change.from });
        break;
    }
  }
}

/** Like writeTodos, for a note (`from` is null for a new one): its author's todos are done, mentioned users get one. */
export async function writeNoteTodos(
  tx: Transaction,
  actor: { id: number },
  subject: Subject,
  { id: noteId, from: before, to: text }: { id: number; from: string | null; to: string },
): Promise<void> {
  await finishTodos(tx, actor.id, subject);
  await addMentioned(tx, actor, subject, { text, before, noteId });
}

/** Tells the author and the assignees of a merge request by a todo that a review of it was published. */
export async function writeReviewTodos(
  tx: Transaction,
  actor: { id: number },
  { type, id, iid, title, project }: Subject,
): Promise<void> {
  const users = await tx.$queryRaw<{ id: number }[]>`
    SELECT author_id AS id FROM merge_requests WHERE id = ${id} UNION SELECT unnest(${assigneesOf(type, id)})`;
  const ids = users.map((user) => user.id).filter((userId) => userId !== actor.id);
  const readers = await readersAmong(tx, { type, id, project }, { ids });
  const told = readers.map((reader) => reader.id);
  await addAsked(tx, actor, { type, id, iid, title, project }, told, 'review_submitted');
}

/** The users of a list who are not in the other one. */
const without = (some: readonly number[], others: readonly number[]) => some.filter((id) => !others.includes(id));

async function addAsked(
  tx: Transaction,
  actor: { id: number },
  subject: Subject,
  userIds: readonly number[],
  action: TodoAction,
): Promise<void> {
  const others = userIds.filter((userId) => userId !== actor.id);
  await addTodos(
    tx,
    actor,
    subject,
    others.map((userId) => ({ userId, action })),
  );
}

interface Text {
  text: string | null;
  /** The previous text: users mentioned there were notified already. */
  before?: string | null;
  noteId?: number;
}

async function addMentioned(
  tx: Transaction,
  actor: { id: number },
  subject: Subject,
  { text, before = null, noteId }: Text,
): Promise<void> {
  const author = mayMention(text) ? await seerOf(tx, actor.id) : null;
  if (text === null || author === null) return;
  const known = before === null ? [] : await mentionedUsers(tx, author, subject, before, noteId);
  const told = new Set([actor.id, ...known.map(({ id }) => id)]);
  const todos = (await mentionedUsers(tx, author, subject, text, noteId))
    .filter(({ id }) => !told.has(id))
    .map(({ id: userId, isAddressed }): NewTodo => {
      return { userId, action: isAddressed ? 'directly_addressed' : 'mentioned' };
    });
  await addTodos(tx, actor, subject, todos, noteId);
}
