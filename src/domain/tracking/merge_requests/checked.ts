import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { findMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { currentMergeStatus, hasTarget } from '#src/domain/tracking/merge_requests/mergeable.ts';
import { isMerged } from '#src/domain/tracking/merge_requests/refresh.ts';
import { sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const CHECK = select('MergeRequest', { id: true, state: true, currentMergeStatus: true });

/**
 * Like findMergeRequest. What a job has not found out yet about the branches as they are now, such as whether it can be merged,
 * is found out for the caller; the job records it. Throws RateLimited.
 */
export async function findCheckedMergeRequest<R>(
  context: Context,
  project: ProjectRow,
  iid: number,
  selection: Selection<'MergeRequest', R>,
): Promise<R> {
  const found = await findMergeRequest(context, project, iid, selection.with(CHECK));
  if (found.state !== 'opened' || found.currentMergeStatus !== 'unchecked') return found;
  const sides = await sideTips(context, found.id);
  // What moves the merge request itself on is left to the job, which knows who moved a branch.
  if (sides?.mergeRequest.state !== 'opened' || sides.sourceTip !== sides.mergeRequest.sha) return found;
  return withEffort(context, async () => {
    if (await isMerged(sides)) return found;
    const status = await currentMergeStatus(sides);
    const { sourceTip: checkedSourceSha, targetTip: checkedTargetSha } = sides;
    const checkedHasTarget = await hasTarget(sides.reader, checkedSourceSha, checkedTargetSha);
    return { ...found, currentMergeStatus: status, checkedSourceSha, checkedTargetSha, checkedHasTarget };
  });
}
