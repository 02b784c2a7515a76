import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { deleteBranch } from '#src/domain/repository/branches/delete.ts';
import { closeIssueVia } from '#src/domain/tracking/issues/close_via.ts';
import { issuesClosedByMerge } from '#src/domain/tracking/merge_requests/closes_issues.ts';
import { type SideTips, sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { DomainError } from '#src/platform/errors.ts';

/**
 * Completes a merge, on behalf of the user who merged: closes the issues that the merge request closes, and removes the source
 * branch if requested. Skips what the user may not do, and what was done already.
 */
export async function finishMerge(context: Context, id: number): Promise<void> {
  const sides = await closeIssuesOfMerge(context, id);
  if (!sides) return;
  await removeSourceBranch(context, sides);
  // Reopened issues stay open, however often the job runs.
  await context.db.mergeRequest.updateMany({ where: { id }, data: { finishedAt: new Date() } });
}

/**
 * Closes the issues that a merge request closes, on behalf of the user who merged; each once. Returns the merge request with its
 * branches, or null if it is not merged, or its merge is completed.
 */
export async function closeIssuesOfMerge(context: Context, id: number): Promise<SideTips | null> {
  const actor = requireActor(context);
  const sides = await sideTips(context, id);
  if (sides?.mergeRequest.state !== 'merged' || sides.mergeRequest.finishedAt !== null) return null;
  const { iid } = sides.mergeRequest;
  const source = { type: 'MergeRequest', id, iid, project: sides.target } as const;
  for (const issue of await issuesClosedByMerge(context.db, actor, sides)) {
    await closeIssueVia(context, actor, issue, source);
  }
  return sides;
}

async function removeSourceBranch(context: Context, { mergeRequest }: SideTips): Promise<void> {
  const { sha, sourceProjectId, sourceBranch, mergeCommitSha } = mergeRequest;
  const isWanted = mergeRequest.shouldRemoveSourceBranch ?? mergeRequest.forceRemoveSourceBranch ?? false;
  // After a merge by a push, removing the branch was not requested.
  if (!isWanted || sourceProjectId === null || sha === null || mergeCommitSha === null) return;
  try {
    await deleteBranch(context, sourceProjectId, sourceBranch, { onlyAt: sha });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'UNAVAILABLE') throw error;
  }
}
