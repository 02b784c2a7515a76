import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { locateMergeRequest, mayUpdate } from '#src/domain/tracking/merge_requests/find.ts';
import { requestReviewAgain } from '#src/domain/tracking/reviews/requests.ts';
import { touchSubject } from '#src/domain/tracking/subjects/lock.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

/**
 * Asks a reviewer of an open merge request for another review: its state begins anew, and they get a to-do and mail. For those who may change
 * the merge request. Throws NotFound, also for somebody who is no reviewer, and Forbidden.
 */
export async function requestAnotherReview(
  context: Context,
  ref: IdOrPath,
  iid: number,
  userId: number,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  if (!mayUpdate(actor, project, mergeRequest)) throw new Forbidden();
  const { id, title } = mergeRequest;
  await context.db.$transaction(async (tx) => {
    const subject = { type: 'MergeRequest', id, iid, title, project } as const;
    await touchSubject(tx, subject);
    const { state } = await tx.mergeRequest.findUniqueOrThrow({ where: { id }, select: { state: true } });
    if (state !== 'opened') throw new Forbidden('The merge request is not open').asWrongState(state);
    if (!(await requestReviewAgain(tx, context, actor, subject, userId))) throw new NotFound('Reviewer');
  });
  return { project, id };
}
