import type { Db } from '#src/db.ts';
import { violates } from '#src/db.ts';
import { type FieldErrors, ValidationFailed } from '#src/errors.ts';
import { groupPathErrors } from '#src/groups/path.ts';
import { encrypt, hashPassword, newToken, tokenHash } from '#src/secrets.ts';

export interface NewUser {
  username: string;
  email: string;
  name: string;
  password: string;
  admin?: boolean;
  external?: boolean;
  /** Generated when absent. */
  privateToken?: string;
}

/** Creates a confirmed user with the personal namespace that comes along. Throws ValidationFailed. */
export async function createUser(
  db: Db,
  secret: string,
  input: NewUser,
): Promise<{ id: number; privateToken: string }> {
  const email = input.email.trim().toLowerCase();
  const errors = userErrors({ ...input, email });
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const passwordHash = await hashPassword(input.password);
  const privateToken = input.privateToken ?? newToken();
  const { username, name, admin = false, external = false } = input;
  try {
    const user = await db.$transaction(async (tx) => {
      const taken = await tx.namespace.findFirst({ where: { fullPath: { equals: username, mode: 'insensitive' } } });
      if (taken) throw new ValidationFailed({ username: ['has already been taken'] });
      const user = await tx.user.create({
        data: {
          username,
          name,
          email,
          admin,
          external,
          passwordHash,
          canCreateGroup: !external,
          projectsLimit: external ? 0 : 100_000,
          privateTokenHash: tokenHash(privateToken),
          privateTokenEncrypted: encrypt(privateToken, secret),
          confirmedAt: new Date(),
        },
      });
      const namespace = await tx.namespace.create({
        data: { kind: 'user', name: username, path: username, fullPath: username, fullName: name, ownerId: user.id },
      });
      await tx.namespace.update({ where: { id: namespace.id }, data: { lineage: [namespace.id] } });
      return user;
    });
    return { id: user.id, privateToken };
  } catch (error) {
    if (violates(error, 'users_email_lower')) throw new ValidationFailed({ email: ['has already been taken'] });
    if (violates(error)) throw new ValidationFailed({ username: ['has already been taken'] });
    throw error;
  }
}

function userErrors({ username, email, name, password }: NewUser): FieldErrors {
  const errors: FieldErrors = {};
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254) errors.email = ['is invalid'];
  if (name.trim() === '') errors.name = ["can't be blank"];
  else if (name.length > 255) errors.name = ['is too long (maximum is 255 characters)'];
  const path = username === '' ? ["can't be blank"] : groupPathErrors(username);
  if (path.length > 0) errors.username = path;
  if (password.length < 8) errors.password = ['is too short (minimum is 8 characters)'];
  else if (password.length > 128) errors.password = ['is too long (maximum is 128 characters)'];
  return errors;
}
