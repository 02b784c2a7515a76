import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type MergeRequestChanges, updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';
import { type ChangedEach, changeEach } from '#src/domain/tracking/subjects/change_each.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Changes merge requests of any projects alike, by their IDs: each is one that the actor may change, or stays as it is. Throws ValidationFailed. */
export async function updateMergeRequests(
  context: Context,
  ids: readonly number[],
  changes: MergeRequestChanges,
): Promise<ChangedEach> {
  requireActor(context);
  return changeEach(ids, async (id) => {
    const select = { targetProjectId: true, iid: true };
    const found = await context.db.mergeRequest.findUnique({ where: { id }, select });
    if (!found) throw new NotFound('MergeRequest');
    return updateMergeRequest(context, found.targetProjectId, found.iid, changes).catch((error) => {
      // Nobody learns of a project that they cannot see.
      throw error instanceof NotFound ? new NotFound('MergeRequest') : error;
    });
  });
}
