import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { type CommitRow, commitRows, findCommit } from '#src/commits/find.ts';
import { BadRequest, NotFound } from '#src/errors.ts';
import { RefusedObjects } from '#src/git/remote/quarantine.ts';
import { cherryPick, MergeConflict, NothingChanged } from '#src/git/writer.ts';
import type { Ref } from '#src/groups/find.ts';
import { findProject } from '#src/projects/find.ts';
import { withEffort } from '#src/repository/effort.ts';
import { requireRoom } from '#src/repository/quota.ts';
import { advance, NOT_COMMITTED, writableBranch } from '#src/repository/write.ts';

const IMPOSSIBLE =
  'Sorry, we cannot cherry-pick this commit automatically. It may have been cherry-picked already, or a later commit changed the same lines.';

/**
 * Commits the change that a commit made to another branch, with its author and message. Throws NotFound, Forbidden, and
 * BadRequest, also for a change that is there already or that conflicts.
 */
export async function cherryPickCommit(context: Context, ref: Ref, sha: string, branch: string): Promise<CommitRow> {
  const found = await findProject(context, ref);
  authorize(requireActor(context), 'push_code', found);
  const picked = await findCommit(context, found, sha);
  if ((await picked.repository.branch(branch)) === null) throw new NotFound('Branch');
  const target = await writableBranch(context, found.id, branch);
  const { tip, reader, committer, project } = target;
  if (tip === null) throw new NotFound('Branch');
  await requireRoom(context.repositories, project, 0);
  try {
    const oid = await advance(context, target, (hold) =>
      withEffort(context, () => cherryPick(reader, { commit: picked.oid, onto: tip, committer }, hold)),
    );
    const [row] = await commitRows(project, reader, [oid]);
    if (!row) throw new Error(`The commit ${oid} is gone`);
    return row;
  } catch (error) {
    if (error instanceof MergeConflict || error instanceof NothingChanged) throw new BadRequest(IMPOSSIBLE);
    if (error instanceof RefusedObjects) throw new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
    throw error;
  }
}
