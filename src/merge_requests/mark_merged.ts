import { recordActivity } from '#src/activity/record.ts';
import type { Transaction } from '#src/platform/db.ts';
import type { ProjectRow } from '#src/projects/find.ts';

/**
 * Marks an open merge request as merged, in the transaction that records the move of the target branch or finds out about it.
 * Returns false for one that is not open any more, or whose source branch has moved on: then nothing was written.
 *
 * @param mergeCommitSha null where its commits came into the target branch by a push
 */
export async function markMerged(
  tx: Transaction,
  actor: { id: number },
  { id, sha, project }: { id: number; sha: string | null; project: Pick<ProjectRow, 'id' | 'fullPath'> },
  mergeCommitSha: string | null,
): Promise<boolean> {
  const [merged] = await tx.$queryRaw<{ iid: number; title: string }[]>`
    UPDATE merge_requests SET state = 'merged', merge_commit_sha = ${mergeCommitSha}, merge_when_pipeline_succeeds = false,
      updated_at = ${new Date()} WHERE id = ${id} AND state = 'opened' AND sha IS NOT DISTINCT FROM ${sha} RETURNING iid, title`;
  if (!merged) return false;
  await recordActivity(tx, actor, { type: 'MergeRequest', id, ...merged, project }, [{ kind: 'merged' }]);
  return true;
}
