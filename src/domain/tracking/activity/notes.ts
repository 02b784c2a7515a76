import { recordEvent } from '#src/domain/activity/record_event.ts';
import { type Desk, wantMail } from '#src/domain/notifications/mailing/request.ts';
import { recordMentions } from '#src/domain/tracking/activity/mentions.ts';
import { writeNoteTodos } from '#src/domain/tracking/activity/todos.ts';
import type { Noteable } from '#src/domain/tracking/notes/noteable.ts';
import { tellHooksOfNote } from '#src/domain/webhooks/record_note.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** What a note says, before and after; `from` is null for a new one. */
export interface NoteText {
  from: string | null;
  to: string;
}

/** Tells of a note that somebody wrote or changed, in the transaction that does it. */
export async function recordNote(
  tx: Transaction,
  desk: Desk,
  { id: authorId }: { id: number },
  { type, id: subjectId, iid, title, project }: Noteable,
  noteId: number,
  { from, to }: NoteText,
): Promise<void> {
  if (from === null) await tellHooksOfNote(tx, desk, type, noteId);
  // Else nothing is told of snippets.
  if (type === 'Snippet' || iid === null) return;
  if (from === null) {
    const target = { type: `${type}Note` as const, id: noteId, title, subjectId };
    await recordEvent(tx, { projectId: project.id, authorId, action: 'commented on', target });
    const mailed = { projectId: project.id, subject: { type, id: subjectId }, actorId: authorId, noteId };
    await wantMail(tx, desk, [{ event: 'newNote', ...mailed }]);
  }
  const subject = { type, id: subjectId, iid, title, project };
  await writeNoteTodos(tx, { id: authorId }, subject, { id: noteId, from, to });
  await recordMentions(tx, { id: authorId }, subject, to);
}
