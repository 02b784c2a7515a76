import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { commitInTurn } from '#src/domain/repository/branch_turn.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { branchRefusals } from '#src/domain/repository/protection.ts';
import { requireAllowedMessage } from '#src/domain/repository/push_rules/of_commit.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import { closeIssuesOfMerge } from '#src/domain/tracking/merge_requests/after_merge.ts';
import { withCodeOwners } from '#src/domain/tracking/merge_requests/code_owners.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { linksOfMerge } from '#src/domain/tracking/merge_requests/link_lfs.ts';
import { type AnnouncedMerge, announceMerge, markMergedBy } from '#src/domain/tracking/merge_requests/mark_merged.ts';
import {
  currentMergeStatus,
  headPipeline,
  isActive,
  mayBeMerged,
  missingApprovals,
} from '#src/domain/tracking/merge_requests/mergeable.ts';
import { mergeMessage, squashMessage } from '#src/domain/tracking/merge_requests/message.ts';
import { messageFacts } from '#src/domain/tracking/merge_requests/message_facts.ts';
import { refreshMergeRequest } from '#src/domain/tracking/merge_requests/refresh.ts';
import { type SideTips, sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import type { Oid, Signature } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import type { CommitSeries } from '#src/git/write/series.ts';
import { MergeConflict, mergeInto, NothingChanged, squashOnto } from '#src/git/writer.ts';
import { BadRequest, DomainError, Forbidden, NotFound, WrongState } from '#src/platform/errors.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** URL of the server, without a trailing slash; absent where it is not known. */
    readonly baseUrl?: string;
  }
}

export interface MergeOptions {
  /** Message of the merge commit; the default one when absent. */
  mergeCommitMessage?: string | null | undefined;
  shouldRemoveSourceBranch?: boolean | null | undefined;
  /** Whether to merge when the running pipeline of its head succeeds. */
  mergeWhenPipelineSucceeds?: boolean | null | undefined;
  /** Whether its commits become one first; what the merge request says when absent. */
  squash?: boolean | null | undefined;
  /** Message of that commit; the title of the merge request when absent. */
  squashCommitMessage?: string | null | undefined;
  /** The head that the caller has seen: any other is not merged. */
  sha?: string | null | undefined;
}

/**
 * Merges a merge request in the way of its project, or schedules that for when its pipeline succeeds. Checks run in the order of
 * behaviour.md 8. Throws NotFound, Forbidden, BadRequest, Conflict.
 */
export async function acceptMergeRequest(
  context: Context,
  ref: IdOrPath,
  iid: number,
  options: MergeOptions,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  const { id } = mergeRequest;
  await requireMergeRight(context, actor, project, mergeRequest.targetBranch);
  checkMessages(options);
  const sides = await presentSides(context, id, actor);
  const pipeline = await headPipeline(context, sides.mergeRequest);
  const mayWait = options.mergeWhenPipelineSucceeds === true;
  const waitsForPipeline = mayWait && isActive(pipeline);
  const waits = waitsForPipeline || (mayWait && (await missingApprovals(context.db, sides)) > 0);
  const ignored = { ignorePipeline: waitsForPipeline, ignoreApprovals: waits };
  if (!(await mayBeMerged(context, sides, pipeline, ignored))) throw notMergeable();
  const { sha } = sides.mergeRequest;
  const differs = options.sha != null && options.sha !== '' && options.sha !== sha;
  // Conflicts are reported before a different head; otherwise the merge itself detects them.
  if (differs || waits) {
    const status = await withEffort(context, () => currentMergeStatus(sides));
    if (status === 'cannot_be_merged') throw mergeConflict();
  }
  if (differs) throw new WrongState(`SHA does not match HEAD of source branch: ${sha}`);
  if (waits) await mergeLater(context, actor, project, sides, options, !waitsForPipeline);
  else await mergeNow(context, actor, project, sides, options);
  return { project, id };
}

/**
 * Leaves a merge request, whose pipeline may not exist yet, to be merged when that succeeds. Throws NotFound, Forbidden,
 * BadRequest if it cannot be merged.
 */
export async function mergeAfterComingPipeline(context: Context, ref: IdOrPath, iid: number): Promise<void> {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  await requireMergeRight(context, actor, project, mergeRequest.targetBranch);
  const sides = await presentSides(context, mergeRequest.id, actor);
  const ignored = { ignorePipeline: true, ignoreApprovals: true };
  if (!(await mayBeMerged(context, sides, null, ignored))) throw notMergeable();
  await mergeLater(context, actor, project, sides, {}, false);
}

/** Throws BadRequest for a message that is too long. */
function checkMessages({ mergeCommitMessage, squashCommitMessage }: MergeOptions): void {
  const given = { merge_commit_message: mergeCommitMessage, squash_commit_message: squashCommitMessage };
  for (const [name, message] of Object.entries(given)) {
    const wrong = lengthError(message);
    if (wrong) throw new BadRequest(`${name} ${wrong}`, name);
  }
}

