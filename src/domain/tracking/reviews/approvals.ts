import type { Subject } from '#src/domain/changes/change.ts';
import { type ChangeContext, recordSubjectChanges } from '#src/domain/changes/record.ts';
import { setReviewState } from '#src/domain/tracking/reviews/reviewers.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Approves a locked merge request, and returns whether the user had not done so before. */
export async function addApproval(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
): Promise<boolean> {
  const data = { mergeRequestId: subject.id, userId: actor.id };
  const { count } = await tx.mergeRequestApproval.createMany({ data: [data], skipDuplicates: true });
  if (count === 0) return false;
  await setReviewState(tx, subject.id, actor.id, 'approved');
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'approved' }]);
  return true;
}

/** Takes the approval of a locked merge request back, and returns whether there was one. */
export async function removeApproval(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
): Promise<boolean> {
  const where = { mergeRequestId: subject.id, userId: actor.id };
  const { count } = await tx.mergeRequestApproval.deleteMany({ where });
  if (count === 0) return false;
  await setReviewState(tx, subject.id, actor.id, 'unapproved');
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'unapproved' }]);
  return true;
}

/** Takes all approvals of a locked merge request back; without any, nothing has changed. */
export async function removeApprovals(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
): Promise<void> {
  const mergeRequestId = subject.id;
  const { count } = await tx.mergeRequestApproval.deleteMany({ where: { mergeRequestId } });
  if (count === 0) return;
  const where = { mergeRequestId, state: 'approved' } as const;
  await tx.mergeRequestReviewer.updateMany({ where, data: { state: 'unapproved' } });
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'approvalsReset' }]);
}
