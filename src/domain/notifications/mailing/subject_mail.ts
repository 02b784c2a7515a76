import type { Change, Subject } from '#src/domain/changes/change.ts';
import { type Desk, type RecordHappening, wantMail } from '#src/domain/notifications/mailing/request.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Has mail sent about the changes that one can choose to hear of. A moved issue is told of where it was. */
export async function mailChanges(
  tx: Transaction,
  desk: Desk,
  { id: actorId }: { id: number },
  { type, id, project }: Subject,
  changes: readonly Change[],
): Promise<void> {
  if (changes.some(({ kind }) => kind === 'movedFrom')) return;
  const common = { projectId: project.id, subject: { type, id }, actorId };
  const happenings = changes.flatMap((change): RecordHappening[] => {
    switch (change.kind) {
      case 'opened':
        return [{ ...common, event: `new${type}` }];
      case 'closed':
        return [{ ...common, event: `close${type}` }];
      case 'reopened':
        return [{ ...common, event: `reopen${type}` }];
      case 'merged':
        return [{ ...common, event: 'mergeMergeRequest' }];
      case 'assignee':
        return [{ ...common, event: `reassign${type}`, assignees: { from: change.from, to: change.to } }];
      default:
        return [];
    }
  });
  await wantMail(tx, desk, happenings);
}