/** Throws Forbidden if the actor may not merge into the branch, and for archived projects. */
async function requireMergeRight(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  targetBranch: string,
): Promise<void> {
  if (project.archived) throw new Forbidden();
  if (!(await mayMergeInto(context, actor, project, targetBranch))) throw mergeForbidden();
}

/** Whether the actor may push or merge into the branch. */
export async function mayMergeInto(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  branch: string,
): Promise<boolean> {
  return (await branchRefusals(context, actor, project))(branch, 'merge') === null;
}

export function mergeForbidden(): Forbidden {
  return new Forbidden('You are not allowed to merge into this branch', 'mergeForbidden');
}

function notMergeable(): BadRequest {
  const message =
    'The merge request cannot be merged: it is not open, is a work in progress, has nothing to merge, or does not meet the requirements of the project';
  return new BadRequest(message, undefined, 'notMergeable').asWrongState();
}

function mergeConflict(): BadRequest {
  return new BadRequest('Branch cannot be merged', undefined, 'mergeConflict').asWrongState();
}

/** The current commits of the branches, after recent pushes to the source branch have become a version. Throws NotFound. */
async function presentSides(context: Context, id: number, actor: Actor): Promise<SideTips> {
  const sides = await sideTips(context, id);
  if (
    sides?.mergeRequest.state === 'opened' &&
    sides.sourceTip !== null &&
    sides.sourceTip !== sides.mergeRequest.sha
  ) {
    await withEffort(context, () => refreshMergeRequest(context, id, actor.id));
    const refreshed = await sideTips(context, id);
    if (refreshed) return withCodeOwners(context, refreshed);
  }
  if (!sides) throw new NotFound('MergeRequest');
  return withCodeOwners(context, sides);
}

/** Leaves the merge to the job for the success of the pipeline, or for the last approval. */
async function mergeLater(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  { mergeRequest: { id, iid, title, sha } }: SideTips,
  { mergeCommitMessage, shouldRemoveSourceBranch, squash, squashCommitMessage }: MergeOptions,
  mergeWhenApproved: boolean,
): Promise<void> {
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.mergeRequest.updateMany({
      where: { id, sha, state: 'opened' },
      data: {
        mergeWhenPipelineSucceeds: true,
        mergeWhenApproved,
        mergeUserId: actor.id,
        mergeCommitMessage: mergeCommitMessage || null,
        squashCommitMessage: squashCommitMessage || null,
        ...(squash == null ? {} : { squash }),
        mergeError: null,
        shouldRemoveSourceBranch: shouldRemoveSourceBranch ?? null,
        updatedAt: new Date(),
      },
    });
    if (count === 0) throw notMergeable();
    const subject = { type: 'MergeRequest', id, iid, title, project } as const;
    await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'mergeWhenPipelineSucceeds', sha: sha ?? '' }]);
    // It may have succeeded since the check.
    await context.jobs.enqueue(tx, 'merge_requests.pipeline', { mergeRequestId: id });
  });
}

/** Merges the head of the latest version. Permissions have been checked. Throws BadRequest, NotFound. */
async function mergeNow(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  sides: SideTips,
  { mergeCommitMessage, shouldRemoveSourceBranch, ...options }: MergeOptions,
): Promise<void> {
  const { id, iid, sha, targetBranch } = sides.mergeRequest;
  if (sha === null) throw notMergeable();
  await requireRoom(context.repositories, project, 0);
  const pusher = await findPusher(context.db, actor.id);
  const { mergeMethod, mergeCommitTemplate, squashCommitTemplate } = sides.target.merging;
  const squash = isSquashed(sides, options.squash);
  const needsMessage = (mergeMethod !== 'ff' && !mergeCommitMessage) || (squash && !options.squashCommitMessage);
  const facts = needsMessage ? await messageFacts(context, actor, project, sides, pusher) : null;
  const message = mergeCommitMessage || (facts ? mergeMessage(facts, mergeCommitTemplate) : '');
  const usual = facts ? squashMessage(facts, squashCommitTemplate) : '';
  const merge = { id, sha, targetBranch, userId: actor.id, shouldRemoveSourceBranch, squash };
  try {
    if (mergeMethod !== 'ff') await requireAllowedMessage(context, project.id, message);
    const squashes = squash && (await isSquashable(sides.reader, sides.targetTip, sha, options.squashCommitMessage));
    if (squashes) await requireAllowedMessage(context, project.id, options.squashCommitMessage || usual);
    const links = await withEffort(context, () => linksOfMerge(context.db, sides));
    await withEffort(context, () =>
      commitInTurn(context, {
        actor,
        pusher,
        project,
        branch: targetBranch,
        wish: 'merge',
        bytes: 0,
        alone: true,
        make: async (series) => {
          const { tip: onto, reader, keepLock } = series;
          if (onto === null) throw notMergeable();
          // The branch may have moved since.
          if (mergeMethod !== 'merge' && !(await reader.isAncestor(onto, sha))) throw notMergeable();
          const committer = signatureOf(pusher);
          const wish = squash ? { sha, onto, committer, message: options.squashCommitMessage, usual } : null;
          const squashCommitSha = wish && (await squashed(context, sides, wish, series));
          const merged = squashCommitSha ?? sha;
          const oid =
            mergeMethod === 'ff'
              ? merged
              : await mergeInto(reader, { onto, merged, author: committer, committer, message }, keepLock);
          await requireStillMergeable(context, id);
          if (!(await announced(context, sides, { ...merge, squashCommitSha }, oid))) throw notMergeable();
          series.follow(oid);
          return oid;
        },
        also: (tx, oid) => markMergedBy(tx, context, { id, iid, project }, oid, links),
      }),
    );
  } catch (error) {
    const failure = failureOf(error);
    await noteFailedMerge(context, id, failure);
    throw failure;
  }
  // It is merged, whatever fails now; the job that completes the merge tries again, and reports that.
  await withEffort(context, () => closeIssuesOfMerge(context, id)).catch(() => undefined);
}

