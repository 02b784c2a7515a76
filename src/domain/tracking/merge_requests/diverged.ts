import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { Oid } from '#src/git/base/model.ts';

/** The branches of a merge request; null for one that is not there. */
interface Branches {
  /** The head of the latest version. */
  sha: Oid | null;
  sourceBranchSha: Oid | null;
  targetBranchSha: Oid | null;
}

/**
 * How many commits of the target branch the head of a merge request lacks; 0 if a branch is gone. The caller may read the merge
 * request. Throws RateLimited.
 */
export async function divergedCommits(
  context: Context,
  project: ProjectRow,
  { sha, sourceBranchSha, targetBranchSha: target }: Branches,
): Promise<number> {
  const reader = await context.repositories.open(project);
  if (!reader || sha === null || sourceBranchSha === null || target === null) return 0;
  const [head, tip] = await Promise.all([reader.commit(sha), reader.commit(target)]);
  return head && tip ? withEffort(context, () => reader.countBetween(sha, target)) : 0;
}
