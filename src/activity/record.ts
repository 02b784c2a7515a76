import type { Change, Subject } from '#src/activity/change.ts';
import { recordEvents } from '#src/activity/events.ts';
import { mailChanges } from '#src/activity/mail.ts';
import { recordMentions } from '#src/activity/mentions.ts';
import { writeSystemNotes } from '#src/activity/system_notes.ts';
import { writeTodos } from '#src/activity/todos.ts';
import { tellHooksOfSubject } from '#src/hooks/tell_subject.ts';
import type { Desk } from '#src/mailing/want.ts';
import type { Transaction } from '#src/platform/db.ts';

/**
 * Tells of what somebody changed about an issue or merge request, in the transaction that changes it. Commands report their
 * changes here and write nothing of this themselves: each kind of record has a file beside this one.
 */
export async function recordActivity(
  tx: Transaction,
  desk: Desk,
  actor: { id: number },
  subject: Subject,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await recordEvents(tx, actor, subject, changes);
  await writeSystemNotes(tx, actor, subject, changes);
  await writeTodos(tx, actor, subject, changes);
  await mailChanges(tx, desk, actor, subject, changes);
  await tellHooksOfSubject(tx, desk, actor, subject, changes);
  // What was moved mentions what it did before.
  if (changes.some(({ kind }) => kind === 'movedFrom')) return;
  for (const text of textsOf(subject, changes)) await recordMentions(tx, actor, subject, text);
}

/** What the changes say anew. */
function textsOf({ title }: Subject, changes: readonly Change[]): (string | null)[] {
  return changes.flatMap((change) => {
    if (change.kind === 'opened') return [title, change.description];
    return change.kind === 'title' || change.kind === 'description' ? [change.to] : [];
  });
}
