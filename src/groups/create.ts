import { authorize, OWNER } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { violates } from '#src/db.ts';
import { type FieldErrors, Forbidden, ValidationFailed } from '#src/errors.ts';
import { findGroup, type GroupRow } from '#src/groups/find.ts';
import { groupPathErrors } from '#src/groups/path.ts';

export interface NewGroup {
  name: string;
  path: string;
  description?: string | null | undefined;
  /** `private` when absent (behaviour.md 9). */
  visibility?: GroupRow['visibility'] | null | undefined;
  lfsEnabled?: boolean | null | undefined;
  requestAccessEnabled?: boolean | null | undefined;
  parentId?: number | null | undefined;
}

/** Creates a group whose owner is the actor. Throws Forbidden, NotFound for the parent, ValidationFailed. */
export async function createGroup(context: Context, input: NewGroup): Promise<GroupRow> {
  const actor = requireActor(context);
  const parent = input.parentId == null ? null : await findGroup(context, input.parentId);
  if (parent) authorize(actor, 'create_subgroup', parent);
  else if (!actor.admin && !actor.canCreateGroup) throw new Forbidden();
  const errors = groupErrors(input, parent);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const { name, path } = input;
  try {
    const id = await context.db.$transaction(async (tx) => {
      const group = await tx.namespace.create({
        data: {
          kind: 'group',
          name,
          path,
          fullPath: parent ? `${parent.fullPath}/${path}` : path,
          fullName: parent ? `${parent.fullName} / ${name}` : name,
          parentId: parent?.id ?? null,
          description: input.description ?? '',
          visibility: input.visibility ?? 'private',
          lfsEnabled: input.lfsEnabled ?? true,
          requestAccessEnabled: input.requestAccessEnabled ?? false,
          members: { create: { userId: actor.id, accessLevel: OWNER } },
        },
      });
      const lineage = [...(parent?.lineage ?? []), group.id];
      await tx.namespace.update({ where: { id: group.id }, data: { lineage } });
      return group.id;
    });
    return await findGroup(context, id);
  } catch (error) {
    if (violates(error)) throw new ValidationFailed({ path: ['has already been taken'] });
    throw error;
  }
}

const LEVELS = ['private', 'internal', 'public'];

function groupErrors({ name, path, visibility }: NewGroup, parent: GroupRow | null): FieldErrors {
  const errors: FieldErrors = {};
  if (name.trim() === '') errors.name = ["can't be blank"];
  else if (name.length > 255) errors.name = ['is too long (maximum is 255 characters)'];
  else if (!/^[\p{L}\p{N}_\p{Emoji}][\p{L}\p{N}\p{Emoji}_.\- ]*$/u.test(name)) {
    errors.name = ["can contain only letters, digits, '_', '.', dash and space."];
  }
  const wrong = path === '' ? ["can't be blank"] : groupPathErrors(path, { nested: parent !== null });
  if (wrong.length > 0) errors.path = wrong;
  if (parent && visibility && LEVELS.indexOf(visibility) > LEVELS.indexOf(parent.visibility)) {
    errors.visibility_level = [`${visibility} is not allowed in a ${parent.visibility} group.`];
  }
  return errors;
}
