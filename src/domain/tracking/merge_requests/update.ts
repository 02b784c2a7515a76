import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type Change, difference } from '#src/domain/changes/change.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import {
  permittedAttributes,
  resolveAttributes,
  setLabels,
  textErrors,
} from '#src/domain/tracking/issues/attributes.ts';
import type { MergeRequestAttributes } from '#src/domain/tracking/merge_requests/create.ts';
import { type LocatedMergeRequest, locateMergeRequest, mayUpdate } from '#src/domain/tracking/merge_requests/find.ts';
import { openingOne } from '#src/domain/tracking/merge_requests/open.ts';
import { measureRetargeted, type Retargeted } from '#src/domain/tracking/merge_requests/retarget.ts';
import { type Origin, requireBringing } from '#src/domain/tracking/merge_requests/source.ts';
import { storeVersion } from '#src/domain/tracking/merge_requests/version.ts';
import { applyEffects, hasEffects } from '#src/domain/tracking/quick_actions/apply.ts';
import type { Target } from '#src/domain/tracking/quick_actions/interpret.ts';
import { readQuickActions } from '#src/domain/tracking/quick_actions/read.ts';
import { setReviewers } from '#src/domain/tracking/reviews/reviewers.ts';
import { setAssignees } from '#src/domain/tracking/subjects/assignees.ts';
import { withDraftPrefix } from '#src/domain/tracking/subjects/draft.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, nullIfNotFound, Unavailable } from '#src/platform/errors.ts';

export interface MergeRequestChanges extends MergeRequestAttributes {
  title?: string | null | undefined;
  /** Whether the title marks a draft; as it is when absent. */
  draft?: boolean | null | undefined;
  description?: string | null | undefined;
  targetBranch?: string | null | undefined;
  stateEvent?: 'close' | 'reopen' | null | undefined;
  /** Makes the new description of the present one, which is locked; throws where it is not the one that the actor has seen. */
  rewrite?: ((description: string | null) => string) | undefined;
  removeSourceBranch?: boolean | null | undefined;
  squash?: boolean | null | undefined;
  /** Whether those who may merge it may push to the source branch, in a fork; for developers of that. */
  allowCollaboration?: boolean | null | undefined;
  /** Whether only members of the project can comment; for developers. */
  discussionLocked?: boolean | null | undefined;
}

/**
 * Updates a merge request, and applies the quick actions of a new description: unset means unchanged, null clears. A merged one
 * can be neither closed nor reopened; one from a fork only be reopened by those who can read the fork. `changed` is false if all
 * was so already. Throws NotFound, Forbidden, ValidationFailed, BadRequest, Conflict.
 *
 * @param also runs in the same transaction
 */
