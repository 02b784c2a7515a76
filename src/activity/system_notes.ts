import type { Change, Subject } from '#src/activity/change.ts';
import type { Transaction } from '#src/platform/db.ts';

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
    default:
      return null;
  }
}
