import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { filePathOf } from '#src/domain/repository/commits/actions.ts';
import { commitFiles } from '#src/domain/repository/commits/create.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { writableBranch } from '#src/domain/repository/write.ts';
import { isOid } from '#src/git/base/model.ts';
import type { Action, ActionFailed } from '#src/git/write/actions.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** What a submodule is to be moved to. */
export interface SubmoduleChange {
  /** Path of the submodule. */
  path: string;
  branch: string;
  /** Full hash of the commit of the other repository. */
  commitSha: string;
  message?: string | null | undefined;
}

/** Commits another commit of a submodule, which must exist. Throws as writableBranch, and BadRequest. */
export async function updateSubmodule(
  context: Context,
  ref: IdOrPath,
  { path: given, branch, commitSha, message }: SubmoduleChange,
): Promise<CommitRow> {
  if (!isOid(commitSha)) throw new BadRequest('Invalid parameters', 'commit_sha');
  const path = filePathOf(given);
  const target = await writableBranch(context, ref, branch);
  const action: Action = { action: 'link', path, oid: commitSha };
  const made = message?.trim() ? message : `Update submodule ${path} with oid ${commitSha}`;
  return commitFiles(
    context,
    target,
    { paths: [path], files: [], bytes: 0, held: 0, prepare: async () => [action] },
    { message: made },
    refusalOf,
  );
}

function refusalOf(_action: Action, { fault }: ActionFailed): string {
  if (fault === 'missing') return 'Invalid submodule path';
  return fault === 'same' ? 'The submodule is at this commit already' : 'Invalid parameters';
}
