import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { requireAlive } from '#src/domain/projects/alive.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { codeOwnersFile } from '#src/domain/repository/code_owners/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { COPY_TIMEOUT_MS, withCommits } from '#src/domain/repository/take_commits.ts';
import {
  assigneesGiven,
  type IssueAttributes,
  labelsGiven,
  permittedAttributes,
  resolveAttributes,
  setLabels,
  textErrors,
} from '#src/domain/tracking/issues/attributes.ts';
import { syncCodeOwners } from '#src/domain/tracking/merge_requests/code_owners.ts';
import {
  openingOne,
  requireDistinct,
  requireTips,
  requireUnopened,
  type Sides,
} from '#src/domain/tracking/merge_requests/open.ts';
import { requestPipeline } from '#src/domain/tracking/merge_requests/request_pipeline.ts';
import { sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { requireBringing } from '#src/domain/tracking/merge_requests/source.ts';
import { measureVersion, recordVersion, type Version } from '#src/domain/tracking/merge_requests/version.ts';
import { applyEffects } from '#src/domain/tracking/quick_actions/apply.ts';
import type { PendingEffects } from '#src/domain/tracking/quick_actions/interpret.ts';
import { readQuickActions } from '#src/domain/tracking/quick_actions/read.ts';
import { setReviewers } from '#src/domain/tracking/reviews/reviewers.ts';
import { addFurtherAssignees } from '#src/domain/tracking/subjects/assignees.ts';
import { withDraftPrefix } from '#src/domain/tracking/subjects/draft.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';

/** Attributes that reporters may set besides title and description. */
export type MergeRequestAttributes = Omit<IssueAttributes, 'dueDate'>;

export interface NewMergeRequest extends MergeRequestAttributes {
  /** The source project. */
  project: IdOrPath;
  sourceBranch: string;
  /** The source project itself when absent. */
  targetProject?: IdOrPath | null | undefined;
  targetBranch: string;
  title: string;
  /** Whether the title marks a draft; as it is when absent. */
  draft?: boolean | null | undefined;
  description?: string | null | undefined;
  /** Whether the source branch is removed after the merge. */
  removeSourceBranch?: boolean | null | undefined;
  /** Whether its commits become one when it is merged. */
  squash?: boolean | null | undefined;
  /** Whether only members of the project can comment; set by quick actions. */
  discussionLocked?: boolean | null | undefined;
  /** Whether those who may merge it may push to the source branch, which must be in a fork. */
  allowCollaboration?: boolean | null | undefined;
}

/**
 * Opens a merge request, and applies the quick actions of its description: from then on the commits of the source branch are kept
 * in the target project's repository, whatever happens to the branch or the fork. Throws NotFound, Forbidden, ValidationFailed,
 * BadRequest, Conflict, LimitReached, RateLimited, Unavailable.
 */
export async function createMergeRequest(
  context: Context,
  { draft, ...wished }: NewMergeRequest,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const given = { ...wished, title: withDraftPrefix(draft, wished.title) };
  const source = await findProject(context, given.project);
  authorize(actor, 'create_merge_request', source);
  const target = given.targetProject == null ? source : await findProject(context, given.targetProject);
  authorize(actor, 'read_merge_request', target);
  if (target.archived) throw new Forbidden();
  const { text, changes, effects } = await readQuickActions(context, actor, given.description, () => {
    const mayAdmin = can(actor, 'admin_merge_request', target);
    const { title } = given;
    return {
      type: 'MergeRequest',
      project: target,
      title,
      labels: labelsGiven(given),
      assigneeIds: assigneesGiven(given),
      reviewerIds: given.reviewerIds ?? [],
      authorId: null,
      mayUpdate: true,
      mayAdmin,
      mayLock: can(actor, 'update_merge_request', target),
    };
  });
  const { stateEvent: _state, dueDate: _date, confidential: _hidden, ...wanted } = changes;
  const input: NewMergeRequest = { ...given, ...wanted, description: text };
  const { sourceBranch, targetBranch } = input;
  const sides = { source, sourceBranch, target, targetBranch };
  await requireDistinct(context.db, sides);
  const wrong = textErrors(input.title, input.description);
  if (Object.keys(wrong).length === 0) await requireUnopened(context.db, sides);
  const attributes = permittedAttributes(actor, target, withoutNulls(input), 'admin_merge_request');
  const {
    columns,
    assigneeIds = [],
    reviewerIds = [],
  } = await resolveAttributes(context, target, attributes, wrong, 'MergeRequest');
  const { head, start } = await requireTips(context, sides);
  await requireRoom(context.repositories, target, 0);
  const id = await withEffort(context, () =>
    withCommits(context, { source, target, oids: [head] }, COPY_TIMEOUT_MS, async (keepLock) => {
      const reader = await ensureRepository(context, target);
      const version = await measureVersion(reader, { head, start });
      return open(context, actor, input, {
        ...sides,
        source,
        target,
        version,
        columns,
        assigneeIds,
        reviewerIds,
        labels: labelsGiven(attributes),
        effects,
        keepLock,
      });
    }),
  );
  await withEffort(context, () => addCodeOwners(context, target, id, start));
  return { project: target, id };
}

/** Adds the rules of code owners to a new merge request, where the target branch has a file of them. */
async function addCodeOwners(context: Context, target: ProjectRow, id: number, targetTip: Oid): Promise<void> {
  const reader = await context.repositories.open(target);
  if (reader === null || (await codeOwnersFile(reader, targetTip)) === null) return;
  const sides = await sideTips(context, id);
  if (sides) await syncCodeOwners(context, sides);
}

interface Opening extends Sides {
  source: ProjectRow;
  target: ProjectRow;
  version: Version;
  columns: { assigneeId?: number | null; milestoneId?: number | null };
  assigneeIds: readonly number[];
  reviewerIds: readonly number[];
  labels: readonly string[];
  effects: PendingEffects;
  keepLock: PackKeepLock | undefined;
}

/** Git objects are durable before the transaction commits. The next attempt overwrites what a crash in between leaves behind. */
function open(context: Context, actor: Actor, input: NewMergeRequest, opening: Opening): Promise<number> {
  const { source, target, version, labels, assigneeIds, reviewerIds, effects, keepLock } = opening;
  return openingOne(context.db, opening, () =>
    withRepositoryLock(context.db, target.id, async (tx) => {
      for (const { id } of [source, target]) await requireAlive(tx, id);
      const origin = { sourceProjectId: source.id, targetProjectId: target.id, authorId: actor.id };
      await requireBringing(tx, origin, actor.id, 'target_project');
      const { id, iid } = await insert(tx, actor, input, opening);
      if (labels.length > 0) await setLabels(tx, target.id, { type: 'MergeRequest', id }, { labels });
      await recordVersion(context, tx, { id, iid, target }, version, keepLock);
      const { title, description = null } = input;
      const subject = { type: 'MergeRequest', id, iid, title, project: target } as const;
      await addFurtherAssignees(tx, subject, assigneeIds);
      await setReviewers(tx, id, reviewerIds);
      await recordSubjectChanges(tx, context, actor, subject, [
        { kind: 'opened', description, assigneeIds, reviewerIds },
      ]);
      await applyEffects(tx, context, actor, subject, effects);
      await context.jobs.enqueue(tx, 'merge_requests.refresh', { mergeRequestId: id, userId: actor.id });
      await requestPipeline(tx, context, { mergeRequestId: id, sha: version.head, userId: actor.id });
      return id;
    }),
  );
}

async function insert(
  tx: Transaction,
  actor: Actor,
  {
    title,
    description = null,
    sourceBranch,
    targetBranch,
    removeSourceBranch = null,
    squash,
    allowCollaboration = null,
    discussionLocked = null,
  }: NewMergeRequest,
  { source, target, version, columns }: Opening,
): Promise<{ id: number; iid: number }> {
  const { assigneeId = null, milestoneId = null } = columns;
  const [{ iid }] = await tx.$queryRaw<[{ iid: number }]>`
    UPDATE project_counters SET last_merge_request_iid = last_merge_request_iid + 1 WHERE project_id = ${target.id}
    RETURNING last_merge_request_iid AS iid`;
  const now = new Date();
  return tx.mergeRequest.create({
    data: {
      iid,
      targetProjectId: target.id,
      sourceProjectId: source.id,
      title,
      description,
      sourceBranch,
      targetBranch,
      authorId: actor.id,
      assigneeId,
      milestoneId,
      sha: version.head,
      forceRemoveSourceBranch: removeSourceBranch,
      squash: squash ?? (await squashesByDefault(tx, target.id)),
      discussionLocked,
      allowCollaboration: source.id === target.id ? null : allowCollaboration,
      createdAt: now,
      updatedAt: now,
    },
    select: { id: true, iid: true },
  });
}

async function squashesByDefault(tx: Transaction, projectId: number): Promise<boolean> {
  const { squashOption } = await tx.project.findUniqueOrThrow({
    where: { id: projectId },
    select: { squashOption: true },
  });
  return squashOption === 'always' || squashOption === 'default_on';
}

/** A new merge request has nothing to clear. */
function withoutNulls(input: NewMergeRequest): MergeRequestAttributes {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
