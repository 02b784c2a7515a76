import type { BranchStart } from '#src/domain/repository/branch_start.ts';
import { isEmpty } from '#src/domain/repository/protection.ts';
import { NOT_COMMITTED, NOT_ON_BRANCH } from '#src/domain/repository/refusals.ts';
import { isOid, type Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
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

/**
 * The commit at which a new branch begins, or one that replaces another; null if the commit is for the branch itself, or for the first
 * branch of a repository. Throws BadRequest if the name is taken or invalid, or there is nothing to begin at.
 *
 * @param from the repository that has what it begins at, if it is another one
 */
export async function newBranchStart(
  reader: RepositoryReader | null,
  { defaultBranch }: { defaultBranch: string | null },
  branch: string,
  { startBranch, startSha, force }: BranchStart,
  from: RepositoryReader | null = reader,
): Promise<Oid | null> {
  if (startBranch != null && startSha != null) {
    throw new BadRequest('start_branch, start_sha are mutually exclusive', 'start_sha');
  }
  if (startBranch == null && startSha == null) return null;
  const isElsewhere = from !== reader;
  if (!isElsewhere && (branch === startBranch || reader === null || (await isEmpty(reader, defaultBranch))))
    return null;
  const existing = (await reader?.branch(branch)) ?? null;
  if (existing && existing.commit === startSha) return null;
  if (existing && !force) throw branchTaken(branch);
  if (!mayBeMade(`refs/heads/${branch}`)) throw new BadRequest('Branch name is invalid', 'branch');
  if (startSha != null) {
    const commit = isOid(startSha) ? await from?.commit(startSha) : null;
    if (!commit) throw new BadRequest('Cannot find start_sha', 'start_sha');
    return commit.oid;
  }
  const found = await from?.branch(startBranch ?? '');
  if (!found) throw new BadRequest(NOT_ON_BRANCH, 'start_branch');
  return found.commit;
}

/** The error for a commit that was to create a branch which is there already. */
export function branchTaken(branch: string): BadRequest {
  return new BadRequest(
    `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    'branch',
  ).asExisting({ type: 'Branch', name: branch });
}
