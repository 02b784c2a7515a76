import { isEmpty } from '#src/domain/repository/protection.ts';
import { NOT_COMMITTED, NOT_ON_BRANCH } from '#src/domain/repository/refusals.ts';
import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { mayBeMade } from '#src/git/refs/name.ts';
import { BadRequest } from '#src/platform/errors.ts';

/**
 * The parent for the next commit on a branch; null for the first branch of a repository. Throws BadRequest if the repository has
 * only other branches, or if the name of its first one is invalid.
 */
export async function branchTip(
  reader: RepositoryReader | null,
  { defaultBranch }: { defaultBranch: string | null },
  branch: string,
): Promise<Oid | null> {
  const found = await reader?.branch(branch);
  if (found) return found.commit;
  if (!(await isEmpty(reader, defaultBranch))) throw new BadRequest(NOT_ON_BRANCH);
  if (!mayBeMade(`refs/heads/${branch}`)) throw new BadRequest(NOT_COMMITTED);
  return null;
}
