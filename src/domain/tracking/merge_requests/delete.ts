import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { forgetNotes } from '#src/domain/changes/forget_notes.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { NotFound } from '#src/platform/errors.ts';

/**
 * Deletes a merge request with all its records; a job removes its refs. Of its events only that of the deletion stays. Returns
 * its ID. Throws NotFound, Forbidden.
 */
export async function deleteMergeRequest(context: Context, ref: IdOrPath, iid: number): Promise<{ id: number }> {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  authorize(actor, 'delete_merge_request', project);
  const { id } = mergeRequest;
  await context.db.$transaction(async (tx) => {
    const deleted = await tx.mergeRequest.deleteMany({ where: { id } });
    if (deleted.count === 0) throw new NotFound('MergeRequest');
    await forgetNotes(tx, { type: 'MergeRequest', id });
    await tx.subscription.deleteMany({ where: { subjectType: 'MergeRequest', subjectId: id } });
    await recordSubjectChanges(tx, context, actor, { type: 'MergeRequest', ...mergeRequest, project }, [
      { kind: 'deleted' },
    ]);
    await context.jobs.enqueue(tx, 'merge_requests.remove_refs', { projectId: project.id });
  });
  return { id };
}
