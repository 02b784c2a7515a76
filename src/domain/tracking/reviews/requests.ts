import type { Change, Subject } from '#src/domain/changes/change.ts';
import { type ChangeContext, recordSubjectChanges } from '#src/domain/changes/record.ts';
import { approvalStanding } from '#src/domain/tracking/approvals/standing.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/**
 * Notes that a user asks for changes of a locked merge request: who did not review it becomes a reviewer, and an approval is taken back.
 */
export async function requestChanges(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
): Promise<void> {
  const [mergeRequestId, userId] = [subject.id, actor.id];
  const where = { mergeRequestId, userId };
  const before = await tx.mergeRequestReviewer.findMany({
    where: { mergeRequestId },
    orderBy: { id: 'asc' },
    select: { userId: true },
  });
  const from = before.map((one) => one.userId);
  const { missing } = await approvalStanding(tx, mergeRequestId, userId);
  const approvals = await tx.mergeRequestApproval.deleteMany({ where });
  const state = 'requested_changes' as const;
  await tx.mergeRequestReviewer.upsert({
    where: { mergeRequestId_userId: where },
    create: { ...where, state },
    update: { state },
  });
  const changes: Change[] = [];
  if (!from.includes(userId)) changes.push({ kind: 'reviewers', from, to: [...from, userId] });
  if (approvals.count > 0) changes.push({ kind: 'unapproved', wasWhole: missing === 0 });
  await recordSubjectChanges(tx, context, actor, subject, [...changes, { kind: 'changesRequested' }]);
}

/** Asks a reviewer of a locked merge request once more, and returns whether there is one. Approvals stay. */
export async function requestReviewAgain(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  userId: number,
): Promise<boolean> {
  const where = { mergeRequestId: subject.id, userId };
  const { count } = await tx.mergeRequestReviewer.updateMany({ where, data: { state: 'unreviewed' } });
  if (count === 0) return false;
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'reviewRequestedAgain', userId }]);
  return true;
}
