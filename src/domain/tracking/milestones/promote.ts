import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { lockNamespaceTree } from '#src/domain/namespaces/lock.ts';
import { type OwnedRecord, requireOwner } from '#src/domain/projects/owner.ts';
import { findMilestone } from '#src/domain/tracking/milestones/list.ts';
import { ADMIN_MILESTONE, nextNumber } from '#src/domain/tracking/milestones/save.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const TITLE = select('Milestone', { title: true });

/**
 * Makes a milestone of a project one of its group, which takes the place of all milestones with that title in projects and groups
 * inside. Throws NotFound, also for a project that is in no group, Forbidden, and BadRequest if the group or one around it has a
 * milestone of that title.
 */
export async function promoteMilestone(context: Context, project: IdOrPath, id: number): Promise<OwnedRecord> {
  const actor = requireActor(context);
  const place = await requireOwner(context, { project }, ADMIN_MILESTONE);
  const { title } = await findMilestone(context, place, id, TITLE);
  if (!place.project || place.project.ownerId !== null) throw new NotFound('Group');
  const group = await findGroup(context, place.project.namespaceId);
  authorize(actor, 'admin_group_milestone', group);
  await context.db.$transaction(async (tx) => {
    if (!(await lockNamespaceTree(tx, group.id))) throw new NotFound('Group');
    const same = await tx.$queryRaw<{ id: number; isAround: boolean }[]>`
      SELECT m.id, COALESCE(m.group_id = ANY(${group.lineage}::int[]), FALSE) AS "isAround" FROM milestones m
        LEFT JOIN projects p ON p.id = m.project_id JOIN namespaces n ON n.id = COALESCE(m.group_id, p.namespace_id)
      WHERE m.title = ${title} AND (n.lineage @> ARRAY[${group.id}]::int[] OR m.group_id = ANY(${group.lineage}::int[]))
      ORDER BY m.id FOR UPDATE OF m`;
    if (!same.some((milestone) => milestone.id === id)) throw new NotFound('Milestone');
    const around = same.find(({ isAround }) => isAround);
    if (around) {
      const message = 'The group, or one around it, has a milestone with that title';
      throw new BadRequest(message).asExisting({ type: 'Milestone', where: { id: around.id } });
    }
    const iid = await nextNumber(tx, { project: null, group });
    await tx.milestone.update({ where: { id }, data: { projectId: null, groupId: group.id, iid } });
    const merged = same.filter((milestone) => milestone.id !== id).map((milestone) => milestone.id);
    if (merged.length === 0) return;
    await tx.$executeRaw`UPDATE issues SET milestone_id = ${id} WHERE milestone_id = ANY(${merged}::int[])`;
    await tx.$executeRaw`UPDATE merge_requests SET milestone_id = ${id} WHERE milestone_id = ANY(${merged}::int[])`;
    await tx.$executeRaw`UPDATE milestone_events SET milestone_id = ${id} WHERE milestone_id = ANY(${merged}::int[])`;
    await tx.$executeRaw`DELETE FROM milestones WHERE id = ANY(${merged}::int[])`;
  });
  return { place: { project: null, group }, id };
}
