import type { Subject } from '#src/domain/changes/change.ts';
import { type ChangeContext, recordSubjectChanges } from '#src/domain/changes/record.ts';
import { approvalStanding } from '#src/domain/tracking/approvals/standing.ts';
import { requestWaitingMerges } from '#src/domain/tracking/approvals/waiting.ts';
import { setReviewState } from '#src/domain/tracking/reviews/reviewers.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, WrongState } from '#src/platform/errors.ts';

/**
 * Approves a locked merge request, and returns whether the user had not done so before. A merge that waits for the last approval begins
 * with it.
 *
 * @param sha the head that the user has seen: any other is not approved
 * @throws Forbidden if it is not open, and for its author and committers where rules ask for others, Conflict
 */
export async function addApproval(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  sha?: string | null,
): Promise<boolean> {
  const standing = await approvalStanding(tx, subject.id, actor.id);
  if (standing.state !== 'opened') throw notApprovable('The merge request is not open', standing.state);
  if (sha && sha !== standing.sha) throw new WrongState(`SHA does not match HEAD of source branch: ${standing.sha}`);
  if (standing.refusesUser) throw notApprovable('The approval rules ask for somebody else', standing.state);
  const data = { mergeRequestId: subject.id, userId: actor.id };
  const { count } = await tx.mergeRequestApproval.createMany({ data: [data], skipDuplicates: true });
  if (count === 0) return false;
  await setReviewState(tx, subject.id, actor.id, 'approved');
  const isWhole = standing.missing === 0 || (await approvalStanding(tx, subject.id, actor.id)).missing === 0;
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'approved', isWhole }]);
  if (standing.isAwaited) await requestWaitingMerges(tx, context, { mergeRequestId: subject.id });
  return true;
}

/** Why somebody cannot approve a merge request that is in this state, whoever they are. */
export function notApprovable(message: string, state: string): Forbidden {
  return new Forbidden(message, 'notApprovable').asWrongState(state);
}

/** Takes the approval of a locked merge request back, and returns whether there was one. */
export async function removeApproval(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
): Promise<boolean> {
  const where = { mergeRequestId: subject.id, userId: actor.id };
  const { missing } = await approvalStanding(tx, subject.id, actor.id);
  const { count } = await tx.mergeRequestApproval.deleteMany({ where });
  if (count === 0) return false;
  await setReviewState(tx, subject.id, actor.id, 'unapproved');
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'unapproved', wasWhole: missing === 0 }]);
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
  const { missing } = await approvalStanding(tx, mergeRequestId, actor.id);
  const { count } = await tx.mergeRequestApproval.deleteMany({ where: { mergeRequestId } });
  if (count === 0) return;
  const where = { mergeRequestId, state: 'approved' } as const;
  await tx.mergeRequestReviewer.updateMany({ where, data: { state: 'unapproved' } });
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'approvalsReset', wasWhole: missing === 0 }]);
}
