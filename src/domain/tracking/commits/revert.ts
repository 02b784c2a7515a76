import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { applyChange, type ChangeToApply } from '#src/domain/repository/commits/apply.ts';
import { type CommitRow, titleOf } from '#src/domain/repository/find_commit.ts';
import { revert } from '#src/git/writer.ts';

const IMPOSSIBLE =
  'Sorry, we cannot revert this commit automatically. It may have been reverted already, or a later commit changed the same lines.';

/** Takes back on a branch what a commit changed. Throws as applyChange. */
export function revertCommit(context: Context, ref: IdOrPath, what: ChangeToApply): Promise<CommitRow> {
  return applyChange(context, ref, what, async (commit) => {
    const message = `Revert "${titleOf(commit)}"\n\nThis reverts ${await nameOf(context, commit)}`;
    return {
      impossible: IMPOSSIBLE,
      message,
      write: (reader, change, keepLock) => revert(reader, { ...change, message }, keepLock),
    };
  });
}

/** The merge request that made a commit when it was merged, if the caller can see it; the commit otherwise. */
async function nameOf({ db, actor }: Context, { oid, project }: CommitRow): Promise<string> {
  const mergeRequest = can(actor, 'read_merge_request', project)
    ? await db.mergeRequest.findFirst({
        where: { targetProjectId: project.id, mergeCommitSha: oid, state: 'merged' },
        select: { iid: true },
      })
    : null;
  return mergeRequest ? `merge request !${mergeRequest.iid}` : `commit ${oid}`;
}
