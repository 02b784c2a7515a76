import type { Context } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { isDraft } from '#src/domain/tracking/merge_requests/draft.ts';
import { type MergeStatus, mergeStatus } from '#src/domain/tracking/merge_requests/merge_status.ts';
import type { SideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';

/** The latest pipeline of the head of a merge request. */
export interface HeadPipeline {
  id: number;
  status: JobStatus;
}

const ACTIVE: readonly JobStatus[] = ['created', 'pending', 'running'];

export function isActive(pipeline: HeadPipeline | null): boolean {
  return pipeline !== null && ACTIVE.includes(pipeline.status);
}

/** The latest pipeline of the commit on the source branch; null if there is none. */
export async function headPipeline(
  { db }: Pick<Context, 'db'>,
  { sourceProjectId, sourceBranch, sha }: SideTips['mergeRequest'],
): Promise<HeadPipeline | null> {
  if (sourceProjectId === null || sha === null) return null;
  return db.pipeline.findFirst({
    where: { projectId: sourceProjectId, ref: sourceBranch, tag: false, sha },
    orderBy: { id: 'desc' },
    select: { id: true, status: true },
  });
}

/**
 * Whether a merge request may be merged, apart from its contents (behaviour.md 8): it is open, not a draft, has both branches and
 * commits of its own, and meets the project's requirements.
 *
 * @param ignorePipeline whether it is merged only when the pipeline has succeeded
 */
export async function mayBeMerged(
  { db }: Pick<Context, 'db'>,
  { mergeRequest, sourceTip, targetTip, version }: SideTips,
  pipeline: HeadPipeline | null,
  ignorePipeline: boolean,
): Promise<boolean> {
  const { state, title, sha } = mergeRequest;
  if (state !== 'opened' || isDraft(title)) return false;
  if (sha === null || sourceTip !== sha || targetTip === null) return false;
  if (version === null || version.baseCommitSha === sha) return false;
  const asked = await db.project.findUniqueOrThrow({
    where: { id: mergeRequest.targetProjectId },
    select: { onlyAllowMergeIfPipelineSucceeds: true, onlyAllowMergeIfAllDiscussionsAreResolved: true },
  });
  const passed = pipeline === null || pipeline.status === 'success' || pipeline.status === 'skipped';
  if (asked.onlyAllowMergeIfPipelineSucceeds && !passed && !ignorePipeline) return false;
  if (!asked.onlyAllowMergeIfAllDiscussionsAreResolved) return true;
  return (await db.discussion.count({ where: { mergeRequestId: mergeRequest.id, resolvedAt: null } })) === 0;
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
