import { audit } from '#src/access/audit/record.ts';
import { authorize, DEVELOPER, GUEST, MASTER, OWNER, REPORTER } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { holdNamespace } from '#src/domain/namespaces/lock.ts';
import { AlreadyExists, NotFound, ValidationFailed, WrongState } from '#src/platform/errors.ts';

export interface NewGroupShare {
  /** The group whose members get access. */
  invitedGroup: IdOrPath;
  /** The highest access level that it gives. */
  accessLevel: number;
  /** Day of expiry, on which it is already without effect; never when absent. */
  expiresAt?: string | null | undefined;
}

const LEVELS: readonly number[] = [GUEST, REPORTER, DEVELOPER, MASTER, OWNER];

/**
 * Shares a group, and all that is in it, with the members of another one. Returns the ID of the group. Throws NotFound for either,
 * Forbidden, ValidationFailed, Conflict.
 */
export async function shareGroup(context: Context, ref: IdOrPath, share: NewGroupShare): Promise<number> {
  const actor = requireActor(context);
  const { id, ...found } = await findGroup(context, ref);
  authorize(actor, 'share_group', found);
  const { accessLevel, expiresAt = null } = share;
  if (!LEVELS.includes(accessLevel)) throw new ValidationFailed({ group_access: ['is not included in the list'] });
  const invited = await findGroup(context, share.invitedGroup);
  const [top] = found.lineage;
  if (invited.lineage[0] !== top) await requireOpenTree(context, top);
  if (invited.id === id) throw new WrongState('A group cannot be shared with itself');
  await context.db.$transaction(async (tx) => {
    // The lineage stays while the share is made: a transfer changes it, and those of shares.
    const held = await holdNamespace(tx, invited.id);
    if (!held) throw new NotFound('Group');
    // Expired shares count as absent, even before they are removed.
    const added = await tx.$executeRaw`
      INSERT INTO group_shares AS s (namespace_id, group_id, group_lineage, group_access, expires_at)
      VALUES (${id}, ${invited.id}, ${held.lineage}::int[], ${accessLevel}, ${expiresAt}::date)
      ON CONFLICT (namespace_id, group_id) DO UPDATE
        SET group_access = EXCLUDED.group_access, expires_at = EXCLUDED.expires_at WHERE NOT ${notExpired('s')}`;
    if (added === 0) throw new AlreadyExists('Shared group has already been taken');
    const event = {
      action: 'share_created',
      place: { groupId: id },
      target: { type: 'Group', id: invited.id },
    } as const;
    await audit(tx, context, { ...event, attribute: 'group_access', to: accessLevel });
  });
  return id;
}

/** Throws NotFound if the group at the top keeps groups from being shared outside of its tree. */
async function requireOpenTree({ db }: Context, id: number | undefined): Promise<void> {
  const closed = await db.namespace.count({ where: { id: id ?? 0, preventSharingGroupsOutsideHierarchy: true } });
  if (closed > 0) throw new NotFound('Group');
}

/** Stops sharing a group with another one. Throws NotFound for the group and the share, Forbidden. */
export async function unshareGroup(context: Context, ref: IdOrPath, groupId: number): Promise<number> {
  const actor = requireActor(context);
  const { id, ...found } = await findGroup(context, ref);
  authorize(actor, 'share_group', found);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.groupShare.deleteMany({ where: { namespaceId: id, groupId } });
    if (count === 0) throw new NotFound('Group Link');
    const target = { type: 'Group', id: groupId } as const;
    await audit(tx, context, { action: 'share_deleted', place: { groupId: id }, target });
  });
  return id;
}