export async function updateMergeRequest(
  context: Context,
  ref: IdOrPath,
  iid: number,
  { draft, ...wished }: MergeRequestChanges,
  also?: (tx: Transaction) => Promise<void>,
): Promise<ChangedRecord & { changed: boolean }> {
  const actor = requireActor(context);
  const located = await locateMergeRequest(context, ref, iid);
  const { project, mergeRequest } = located;
  if (!mayUpdate(actor, project, mergeRequest)) throw new Forbidden();
  const given =
    draft == null ? wished : { ...wished, title: withDraftPrefix(draft, wished.title ?? mergeRequest.title) };
  const read = await readQuickActions(context, actor, given.description, () => targetOf(context, actor, located));
  const { dueDate: _date, confidential: _hidden, ...wanted } = read.changes;
  const changes: MergeRequestChanges = { ...given, ...wanted, description: read.text };
  const wrong = textErrors(changes.title, changes.description);
  const attributes = permittedAttributes(actor, project, changes, 'admin_merge_request');
  const { columns, assigneeIds, reviewerIds } = await resolveAttributes(
    context,
    project,
    attributes,
    wrong,
    'MergeRequest',
  );
  const retargeted = await measureRetargeted(context, located, changes.targetBranch);
  const { squash, discussionLocked } = changes;
  const mayLock = can(actor, 'update_merge_request', project);
  if (discussionLocked != null && !mayLock && !changes.ignoreForbidden) {
    throw new Forbidden('Only developers of the project can set discussion_locked');
  }
  const allowCollaboration = await permittedSharing(context, actor, located, changes);
  const data = {
    ...columns,
    ...(allowCollaboration == null ? {} : { allowCollaboration }),
    ...(squash == null ? {} : { squash }),
    ...(discussionLocked == null || !mayLock ? {} : { discussionLocked }),
    ...(changes.title == null ? {} : { title: changes.title }),
    ...(changes.description === undefined ? {} : { description: changes.description }),
    ...(changes.removeSourceBranch === undefined ? {} : { forceRemoveSourceBranch: changes.removeSourceBranch }),
  };
  const changed = await openingOne(context.db, sidesOf(located, changes), () =>
    context.db.$transaction(async (tx) => {
      const { id } = mergeRequest;
      const before = await lockMergeRequest(tx, id);
      const assigned = assigneeIds ? await setAssignees(tx, { type: 'MergeRequest', id }, assigneeIds) : [];
      const asked = reviewerIds ? await setReviewers(tx, id, reviewerIds) : [];
      const written = changes.rewrite ? { ...data, description: changes.rewrite(before.description) } : data;
      await tx.mergeRequest.update({ where: { id }, data: { ...written, updatedAt: new Date() } });
      const told = [...differences(before, written), ...assigned, ...asked];
      const relabelled = await setLabels(tx, project.id, { type: 'MergeRequest', id }, attributes);
      if (relabelled.added.length + relabelled.removed.length > 0) told.push({ kind: 'labels', ...relabelled });
      if (retargeted && before.targetBranch !== retargeted.branch && before.state !== 'merged') {
        await retarget(tx, id, before.sha, retargeted);
        told.push(...difference('targetBranch', before.targetBranch, retargeted.branch));
      }
      if (before.state === 'closed' && changes.stateEvent === 'reopen') {
        await requireBringing(tx, before, actor.id, 'state_event');
      }
      told.push(...(await changeState(tx, actor, { id, state: before.state }, changes.stateEvent)));
      const isUnchecked = told.some(({ kind }) => kind === 'targetBranch' || kind === 'reopened');
      if (isUnchecked) told.push(...difference('mergeStatus', before.mergeStatus, 'unchecked'));
      const title = changes.title ?? before.title;
      const subject = { type: 'MergeRequest', id, iid: mergeRequest.iid, title, project } as const;
      await recordSubjectChanges(tx, context, actor, subject, told);
      await applyEffects(tx, context, actor, subject, read.effects);
      await also?.(tx);
      if (isUnchecked) {
        await context.jobs.enqueue(tx, 'merge_requests.refresh', { mergeRequestId: id, userId: actor.id });
        await context.jobs.enqueue(tx, 'merge_requests.trace_notes', { mergeRequestId: id });
      }
      const isOtherwise = OPTIONS.some((name) => data[name] !== undefined && data[name] !== before[name]);
      return told.length > 0 || isOtherwise || hasEffects(read.effects);
    }),
  );
  return { project, id: mergeRequest.id, changed };
}

/** Whether to share the source branch, if the actor may push to it. Throws Forbidden if not, unless it is to be skipped. */
async function permittedSharing(
  context: Context,
  actor: Actor,
  { project, mergeRequest: { sourceProjectId } }: LocatedMergeRequest,
  { allowCollaboration, ignoreForbidden }: MergeRequestChanges,
): Promise<boolean | null> {
  if (allowCollaboration == null) return null;
  const source = sourceProjectId === project.id || sourceProjectId === null ? null : sourceProjectId;
  const fork = source === null ? null : await findProject(context, source).catch(nullIfNotFound);
  if (fork && can(actor, 'push_code', fork)) return allowCollaboration;
  if (ignoreForbidden) return null;
  throw new Forbidden('Only developers of the fork that the merge request comes from can set allow_collaboration');
}

