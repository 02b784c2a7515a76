import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { locateIssue } from '#src/domain/tracking/issues/find.ts';
import { leaveTree } from '#src/domain/tracking/issues/hierarchy.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Marks an issue as deleted: the row stays, but is no longer visible. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteIssue(context: Context, ref: IdOrPath, iid: number): Promise<{ id: number }> {
  const actor = requireActor(context);
  const { project, issue } = await locateIssue(context, ref, iid);
  authorize(actor, 'delete_issue', project);
  await context.db.$transaction(async (tx) => {
    const deleted = await tx.issue.updateMany({
      where: { id: issue.id, deletedAt: null },
      data: { deletedAt: new Date() },
    });
    if (deleted.count === 0) throw new NotFound('Issue');
    await leaveTree(tx, issue.id);
    await recordSubjectChanges(tx, context, actor, { ...issue, type: 'Issue', project }, [{ kind: 'deleted' }]);
  });
  return { id: issue.id };
}
