import { audit } from '#src/access/audit/record.ts';
import { authorize, DEVELOPER, GUEST, MASTER, REPORTER } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { groupsAround } from '#src/domain/projects/groups_around.ts';
import { AlreadyExists, BadRequest, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { ProjectShareRow } from '#src/platform/records/computed_types.ts';

export interface NewShare {
  group: IdOrPath;
  /** The highest access level that it gives. */
  accessLevel: number;
  /** Day of expiry, on which it is already without effect; never when absent. */
  expiresAt?: string | null | undefined;
}

/** Shares a project with the members of a group. Throws NotFound for either, Forbidden, ValidationFailed, Conflict. */
export async function shareProject(context: Context, ref: IdOrPath, share: NewShare): Promise<ProjectShareRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'share_project', project);
  // The lock of one holds for all projects below.
  const locked = await context.db.$queryRaw<unknown[]>`
    SELECT 1 FROM namespaces g WHERE g.id = ANY(${groupsAround(project.id)}) AND g.share_with_group_lock LIMIT 1`;
  if (locked.length > 0) throw new BadRequest('The project sharing with group is disabled').asWrongState();
  const { accessLevel, expiresAt = null } = share;
  if (![GUEST, REPORTER, DEVELOPER, MASTER].includes(accessLevel)) {
    throw new ValidationFailed({ group_access: ['is not included in the list'] });
  }
  const group = await findGroup(context, share.group);
  if (group.id === project.namespaceId)
    throw new AlreadyExists('Project cannot be shared with the group it is in', {
      type: 'Group',
      where: { id: group.id },
    });
  // Expired shares count as absent, even before they are removed.
  const row = await context.db.$transaction(async (tx) => {
    const [added] = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO project_shares AS s (project_id, group_id, group_access, expires_at)
    VALUES (${project.id}, ${group.id}, ${accessLevel}, ${expiresAt}::date)
    ON CONFLICT (project_id, group_id) DO UPDATE
      SET group_access = EXCLUDED.group_access, expires_at = EXCLUDED.expires_at WHERE NOT ${notExpired('s')}
    RETURNING id`;
    if (!added) throw new AlreadyExists('Group already shared with this group');
    const place = { projectId: project.id };
    const event = { action: 'share_created', place, target: { type: 'Group', id: group.id } } as const;
    await audit(tx, context, { ...event, attribute: 'group_access', to: accessLevel });
    return added;
  });
  return {
    id: row.id,
    projectId: project.id,
    groupId: group.id,
    groupName: group.name,
    groupFullPath: group.fullPath,
    groupAccessLevel: accessLevel,
    expiresAt,
  };
}

/** Removes a share with a group. Throws NotFound, Forbidden. */
export async function unshareProject(context: Context, ref: IdOrPath, groupId: number): Promise<void> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'share_project', project);
  const place = { projectId: project.id };
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.projectShare.deleteMany({ where: { ...place, groupId } });
    if (count === 0) throw new NotFound('Group Link');
    await audit(tx, context, { action: 'share_deleted', place, target: { type: 'Group', id: groupId } });
  });
}
