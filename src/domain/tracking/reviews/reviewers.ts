import type { Change } from '#src/domain/changes/change.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** How far a review is. */
export type ReviewState =
  | 'unreviewed'
  | 'review_started'
  | 'reviewed'
  | 'approved'
  | 'unapproved'
  | 'requested_changes';

/**
 * Replaces the reviewers of a locked merge request; those who stay keep the state of their review and their place, new ones
 * follow in the given order. Returns the change, if it is one.
 */
export async function setReviewers(
  tx: Transaction,
  mergeRequestId: number,
  wanted: readonly number[],
): Promise<Change[]> {
  const before = await tx.mergeRequestReviewer.findMany({
    where: { mergeRequestId },
    orderBy: { id: 'asc' },
    select: { userId: true },
  });
  const from = before.map(({ userId }) => userId);
  const kept = from.filter((id) => wanted.includes(id));
  const added = wanted.filter((id) => !from.includes(id));
  if (kept.length === from.length && added.length === 0) return [];
  await tx.mergeRequestReviewer.deleteMany({ where: { mergeRequestId, userId: { notIn: kept } } });
  await tx.mergeRequestReviewer.createMany({ data: added.map((userId) => ({ mergeRequestId, userId })) });
  return [{ kind: 'reviewers', from, to: [...kept, ...added] }];
}

/**
 * Notes how far the review of a user is, who may be no reviewer. One who approved stays so until that is taken back, and one who requested
 * changes until they approve or are asked again.
 */
export async function setReviewState(
  tx: Transaction,
  mergeRequestId: number,
  userId: number,
  state: ReviewState,
): Promise<void> {
  const keepsVerdict = state === 'review_started' || state === 'reviewed';
  const verdicts = ['approved', 'requested_changes'] as const;
  const where = { mergeRequestId, userId, ...(keepsVerdict && { state: { notIn: [...verdicts] } }) };
  await tx.mergeRequestReviewer.updateMany({ where, data: { state } });
}
