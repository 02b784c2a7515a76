import { recordEvents } from '#src/domain/activity/follow.ts';
import type { Change, Subject } from '#src/domain/changes/change.ts';
import type { Desk } from '#src/domain/notifications/mailing/request.ts';
import { mailChanges } from '#src/domain/notifications/mailing/subject_mail.ts';
import { recordMentions } from '#src/domain/tracking/activity/mentions.ts';
import { writeSystemNotes } from '#src/domain/tracking/activity/system_notes.ts';
import { writeTodos } from '#src/domain/tracking/activity/todos.ts';
import { tellHooksOfSubject } from '#src/domain/webhooks/record_subject.ts';
import type { Transaction } from '#src/platform/database/db.ts';

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
