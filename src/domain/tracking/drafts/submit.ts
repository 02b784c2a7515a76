import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { publishReview } from '#src/domain/tracking/drafts/publish.ts';
import { locateReviewed } from '#src/domain/tracking/drafts/save.ts';
import { locateMergeRequest, mayUpdate } from '#src/domain/tracking/merge_requests/find.ts';
import { checkBody } from '#src/domain/tracking/notes/create.ts';
import { addApproval, notApprovable } from '#src/domain/tracking/reviews/approvals.ts';
import { requestChanges } from '#src/domain/tracking/reviews/requests.ts';
import { Forbidden, ValidationFailed } from '#src/platform/errors.ts';

/** What a review comes to. */
export type Verdict = 'comment' | 'approve' | 'request_changes';

export interface Review {
  /** A text about the whole merge request. */
  summary?: string | null | undefined;
  verdict: Verdict;
  /** The head that the actor has seen: any other is not approved. */
  sha?: string | null | undefined;
}

/**
 * Finishes a review in one transaction: publishes the actor's draft notes and the summary, and approves the merge request or asks for
 * changes of it. Those who may change the merge request approve it and ask for changes, while it is open. To approve what one has approved
 * already changes nothing. Throws NotFound, Forbidden, Conflict, and ValidationFailed, also for a review without any comment that says
 * nothing else.
 */
export async function submitReview(
  context: Context,
  ref: IdOrPath,
  iid: number,
  { summary, verdict, sha }: Review,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const noteable = await locateReviewed(context, actor, ref, iid);
  const { id, title, project } = noteable;
  const text = summary?.trim() ? summary : null;
  if (text !== null) checkBody(text);
  if (verdict !== 'comment') {
    const { mergeRequest } = await locateMergeRequest(context, project.id, iid);
    if (!mayUpdate(actor, project, mergeRequest)) throw new Forbidden();
  }
  const count = await publishReview(context, actor, noteable, text, async (tx) => {
    if (verdict === 'comment') return;
    const subject = { type: 'MergeRequest', id, iid, title, project } as const;
    if (verdict === 'approve') {
      await addApproval(tx, context, actor, subject, sha);
      return;
    }
    const { state } = await tx.mergeRequest.findUniqueOrThrow({ where: { id }, select: { state: true } });
    if (state !== 'opened') throw notApprovable('The merge request is not open', state);
    await requestChanges(tx, context, actor, subject);
  });
  if (count === 0 && verdict === 'comment') throw new ValidationFailed({ summary: ["can't be blank"] });
  return { project, id };
}
