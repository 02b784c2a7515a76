import { forgetEvents, recordEvent } from '#src/domain/activity/record_event.ts';
import type { Change, ChangeKind, Subject } from '#src/domain/changes/change.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The words of the feed (behaviour.md 7, Event) for the changes that it shows. */
const ACTIONS: Partial<Record<ChangeKind, string>> = {
  opened: 'opened',
  closed: 'closed',
  reopened: 'opened',
  merged: 'accepted',
  deleted: 'destroyed',
};

/** Writes the events of these changes. */
export async function recordEvents(
  tx: Transaction,
  { id: authorId }: { id: number },
  { type, id, title, project }: Subject,
  changes: readonly Change[],
): Promise<void> {
  for (const { kind } of changes) {
    // Issues stay, marked as deleted, and their events with them.
    if (kind === 'deleted' && type === 'MergeRequest') await forgetEvents(tx, { type, id });
    const action = ACTIONS[kind];
    if (action) await recordEvent(tx, { projectId: project.id, authorId, action, target: { type, id, title } });
  }
}