function failureOf(error: unknown): unknown {
  if (error instanceof MergeConflict) return mergeConflict();
  if (error instanceof NothingChanged) return notMergeable();
  if (error instanceof RefusedObjects) return new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
  return error;
}

/**
 * Records why a merge failed, for the merge request to tell until it is merged or its source branch moves. Returns whether it did:
 * what may succeed when it is tried again, and what is a fault of the server, is not recorded.
 */
export async function noteFailedMerge({ db }: Context, id: number, error: unknown): Promise<boolean> {
  if (!(error instanceof DomainError) || error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED') return false;
  await db.mergeRequest.updateMany({ where: { id, state: 'opened' }, data: { mergeError: error.message } });
  return true;
}

/**
 * One commit for all of the head since it parted from the target branch, by the author of the merge request; null for a single
 * commit without a message of its own, which stays as it is.
 */
async function squashed(
  { db }: Context,
  { mergeRequest: { authorId } }: SideTips,
  {
    sha,
    onto,
    committer,
    message,
    usual,
  }: { sha: Oid; onto: Oid; committer: Signature; message?: string | null | undefined; usual: string },
  { reader, keepLock }: CommitSeries,
): Promise<Oid | null> {
  const [base] = await reader.mergeBases(onto, sha);
  if (base === undefined) return null;
  if (!(await isSquashable(reader, onto, sha, message))) return null;
  const author = signatureOf(await findPusher(db, authorId));
  return squashOnto(reader, { onto: base, squashed: sha, author, committer, message: message || usual }, keepLock);
}

/** Whether commits become one that is written anew: a single one only if it gets a message of its own. */
async function isSquashable(
  reader: RepositoryReader,
  onto: Oid | null,
  sha: Oid,
  message: string | null | undefined,
): Promise<boolean> {
  if (message) return true;
  return onto !== null && (await reader.between(onto, sha, { limit: 2 })).length > 1;
}

/** Announces the merge. Where rules ask for approvals these are held with it: none is taken back between. */
async function announced({ db }: Context, sides: SideTips, merge: AnnouncedMerge, oid: Oid): Promise<boolean> {
  if (sides.mergeRequest._count.approvalRules + sides.target.merging._count.approvalRules === 0)
    return announceMerge(db, merge, oid);
  return db.$transaction(async (tx) => {
    if (!(await announceMerge(tx, merge, oid))) return false;
    if ((await missingApprovals(tx, sides)) > 0) throw notMergeable();
    return true;
  });
}

/** While it waited for its turn, a thread may have been started, or its pipeline may have failed. Throws BadRequest. */
async function requireStillMergeable(context: Context, id: number): Promise<void> {
  const found = await sideTips(context, id);
  const sides = found && (await withCodeOwners(context, found));
  const pipeline = sides && (await headPipeline(context, sides.mergeRequest));
  const ignored = { ignorePipeline: false, ignoreApprovals: false };
  if (!sides || !(await mayBeMerged(context, sides, pipeline, ignored))) throw notMergeable();
}

/** Whether the commits become one: as the project says, else the caller, else the merge request. */
function isSquashed({ target, mergeRequest }: SideTips, wanted: boolean | null | undefined): boolean {
  const { squashOption } = target.merging;
  if (squashOption === 'always' || squashOption === 'never') return squashOption === 'always';
  return wanted ?? mergeRequest.squash;
}
