import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { withCodeOwners } from '#src/domain/tracking/merge_requests/code_owners.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import {
  acceptMergeRequest,
  mayMergeInto,
  mergeForbidden,
  noteFailedMerge,
} from '#src/domain/tracking/merge_requests/merge.ts';
import { headPipeline, isActive, missingApprovals } from '#src/domain/tracking/merge_requests/mergeable.ts';
import { sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import type { Jobs } from '#src/platform/background/queue.ts';
import { BadRequest, Forbidden } from '#src/platform/errors.ts';

/**
 * Cancels merging when the pipeline succeeds, for those who may merge it, and its author. Throws NotFound, Forbidden, BadRequest
 * if it was not requested.
 */
export async function cancelMergeWhenPipelineSucceeds(
  context: Context,
  ref: IdOrPath,
  iid: number,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  const { id, title, authorId, targetBranch } = mergeRequest;
  const isPermitted = authorId === actor.id || (await mayMergeInto(context, actor, project, targetBranch));
  if (project.archived) throw new Forbidden();
  if (!isPermitted) throw mergeForbidden();
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.mergeRequest.updateMany({
      where: { id, state: 'opened', mergeWhenPipelineSucceeds: true },
      data: {
        mergeWhenPipelineSucceeds: false,
        mergeCommitMessage: null,
        squashCommitMessage: null,
        updatedAt: new Date(),
      },
    });
    if (count === 0)
      throw new BadRequest(
        'The merge request is not waiting for its pipeline',
        undefined,
        'notWaitingForPipeline',
      ).asWrongState();
    await recordSubjectChanges(tx, context, actor, { type: 'MergeRequest', id, iid, title, project }, [
      { kind: 'mergeCanceled' },
    ]);
  });
  return { project, id };
}

/** The open merge requests to merge now that a pipeline has succeeded, or rules ask for fewer approvals, with the user who requested it. */
export async function awaitingMerge(
  { db }: Pick<Context, 'db'>,
  { pipelineId, mergeRequestId, projectId }: Jobs['merge_requests.pipeline'],
): Promise<{ id: number; userId: number }[]> {
  return db.$queryRaw`
    SELECT m.id, m.merge_user_id AS "userId" FROM merge_requests m
    WHERE m.state = 'opened' AND m.merge_when_pipeline_succeeds AND m.merge_user_id IS NOT NULL
      AND (m.id = ${mergeRequestId ?? null} OR m.target_project_id = ${projectId ?? null} OR EXISTS (SELECT 1 FROM pipelines p WHERE p.id = ${pipelineId ?? null} AND NOT p.tag
        AND p.project_id = m.source_project_id AND (p.ref = m.source_branch OR p.merge_request_id = m.id) AND p.sha = m.sha))
    ORDER BY m.id`;
}

/**
 * Merges such a merge request, on behalf of the user who requested it, if the latest pipeline of its head has succeeded, or it waited for
 * approvals alone, and none is missing. If it cannot be merged, it tells why.
 */
export async function mergeAfterPipeline(context: Context, id: number): Promise<void> {
  const found = await sideTips(context, id);
  if (!found?.mergeRequest.mergeWhenPipelineSucceeds) return;
  const sides = await withCodeOwners(context, found);
  const { iid, sha, mergeCommitMessage, squashCommitMessage, targetProjectId, mergeWhenApproved } = sides.mergeRequest;
  const pipeline = await headPipeline(context, sides.mergeRequest);
  if (pipeline?.status !== 'success' && (!mergeWhenApproved || isActive(pipeline))) return;
  if ((await missingApprovals(context.db, sides)) > 0) return;
  try {
    await acceptMergeRequest(context, targetProjectId, iid, { mergeCommitMessage, squashCommitMessage, sha });
  } catch (error) {
    if (!(await noteFailedMerge(context, id, error))) throw error;
  }
}
