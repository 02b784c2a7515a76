import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { authorize, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { isWider, visibilityErrors } from '#src/access/permissions/visibility_levels.ts';
import { saveGroupAvatar } from '#src/domain/groups/avatar.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { pathTaken } from '#src/domain/groups/taken.ts';
import { type GroupValues, groupErrors } from '#src/domain/groups/values.ts';
import { type HeldNamespace, holdNamespace, lockNamespaceTree } from '#src/domain/namespaces/lock.ts';
import { renameNamespace } from '#src/domain/namespaces/rename.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { readPicture } from '#src/platform/pictures.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/**
 * Updates a group: unset means unchanged, null clears the description. Another path or name changes all full paths and full names
 * below, and the old paths redirect. Returns its ID. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function updateGroup(context: Context, ref: IdOrPath, changes: GroupValues): Promise<number> {
  const actor = requireActor(context);
  const { id, ...found } = await findGroup(context, ref);
  authorize(actor, 'update_group', found);
  const settings = await currentSettings(context.db);
  const picture = changes.avatar ? await readPicture(changes.avatar) : changes.avatar;
  try {
    await context.db.$transaction(async (tx) => {
      const group = await lockNamespaceTree(tx, id);
      if (!group) throw new NotFound('Group');
      const errors: FieldErrors = groupErrors(changes, group.parentId !== null);
      if (changes.preventSharingGroupsOutsideHierarchy && group.parentId !== null) {
        errors.prevent_sharing_groups_outside_hierarchy = ['can only be set on a group without a parent'];
      }
      const { visibility } = changes;
      if (visibility && visibility !== group.visibility) {
        const parent = group.parentId === null ? null : await holdNamespace(tx, group.parentId);
        const wrong = visibilityErrors(actor, settings, visibility, { group: parent?.visibility ?? null });
        const messages = wrong.length > 0 ? wrong : await containedErrors(tx, group, visibility);
        if (messages.length > 0) errors.visibility_level = messages;
      }
      if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
      const before = await rowBefore(tx, 'Namespace', id);
      await renameNamespace(tx, group, { path: changes.path ?? group.path, name: changes.name ?? group.name });
      await tx.namespace.update({ where: { id }, data: columns(changes) });
      if (picture !== undefined) await saveGroupAvatar(tx, id, picture);
      const event = { action: 'group_updated', place: { groupId: id }, target: { type: 'Group', id } } as const;
      await auditChanges(tx, context, event, before);
    });
  } catch (error) {
    throw violates(error) ? await pathTaken(context.db, found.parentId, changes.path ?? found.path) : error;
  }
  return id;
}

/** Nothing inside a group may be visible to more people than the group itself. */
async function containedErrors(tx: Transaction, group: HeldNamespace, visibility: Visibility): Promise<string[]> {
  if (!isWider(group.visibility, visibility)) return [];
  const [inside] = await tx.$queryRaw<{ projects: boolean; groups: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM namespaces n JOIN projects p ON p.namespace_id = n.id
        WHERE n.lineage @> ARRAY[${group.id}]::int[] AND p.deleted_at IS NULL AND p.visibility > ${visibility}::visibility) AS projects,
      EXISTS (SELECT 1 FROM namespaces n WHERE n.lineage @> ARRAY[${group.id}]::int[] AND n.id <> ${group.id}
        AND n.deleted_at IS NULL AND n.visibility > ${visibility}::visibility) AS groups`;
  const contained = (['projects', 'groups'] as const).filter((kind) => inside?.[kind]);
  return contained.map(
    (kind) => `${visibility} is not allowed since this group contains ${kind} with higher visibility.`,
  );
}

function columns({
  description,
  visibility,
  lfsEnabled,
  requestAccessEnabled,
  wikiAccessLevel,
  shareWithGroupLock,
  preventSharingGroupsOutsideHierarchy,
  maxArtifactsSize,
  projectCreationLevel,
  subgroupCreationLevel,
}: GroupValues) {
  return {
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(visibility == null ? {} : { visibility }),
    ...(lfsEnabled == null ? {} : { lfsEnabled }),
    ...(requestAccessEnabled == null ? {} : { requestAccessEnabled }),
    ...(wikiAccessLevel == null ? {} : { wikiAccessLevel }),
    ...(shareWithGroupLock == null ? {} : { shareWithGroupLock }),
    ...(preventSharingGroupsOutsideHierarchy == null ? {} : { preventSharingGroupsOutsideHierarchy }),
    ...(maxArtifactsSize === undefined ? {} : { maxArtifactsSize }),
    ...(projectCreationLevel == null ? {} : { projectCreationLevel }),
    ...(subgroupCreationLevel == null ? {} : { subgroupCreationLevel }),
    updatedAt: new Date(),
  };
}
