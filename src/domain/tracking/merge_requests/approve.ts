import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import {
  type ChangeableMergeRequest,
  type LocatedMergeRequest,
  locateMergeRequest,
  mayUpdate,
} from '#src/domain/tracking/merge_requests/find.ts';
import { addApproval, notApprovable, removeApproval, removeApprovals } from '#src/domain/tracking/reviews/approvals.ts';
import { touchSubject } from '#src/domain/tracking/subjects/lock.ts';
import { Forbidden } from '#src/platform/errors.ts';

/**
 * Approves an open merge request, for those who may change it; `changed` is false if the actor has already. Approvals outlive
 * pushes, unless the project says otherwise, and count for the approval rules.
 *
 * @param sha the head that the actor has seen: any other is not approved
 * @throws NotFound, Forbidden, Conflict
 */
export async function approveMergeRequest(
  context: Context,
  ref: IdOrPath,
  iid: number,
  sha: string | null | undefined,
): Promise<ChangedRecord & { changed: boolean }> {
  const actor = requireActor(context);
  const located = await locateChangeable(context, actor, ref, iid);
  const changed = await context.db.$transaction(async (tx) => {
    const subject = subjectOf(located);
    await touchSubject(tx, subject);
    return addApproval(tx, context, actor, subject, sha);
  });
  return { project: located.project, id: located.mergeRequest.id, changed };
}

/** Takes the actor's approval back; `changed` is false where there is none. Throws NotFound, Forbidden. */
export async function unapproveMergeRequest(
  context: Context,
  ref: IdOrPath,
  iid: number,
): Promise<ChangedRecord & { changed: boolean }> {
  const actor = requireActor(context);
  const located = await locateChangeable(context, actor, ref, iid);
  const { state } = located.mergeRequest;
  if (state !== 'opened') throw notApprovable('The merge request is not open', state);
  const changed = await context.db.$transaction(async (tx) => {
    const subject = subjectOf(located);
    await touchSubject(tx, subject);
    return removeApproval(tx, context, actor, subject);
  });
  return { project: located.project, id: located.mergeRequest.id, changed };
}

/**
 * Takes all approvals back, unless the merge request is merged. For bots that may change what others wrote: people take back their own
 * approval alone.
 *
 * @throws NotFound, Forbidden
 */
export async function resetApprovals(context: Context, ref: IdOrPath, iid: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const located = await locateMergeRequest(context, ref, iid);
  const { bot } = await context.db.user.findUniqueOrThrow({ where: { id: actor.id }, select: { bot: true } });
  if (!bot || !can(actor, 'update_merge_request', located.project)) {
    throw new Forbidden('Only bots that are developers of the project reset approvals');
  }
  await context.db.$transaction(async (tx) => {
    const subject = subjectOf(located);
    await touchSubject(tx, subject);
    const { state } = await tx.mergeRequest.findUniqueOrThrow({ where: { id: subject.id }, select: { state: true } });
    if (state === 'merged') throw new Forbidden('The merge request is merged').asWrongState(state);
    await removeApprovals(tx, context, actor, subject);
  });
  return { project: located.project, id: located.mergeRequest.id };
}

/** Whether the actor can approve a merge request, and has not yet: its author and committers cannot where rules ask for others. */
export function mayApprove(
  actor: Actor,
  project: ProjectRow,
  mergeRequest: Pick<ChangeableMergeRequest, 'authorId' | 'assigneeIds' | 'state'> & {
    approvals: { userId: number }[];
    approvalsRequired: number;
    authorMayApprove: boolean;
    committersMayApprove: boolean;
    committerIds: readonly number[];
  },
): boolean {
  const { state, approvals, authorId, authorMayApprove, committersMayApprove, committerIds } = mergeRequest;
  const isRefused =
    (authorId === actor.id && !authorMayApprove) || (!committersMayApprove && committerIds.includes(actor.id));
  if (mergeRequest.approvalsRequired > 0 && isRefused) return false;
  if (state !== 'opened' || approvals.some(({ userId }) => userId === actor.id)) return false;
  return mayUpdate(actor, project, mergeRequest);
}

async function locateChangeable(
  context: Context,
  actor: Actor,
  ref: IdOrPath,
  iid: number,
): Promise<LocatedMergeRequest> {
  const located = await locateMergeRequest(context, ref, iid);
  if (!mayUpdate(actor, located.project, located.mergeRequest)) throw new Forbidden();
  return located;
}

function subjectOf({ project, mergeRequest: { id, iid, title } }: LocatedMergeRequest): Subject {
  return { type: 'MergeRequest', id, iid, title, project };
}
