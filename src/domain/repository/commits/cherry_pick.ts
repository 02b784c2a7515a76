import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type CommitRow, findCommit } from '#src/domain/repository/commits/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { advance, signatureOf, writableBranch } from '#src/domain/repository/write.ts';
import { RefusedObjects } from '#src/git/remote/quarantine.ts';
import type { CommitSeries } from '#src/git/write/series.ts';
import { cherryPick, MergeConflict, NothingChanged } from '#src/git/writer.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

const IMPOSSIBLE =
  'Sorry, we cannot cherry-pick this commit automatically. It may have been cherry-picked already, or a later commit changed the same lines.';

/**
 * Applies the change of a commit to another branch, with its author and message. Throws NotFound, Forbidden, and BadRequest, also
 * for a change that is already there or that conflicts.
 */
export async function cherryPickCommit(
  context: Context,
  ref: IdOrPath,
  sha: string,
  branch: string,
): Promise<CommitRow> {
  const found = await findProject(context, ref);
  authorize(requireActor(context), 'push_code', found);
  const picked = await findCommit(context, found, sha);
  if ((await picked.repository.branch(branch)) === null) throw new NotFound('Branch');
  const target = await writableBranch(context, found.id, branch);
  await requireRoom(context.repositories, target.project, 0);
  const make = async (series: CommitSeries) => {
    const { tip: onto, reader, keepLock } = series;
    if (onto === null) throw new NotFound('Branch');
    const oid = await cherryPick(reader, { commit: picked.oid, onto, committer: signatureOf(target.pusher) }, keepLock);
    series.follow(oid);
    return oid;
  };
  try {
    return await withEffort(context, () => advance(context, target, { bytes: 0, alone: true, make }));
  } catch (error) {
    if (error instanceof MergeConflict || error instanceof NothingChanged) throw new BadRequest(IMPOSSIBLE);
    if (error instanceof RefusedObjects) throw new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
    throw error;
  }
}
