import type { Context } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { approvalStanding } from '#src/domain/tracking/approvals/standing.ts';
import { type MergeStatus, mergeStatus } from '#src/domain/tracking/merge_requests/merge_status.ts';
import type { MergeMethod, SideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { isDraft } from '#src/domain/tracking/subjects/draft.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** The latest pipeline of the head of a merge request. */
export interface HeadPipeline {
  id: number;
  status: JobStatus;
}

const ACTIVE: readonly JobStatus[] = ['created', 'pending', 'running', 'waiting_for_resource'];

export function isActive(pipeline: HeadPipeline | null): boolean {
  return pipeline !== null && ACTIVE.includes(pipeline.status);
}

/** The latest pipeline of the commit on the source branch; null if there is none. */
export async function headPipeline(
  { db }: Pick<Context, 'db'>,
  { id, sourceProjectId, sourceBranch, sha }: SideTips['mergeRequest'],
): Promise<HeadPipeline | null> {
  if (sourceProjectId === null || sha === null) return null;
  return db.pipeline.findFirst({
    where: {
      projectId: sourceProjectId,
      OR: [{ ref: sourceBranch }, { mergeRequestId: id }],
      tag: false,
      sha,
      source: { not: 'parent_pipeline' },
    },
    orderBy: { id: 'desc' },
    select: { id: true, status: true },
  });
}

/** What keeps a merge request from being merged; `mergeable` if nothing does. */
export type DetailedMergeStatus =
  | 'not_open'
  | 'preparing'
  | 'unchecked'
  | 'draft_status'
  | 'commits_status'
  | 'discussions_not_resolved'
  | 'not_approved'
  | 'conflict'
  | 'ci_still_running'
  | 'ci_must_pass'
  | 'need_rebase'
  | 'mergeable';

/** What decides whether a merge request may be merged. */
export interface MergeFacts {
  state: string;
  title: string;
  hasVersion: boolean;
  /** Whether git can merge it. */
  mergeStatus: string;
  /** Whether both branches exist, and the source has commits of its own, all of which are part of the merge request. */
  hasCommits: boolean;
  /** Whether all threads allow it. */
  threadsAllow: boolean;
  /** How many approvals its rules lack (`approvalsMissing`). */
  approvalsMissing: number;
  /** Whether the project wants source branches to have all commits of their target branches, and this one lacks some. */
  needsRebase: boolean;
  /** Status of the pipeline that the project wants to have succeeded; null without one, and where it will do. */
  demandedPipeline: JobStatus | null;
}

/** The one rule for merging: what merging checks, and what records show. The first thing that stands in the way counts. */
export function detailedMergeStatus(facts: MergeFacts): DetailedMergeStatus {
  const { demandedPipeline: pipeline } = facts;
  if (facts.state !== 'opened') return 'not_open';
  if (!facts.hasVersion) return 'preparing';
  if (facts.mergeStatus === 'unchecked') return 'unchecked';
  if (isDraft(facts.title)) return 'draft_status';
  if (!facts.hasCommits) return 'commits_status';
  if (!facts.threadsAllow) return 'discussions_not_resolved';
  if (facts.approvalsMissing > 0) return 'not_approved';
  if (facts.mergeStatus === 'cannot_be_merged') return 'conflict';
  if (facts.needsRebase) return 'need_rebase';
  if (pipeline === null || pipeline === 'success') return 'mergeable';
  return ACTIVE.includes(pipeline) ? 'ci_still_running' : 'ci_must_pass';
}

/** What the row of a merge request says of its commits (`MERGE_STATUS`). */
export interface RecordedMergeFacts {
  state: string;
  title: string;
  sha: string | null;
  latestBaseSha: string | null;
  latestStartSha: string | null;
  currentMergeStatus: string;
  checkedSourceSha: string | null;
  checkedTargetSha: string | null;
  /** Whether the source branch had all commits of the target branch then; null where that was not asked. */
  checkedHasTarget: boolean | null;
  mergeableDiscussionsState: boolean;
  approvalsMissing: number;
  demandedPipelineStatus: JobStatus | null;
  targetMergeMethod: MergeMethod;
}

/** What the recorded status of a merge request follows from, in its row and beside it. */
export const MERGE_STATUS = {
  state: true,
  title: true,
  sha: true,
  latestBaseSha: true,
  latestStartSha: true,
  currentMergeStatus: true,
  checkedSourceSha: true,
  checkedTargetSha: true,
  checkedHasTarget: true,
  mergeableDiscussionsState: true,
  approvalsMissing: true,
  demandedPipelineStatus: true,
  targetMergeMethod: true,
} as const;

/** The status as far as it is recorded; nothing is worked out. */
export function recordedMergeStatus(row: RecordedMergeFacts): DetailedMergeStatus {
  const { sha, checkedSourceSha, checkedTargetSha, checkedHasTarget, latestBaseSha, latestStartSha, ...mergeRequest } =
    row;
  return detailedMergeStatus({
    ...mergeRequest,
    hasVersion: latestStartSha !== null,
    mergeStatus: mergeRequest.currentMergeStatus,
    hasCommits: sha !== null && checkedSourceSha === sha && checkedTargetSha !== null && latestBaseSha !== sha,
    threadsAllow: mergeRequest.mergeableDiscussionsState,
    needsRebase:
      mergeRequest.targetMergeMethod !== 'merge' && !(checkedHasTarget ?? latestBaseSha === checkedTargetSha),
    demandedPipeline: mergeRequest.demandedPipelineStatus,
  });
}

/**
 * Whether a merge request may be merged, apart from its contents (behaviour.md 8): it is open, not a draft, has both branches and
 * commits of its own, and meets the project's requirements.
 *
 * @param ignorePipeline whether it is merged only when the pipeline has succeeded
 * @param ignoreApprovals whether it is merged only when its rules have the approvals that they ask for
 */
export async function mayBeMerged(
  { db }: Pick<Context, 'db'>,
  sides: SideTips,
  pipeline: HeadPipeline | null,
  { ignorePipeline, ignoreApprovals }: { ignorePipeline: boolean; ignoreApprovals: boolean },
): Promise<boolean> {
  const { mergeRequest, reader, target, sourceTip, targetTip, version } = sides;
  const { id, state, title, sha } = mergeRequest;
  const asked = target.merging;
  const isEnough = asked.allowMergeOnSkippedPipeline && pipeline?.status === 'skipped';
  const isDemanded = asked.onlyAllowMergeIfPipelineSucceeds && !ignorePipeline && !isEnough;
  const status = detailedMergeStatus({
    state,
    title,
    hasVersion: version !== null,
    mergeStatus: 'can_be_merged',
    hasCommits: sha !== null && sourceTip === sha && targetTip !== null && version?.baseCommitSha !== sha,
    threadsAllow:
      !asked.onlyAllowMergeIfAllDiscussionsAreResolved ||
      (await db.discussion.count({ where: { mergeRequestId: id, resolvedAt: null } })) === 0,
    approvalsMissing: ignoreApprovals ? 0 : await missingApprovals(db, sides),
    needsRebase: asked.mergeMethod !== 'merge' && !(await hasTarget(reader, sha, targetTip)),
    demandedPipeline: isDemanded ? (pipeline?.status ?? null) : null,
  });
  return status === 'mergeable';
}

/** How many approvals a merge lacks now; asks for nothing where there are no rules. */
export async function missingApprovals(
  db: Pick<Context['db'], '$queryRaw'>,
  { mergeRequest: { id, _count: own }, target: { merging } }: SideTips,
): Promise<number> {
  if (own.approvalRules + merging._count.approvalRules === 0) return 0;
  return (await approvalStanding(db, id, 0)).missing;
}

/** Whether a head has all commits of the tip of the target branch, as it must where it is not merged by a merge commit. */
export async function hasTarget(reader: RepositoryReader, head: Oid | null, tip: Oid | null): Promise<boolean> {
  return head !== null && tip !== null && (await reader.isAncestor(tip, head));
}

/** Whether git can merge it now; reuses the recorded result for the same commits. */
export async function currentMergeStatus({
  mergeRequest,
  reader,
  sourceTip,
  targetTip,
}: SideTips): Promise<MergeStatus> {
  const { checkedSourceSha, checkedTargetSha, mergeStatus: known } = mergeRequest;
  const isKnown = known !== 'unchecked' && checkedSourceSha === sourceTip && checkedTargetSha === targetTip;
  return isKnown ? (known as MergeStatus) : mergeStatus(reader, sourceTip, targetTip);
}
