import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type IssueChanges, updateIssue } from '#src/domain/tracking/issues/update.ts';
import { type ChangedEach, changeEach } from '#src/domain/tracking/subjects/change_each.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Changes issues of any projects alike, by their IDs: each is one that the actor may change, or stays as it is. Throws ValidationFailed. */
export async function updateIssues(
  context: Context,
  ids: readonly number[],
  changes: IssueChanges,
): Promise<ChangedEach> {
  requireActor(context);
  return changeEach(ids, async (id) => {
    const found = await context.db.issue.findUnique({ where: { id }, select: { projectId: true, iid: true } });
    if (!found) throw new NotFound('Issue');
    return updateIssue(context, found.projectId, found.iid, changes).catch((error) => {
      // Nobody learns of a project that they cannot see.
      throw error instanceof NotFound ? new NotFound('Issue') : error;
    });
  });
}
