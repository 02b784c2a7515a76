import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { lockNamespaceTree } from '#src/domain/namespaces/lock.ts';
import { type OwnedRecord, requireOwner } from '#src/domain/projects/owner.ts';
import { findLabel, type LabelRef } from '#src/domain/tracking/labels/list.ts';
import { replaceLabels } from '#src/domain/tracking/labels/replace.ts';
import { ADMIN_LABEL } from '#src/domain/tracking/labels/save.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const LABEL = select('Label', { id: true, title: true });

/**
 * Makes a label of a project one of its group, which takes the place of all labels with that title in projects and groups inside:
 * issues, merge requests, lists of boards, priorities and subscriptions keep it. Throws NotFound, Forbidden, and BadRequest for a
 * project that is in no group, or if a group around that one has such a label.
 */
export async function promoteLabel(context: Context, project: IdOrPath, ref: LabelRef): Promise<OwnedRecord> {
  const actor = requireActor(context);
  const place = await requireOwner(context, { project }, ADMIN_LABEL);
  const { id, title } = await findLabel(context, place, ref, LABEL);
  const refused = new BadRequest('Failed to promote project label to group label');
  if (!place.project || place.project.ownerId !== null) throw refused;
  const group = await findGroup(context, place.project.namespaceId);
  authorize(actor, 'admin_group_label', group);
  const promoted = await context.db.$transaction(async (tx) => {
    if (!(await lockNamespaceTree(tx, group.id))) throw new NotFound('Group');
    const same = await tx.$queryRaw<{ id: number; groupId: number | null; isInside: boolean }[]>`
      SELECT l.id, l.group_id AS "groupId", n.lineage @> ARRAY[${group.id}]::int[] AS "isInside" FROM labels l
        LEFT JOIN projects p ON p.id = l.project_id JOIN namespaces n ON n.id = COALESCE(l.group_id, p.namespace_id)
      WHERE l.title = ${title} AND (n.lineage @> ARRAY[${group.id}]::int[] OR l.group_id = ANY(${group.lineage}::int[]))
      ORDER BY l.id FOR UPDATE OF l`;
    if (!same.some((label) => label.id === id)) throw new NotFound('Label');
    const around = same.find(({ isInside }) => !isInside);
    if (around) throw refused.asExisting({ type: 'Label', where: { id: around.id } });
    const to = same.find(({ groupId }) => groupId === group.id)?.id ?? id;
    const merged = same.filter((label) => label.id !== to).map((label) => label.id);
    if (to === id) {
      await tx.$executeRaw`
        INSERT INTO label_priorities (project_id, label_id, priority)
        SELECT project_id, id, priority FROM labels WHERE id = ${id} AND priority IS NOT NULL`;
      await tx.label.update({ where: { id }, data: { projectId: null, groupId: group.id, priority: null } });
    }
    await replaceLabels(
      tx,
      merged.map((from) => ({ from, to })),
    );
    await tx.$executeRaw`UPDATE label_events SET label_id = ${to} WHERE label_id = ANY(${merged}::int[])`;
    await tx.$executeRaw`
      INSERT INTO subscriptions (user_id, subject_type, subject_id, subscribed)
      SELECT user_id, 'Label', ${to}, bool_or(subscribed) FROM subscriptions
      WHERE subject_type = 'Label' AND subject_id = ANY(${merged}::int[]) GROUP BY user_id
      ON CONFLICT (subject_type, subject_id, user_id) DO UPDATE SET subscribed = subscriptions.subscribed OR EXCLUDED.subscribed`;
    await tx.$executeRaw`DELETE FROM subscriptions WHERE subject_type = 'Label' AND subject_id = ANY(${merged}::int[])`;
    await tx.$executeRaw`DELETE FROM labels WHERE id = ANY(${merged}::int[])`;
    return to;
  });
  return { place: { project: null, group }, id: promoted };
}
