import type { Context } from '#src/access/actor.ts';
import { deleteBranch } from '#src/branches/delete.ts';
import { DomainError } from '#src/platform/errors.ts';

/**
 * Does what follows a merge, as the user who merged: removes the source branch where that is wanted. What the user may not do, and
 * what was done already, is left.
 */
export async function finishMerge(context: Context, id: number): Promise<void> {
  const merged = await context.db.mergeRequest.findUnique({
    where: { id, state: 'merged' },
    select: {
      sha: true,
      sourceProjectId: true,
      sourceBranch: true,
      mergeCommitSha: true,
      shouldRemoveSourceBranch: true,
      forceRemoveSourceBranch: true,
    },
  });
  if (!merged) return;
  const { sha, sourceProjectId, sourceBranch, mergeCommitSha } = merged;
  const isWanted = merged.shouldRemoveSourceBranch ?? merged.forceRemoveSourceBranch ?? false;
  // Whoever merged by a push has said nothing of the branch.
  if (!isWanted || sourceProjectId === null || sha === null || mergeCommitSha === null) return;
  try {
    await deleteBranch(context, sourceProjectId, sourceBranch, { onlyAt: sha });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'UNAVAILABLE') throw error;
  }
}
