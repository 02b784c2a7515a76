import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { Oid } from '#src/git/model.ts';

/**
 * How many commits of the target branch the head of a merge request lacks; 0 if a branch is gone. The caller may read the merge
 * request. Throws RateLimited.
 */
export async function divergedCommits(
  context: Context,
  project: ProjectRow,
  { sha, sourceProjectId, sourceBranch, targetBranch }: Sides,
): Promise<number> {
  const reader = await context.repositories.open(project);
  const target = await reader?.branch(targetBranch);
  if (!reader || !target || sha === null || sourceProjectId === null) return 0;
  const isThere = await context.db.recordedRef.count({
    where: { projectId: sourceProjectId, name: `refs/heads/${sourceBranch}` },
  });
  if (isThere === 0 || (await reader.commit(sha)) === null) return 0;
  return withEffort(context, () => reader.countBetween(sha, target.commit));
}

interface Sides {
  /** The head of the latest version. */
  sha: Oid | null;
  sourceProjectId: number | null;
  sourceBranch: string;
  targetBranch: string;
}
