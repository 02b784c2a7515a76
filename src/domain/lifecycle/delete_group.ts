import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { requireConfirmation } from '#src/domain/lifecycle/confirmation.ts';
import { lockNamespaceTree } from '#src/domain/namespaces/lock.ts';
import { NotFound } from '#src/platform/errors.ts';

/**
 * Deletes a group with its subgroups and projects: they are invisible from now on, and a job removes them. Returns the group as
 * it was. `confirmation` is its full path as somebody typed it. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function deleteGroup(context: Context, ref: IdOrPath, confirmation?: string | null): Promise<GroupRow> {
  const actor = requireActor(context);
  const group = await findGroup(context, ref);
  authorize(actor, 'delete_group', group);
  requireConfirmation(confirmation, group.fullPath);
  await context.db.$transaction(async (tx) => {
    if (!(await lockNamespaceTree(tx, group.id))) throw new NotFound('Group');
    await tx.$executeRaw`
      UPDATE projects SET deleted_at = now() WHERE deleted_at IS NULL
        AND namespace_id IN (SELECT id FROM namespaces WHERE lineage @> ARRAY[${group.id}]::int[])`;
    await tx.$executeRaw`
      UPDATE namespaces SET deleted_at = now() WHERE lineage @> ARRAY[${group.id}]::int[] AND deleted_at IS NULL`;
    await context.jobs.enqueue(tx, 'namespaces.remove', { namespaceId: group.id });
    const target = { type: 'Group', id: group.id } as const;
    await audit(tx, context, { action: 'group_deleted', place: { groupId: group.id }, target });
    await recordChange(tx, context, { type: 'namespaceDeleted', namespace: { id: group.id }, actor });
  });
  return group;
}
