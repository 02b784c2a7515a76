import type { Change, Subject } from '#src/activity/change.ts';
import type { Transaction } from '#src/platform/db.ts';
import { formatDuration } from '#src/time_tracking/duration.ts';

/** Writes the notes in which the server tells of changes. */
export async function writeSystemNotes(
  tx: Transaction,
  { id: authorId }: { id: number },
  { type: subjectType, id: subjectId }: Subject,
  changes: readonly Change[],
): Promise<void> {
  const data = changes.flatMap((change) => {
    const body = words(change);
    return body === null ? [] : [{ subjectType, subjectId, authorId, system: true, body }];
  });
  if (data.length > 0) await tx.note.createMany({ data });
}

/** What a note says of a change; null for changes that leave none. */
function words(change: Change): string | null {
  switch (change.kind) {
    case 'movedTo':
      return `moved to ${change.fullPath}#${change.iid}`;
    case 'movedFrom':
      return `moved from ${change.fullPath}#${change.iid}`;
    case 'timeEstimate':
      return change.seconds === 0
        ? 'removed time estimate'
        : `changed time estimate to ${formatDuration(change.seconds)}`;
    case 'timeSpent':
      return `${change.seconds < 0 ? 'subtracted' : 'added'} ${formatDuration(Math.abs(change.seconds))} of time spent`;
    case 'timeReset':
      return 'removed time spent';
    default:
      return null;
  }
}
