import { chooseAccount } from '#src/access/permissions/account.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { findGpgKey } from '#src/domain/users/gpg_keys/list.ts';
import { readGpgKey } from '#src/domain/users/gpg_keys/read.ts';
import { violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

/** Characters of the longest key. */
export const MAX_KEY_LENGTH = 64 * 1024;

export interface NewGpgKey {
  /** The owner; the actor when absent. Others are for administrators. */
  userId?: number | null | undefined;
  /** One public key in its armor. */
  key: string;
}

/** Adds a public key for verifying commits. Throws Forbidden, NotFound, ValidationFailed, Unavailable. */
export async function createGpgKey<R>(
  context: Context,
  { userId, key }: NewGpgKey,
  selection: Selection<'GpgKey', R>,
): Promise<R> {
  const owner = await chooseAccount(context, userId);
  const armor = key.trim();
  if (armor === '') throw new ValidationFailed({ key: ["can't be blank"] });
  if (armor.length > MAX_KEY_LENGTH) {
    throw new ValidationFailed({ key: [`is too long (maximum is ${MAX_KEY_LENGTH} characters)`] });
  }
  const facts = isOnePublicKey(armor) ? await readGpgKey(callerOf(context.actor, context.clientAddress), armor) : null;
  if (!facts) {
    throw new ValidationFailed({
      key: [
        "is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----' and ends with '-----END PGP PUBLIC KEY BLOCK-----'",
      ],
    });
  }
  const { fingerprint, primaryKeyId, userIds, subkeys, expiresAt, revoked } = facts;
  try {
    const { id } = await context.db.gpgKey.create({
      data: {
        ...{ userId: owner, key: armor, fingerprint, primaryKeyId, revoked },
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
        names: userIds.map(({ name }) => name.replaceAll('\0', '')),
        emails: userIds.map(({ email }) => email.replaceAll('\0', '')),
        subkeys: { create: subkeys },
      },
      select: { id: true },
    });
    return await findGpgKey(context, owner, id, selection);
  } catch (error) {
    const taken = ['has already been taken'];
    if (!violates(error)) throw error;
    const existing = { type: 'GpgKey', where: { fingerprint } } as const;
    throw new ValidationFailed({ fingerprint: taken, primary_keyid: taken }).asExisting(existing);
  }
}

/** Whether a text is a single armor, of a public key. */
function isOnePublicKey(text: string): boolean {
  return (
    /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n.*\n-----END PGP PUBLIC KEY BLOCK-----$/s.test(text) &&
    text.split('-----BEGIN ').length === 2 &&
    !text.includes('\0')
  );
}

export interface DoomedGpgKey {
  /** The owner; the actor when absent. Others are for administrators. */
  userId?: number | null | undefined;
  id: number;
}

const BASE = select('GpgKey', { id: true });

/** Deletes a key: commits that it signed are no longer verified. Throws Forbidden, NotFound. */
export async function deleteGpgKey(context: Context, { userId, id }: DoomedGpgKey): Promise<{ id: number }> {
  const owner = await chooseAccount(context, userId);
  const found = await findGpgKey(context, owner, id, BASE);
  const { count } = await context.db.gpgKey.deleteMany({ where: { id, userId: owner } });
  if (count === 0) throw new NotFound('GPG Key');
  return found;
}