/** A merge request as target of quick actions. */
export async function targetOf(
  context: Context,
  actor: Actor,
  { project, mergeRequest }: LocatedMergeRequest,
): Promise<Target> {
  const labels = await context.db.label.findMany({
    where: { mergeRequests: { some: { mergeRequestId: mergeRequest.id } } },
    select: { title: true },
  });
  const reviewers = await context.db.mergeRequestReviewer.findMany({
    where: { mergeRequestId: mergeRequest.id },
    orderBy: { id: 'asc' },
    select: { userId: true },
  });
  return {
    type: 'MergeRequest',
    project,
    title: mergeRequest.title,
    labels: labels.map(({ title }) => title),
    assigneeIds: mergeRequest.assigneeIds,
    reviewerIds: reviewers.map(({ userId }) => userId),
    authorId: mergeRequest.authorId,
    mayUpdate: mayUpdate(actor, project, mergeRequest),
    mayAdmin: can(actor, 'admin_merge_request', project),
    mayLock: can(actor, 'update_merge_request', project),
  };
}

/** Source and target after the change: another merge request may be open for the same. */
function sidesOf({ project, mergeRequest }: LocatedMergeRequest, { targetBranch }: MergeRequestChanges) {
  const { sourceProjectId, sourceBranch } = mergeRequest;
  const source: RepositoryPlace = { id: sourceProjectId ?? 0, repositoryStorage: '' };
  return { source, sourceBranch, target: project, targetBranch: targetBranch ?? mergeRequest.targetBranch };
}

/** The columns whose old and new values are recorded, and those that decide what may change. */
interface Before extends Origin {
  title: string;
  description: string | null;
  milestoneId: number | null;
  targetBranch: string;
  discussionLocked: boolean | null;
  squash: boolean;
  allowCollaboration: boolean | null;
  forceRemoveSourceBranch: boolean | null;
  state: 'opened' | 'closed' | 'merged';
  mergeStatus: string;
  sha: string | null;
}

/** What is not recorded when it changes. */
const OPTIONS = ['squash', 'allowCollaboration', 'forceRemoveSourceBranch'] as const;

/** Locks the merge request and returns it as it was before the change. Throws NotFound if it is gone. */
async function lockMergeRequest(tx: Transaction, id: number): Promise<Before> {
  const [mergeRequest] = await tx.$queryRaw<Before[]>`
    SELECT title, description, milestone_id AS "milestoneId", target_branch AS "targetBranch",
      state, merge_status AS "mergeStatus", sha, discussion_locked AS "discussionLocked", squash,
      allow_collaboration AS "allowCollaboration", force_remove_source_branch AS "forceRemoveSourceBranch",
      source_project_id AS "sourceProjectId", target_project_id AS "targetProjectId", author_id AS "authorId"
    FROM merge_requests WHERE id = ${id} FOR UPDATE`;
  if (!mergeRequest) throw new NotFound('MergeRequest');
  return mergeRequest;
}

function differences(before: Before, after: Partial<Before>): Change[] {
  return [
    ...difference('title', before.title, after.title),
    ...difference('description', before.description, after.description),
    ...difference('milestone', before.milestoneId, after.milestoneId),
    ...difference('discussionLocked', before.discussionLocked, after.discussionLocked),
    ...difference('squash', before.squash, after.squash),
  ];
}

/** Does nothing if the state is the same, or merged. */
async function changeState(
  tx: Transaction,
  actor: { id: number },
  { id, state: from }: { id: number; state: Before['state'] },
  event: MergeRequestChanges['stateEvent'],
): Promise<Change[]> {
  if (event === 'close' && from === 'opened') {
    const data = { state: 'closed', closedById: actor.id, mergeWhenPipelineSucceeds: false } as const;
    await tx.mergeRequest.update({ where: { id }, data });
    return [{ kind: 'closed' }];
  }
  if (event === 'reopen' && from === 'closed') {
    await tx.mergeRequest.update({ where: { id }, data: { state: 'opened', mergeStatus: 'unchecked' } });
    return [{ kind: 'reopened' }];
  }
  return [];
}

async function retarget(
  tx: Transaction,
  id: number,
  sha: string | null,
  { branch, version }: Retargeted,
): Promise<void> {
  if (version && version.head !== sha) {
    throw new Unavailable('The source branch has moved meanwhile. Try again later.', 1);
  }
  await tx.mergeRequest.update({
    where: { id },
    data: { targetBranch: branch, mergeStatus: 'unchecked', mergeWhenPipelineSucceeds: false },
  });
  if (version) await storeVersion(tx, id, version);
}
