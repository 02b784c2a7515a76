import { audit } from '#src/access/audit/record.ts';
import { authorize, OWNER, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { closestVisibility, visibilityErrors } from '#src/access/permissions/visibility_levels.ts';
import { saveGroupAvatar } from '#src/domain/groups/avatar.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { pathTaken } from '#src/domain/groups/taken.ts';
import { type GroupValues, groupErrors } from '#src/domain/groups/values.ts';
import { type HeldNamespace, holdNamespace } from '#src/domain/namespaces/lock.ts';
import { pathFrom } from '#src/domain/namespaces/path_from.ts';
import { takePath } from '#src/domain/namespaces/redirects.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { readPicture } from '#src/platform/pictures.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface NewGroup extends GroupValues {
  name: string;
  /** Made from the name when left out. */
  path?: string | null | undefined;
  /** The parent group, by ID or full path. */
  parentId?: IdOrPath | null | undefined;
}

/** Maximum nesting of groups. */
export const MAX_DEPTH = 20;

/**
 * Creates a group owned by the actor, and returns its ID. Throws Forbidden, NotFound for the parent, ValidationFailed.
 *
 * @param andThen what is done in the same transaction
 */
export async function createGroup(
  context: Context,
  group: NewGroup,
  andThen?: (tx: Transaction, id: number) => Promise<void>,
): Promise<number> {
  const input = { ...group, path: group.path ?? pathFrom(group.name) };
  const { actor, parent } = await requireMayCreate(context, input.parentId);
  const settings = await currentSettings(context.db);
  const picture = input.avatar ? await readPicture(input.avatar) : null;
  try {
    return await context.db.$transaction(async (tx) => {
      const held = parent && (await holdNamespace(tx, parent.id));
      if (parent && !held) throw new NotFound('Group');
      const bounds = { group: held?.visibility ?? null };
      const byDefault = () => closestVisibility(actor, settings, settings.defaultGroupVisibility, bounds);
      const visibility = input.visibility ?? byDefault();
      const errors = groupErrors(input, held !== null);
      const wrong = visibilityErrors(actor, settings, visibility, bounds);
      if (wrong.length > 0) errors.visibility_level = wrong;
      if (held && held.lineage.length >= MAX_DEPTH) errors.parent_id = ['has too deep level of nesting'];
      if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
      const id = await insertGroup(tx, { ...input, visibility }, held);
      await tx.member.create({ data: { namespaceId: id, userId: actor.id, accessLevel: OWNER } });
      if (picture) await saveGroupAvatar(tx, id, picture);
      await audit(tx, context, { action: 'group_created', place: { groupId: id }, target: { type: 'Group', id } });
      await andThen?.(tx, id);
      return id;
    });
  } catch (error) {
    throw violates(error) ? await pathTaken(context.db, parent?.id ?? null, input.path) : error;
  }
}

/** The actor, who may create groups in the parent group, or at the top without one. Throws Forbidden, NotFound for the parent. */
export async function requireMayCreate(
  context: Context,
  parentId: IdOrPath | null | undefined,
): Promise<{ actor: Actor; parent: GroupRow | null }> {
  const actor = requireActor(context);
  if (!mayCreateGroups(actor)) throw new Forbidden();
  const parent = parentId == null ? null : await findGroup(context, parentId);
  if (parent) authorize(actor, 'create_subgroup', parent);
  return { actor, parent };
}

/** Administrators, and users who are allowed to and not external. */
export function mayCreateGroups({ admin, external, canCreateGroup }: Actor): boolean {
  return admin || (canCreateGroup && !external);
}

/** Inserts a group without members, whose values were checked; its ID. `parent` is held. */
export async function insertGroup(
  tx: Transaction,
  {
    name,
    path,
    description,
    visibility,
    lfsEnabled,
    requestAccessEnabled,
    wikiAccessLevel,
    shareWithGroupLock,
    projectCreationLevel,
    subgroupCreationLevel,
  }: NewGroup & { path: string; visibility: Visibility },
  parent: Pick<HeldNamespace, 'id' | 'fullPath' | 'fullName' | 'lineage'> | null,
): Promise<number> {
  const fullPath = parent ? `${parent.fullPath}/${path}` : path;
  const group = await tx.namespace.create({
    data: {
      kind: 'group',
      name,
      path,
      fullPath,
      fullName: parent ? `${parent.fullName} / ${name}` : name,
      parentId: parent?.id ?? null,
      description: description ?? '',
      visibility,
      lfsEnabled: lfsEnabled ?? true,
      requestAccessEnabled: requestAccessEnabled ?? false,
      wikiAccessLevel: wikiAccessLevel ?? 'enabled',
      shareWithGroupLock: shareWithGroupLock ?? false,
      projectCreationLevel: projectCreationLevel ?? 'maintainer',
      subgroupCreationLevel: subgroupCreationLevel ?? 'owner',
    },
  });
  const lineage = [...(parent?.lineage ?? []), group.id];
  await tx.namespace.update({ where: { id: group.id }, data: { lineage } });
  await takePath(tx, fullPath);
  return group.id;
}
