import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { chosenAddresses, type Profile, userErrors } from '#src/domain/users/attributes.ts';
import { saveAvatar } from '#src/domain/users/avatar.ts';
import { profile } from '#src/domain/users/create.ts';
import { renamePersonalNamespace } from '#src/domain/users/personal_namespace.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type IncomingPicture, readPicture } from '#src/platform/pictures.ts';

/** Changes of users to their own profile: unset means unchanged, null clears what can be empty. */
export interface ProfileChanges extends Profile {
  name?: string | null | undefined;
  avatar?: IncomingPicture | null | undefined;
}

/**
 * Updates the actor's public profile. Username, address and password are changed elsewhere, as they are used to sign in. Throws
 * Unauthenticated, InsufficientScope, ValidationFailed.
 */
export async function updateProfile(context: Context, changes: ProfileChanges): Promise<{ id: number }> {
  const { id } = requireActor(context);
  const { avatar, ...texts } = changes;
  const values = { ...texts, name: texts.name === null ? '' : texts.name };
  const errors = userErrors(values);
  const picture =
    avatar &&
    (await readPicture(avatar).catch((error) => {
      if (!(error instanceof ValidationFailed)) throw error;
      Object.assign(errors, error.fields);
    }));
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  await context.db.$transaction(async (tx) => {
    const held = await tx.$queryRaw<object[]>`SELECT id FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
    if (held.length === 0) throw new NotFound('User');
    const { name } = values;
    const addresses = await chosenAddresses(tx, id, values);
    const data = { ...profile(values), ...(name === undefined ? {} : { name }) };
    await tx.user.update({ where: { id }, data: { ...data, ...addresses } });
    if (picture !== undefined) await saveAvatar(tx, id, picture);
    if (name !== undefined) await renamePersonalNamespace(tx, id);
  });
  return { id };
}
