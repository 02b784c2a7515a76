import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { updateIssue } from '#src/domain/tracking/issues/update.ts';
import { updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';
import { locateNoteable } from '#src/domain/tracking/noteable.ts';
import { locateNote, updateNote } from '#src/domain/tracking/notes/change.ts';
import { type SeenTask, withTask } from '#src/domain/tracking/subjects/task_items.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A text with tasks: the description of an issue or merge request, or a note. */
export interface TaskText {
  type: 'Issue' | 'MergeRequest' | 'Note';
  id: number;
}

/**
 * Ticks a task in a text, or removes the tick, for those who may edit the text. Throws NotFound, Forbidden, and Conflict where the text
 * is not the one that was seen.
 */
export async function tickTask(
  context: Context,
  { type, id }: TaskText,
  seen: SeenTask,
  isDone: boolean,
): Promise<TaskText> {
  requireActor(context);
  if (type === 'Note') {
    const { note } = await locateNote(context, { id });
    await updateNote(context, { id }, { body: withTask(note.body, seen, isDone), madeFrom: note.body });
    return { type, id };
  }
  const { project, iid } = await locateNoteable(context, { type, id });
  if (iid === null) throw new NotFound(type);
  const rewrite = (description: string | null) => withTask(description, seen, isDone);
  const update = type === 'Issue' ? updateIssue : updateMergeRequest;
  await update(context, project.id, iid, { rewrite });
  return { type, id };
}
