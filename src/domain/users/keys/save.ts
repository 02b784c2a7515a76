import { audit } from '#src/access/audit/record.ts';
import { chooseAccount } from '#src/access/permissions/account.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findKey, type KeyRow } from '#src/domain/users/keys/list.ts';
import { parseTitledKey } from '#src/domain/users/keys/titled.ts';
import type { KeyUsage } from '#src/generated/prisma/client.ts';
import { violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

export interface NewKey {
  /** The owner; the actor when absent. Others are for administrators. */
  userId?: number | null | undefined;
  title: string;
  /** In OpenSSH format. */
  key: string;
  /** From when on nobody is let in by it; never when absent. */
  expiresAt?: Date | string | null | undefined;
  /** What it is for; both when absent. */
  usageType?: KeyUsage | null | undefined;
}

/** Adds a public key. Throws Forbidden, NotFound, ValidationFailed. */
export async function createKey(
  context: Context,
  { userId, title, key, expiresAt, usageType }: NewKey,
): Promise<KeyRow> {
  const owner = await chooseAccount(context, userId);
  const taken = ['has already been taken'];
  const ends = expiresAt == null ? null : new Date(expiresAt);
  if (ends && ends.getTime() <= Date.now()) throw new ValidationFailed({ expires_at: ['must be in the future'] });
  try {
    const data = {
      userId: owner,
      ...parseTitledKey(title, key),
      expiresAt: ends,
      usageType: usageType ?? 'auth_and_signing',
    };
    const { id } = await context.db.$transaction(async (tx) => {
      const made = await tx.sshKey.create({ data, select: { id: true, title: true } });
      const target = { type: 'SshKey', id: made.id, name: made.title } as const;
      await audit(tx, context, { action: 'ssh_key_created', place: { userId: owner }, target });
      return made;
    });
    return await findKey(context, owner, id);
  } catch (error) {
    if (!violates(error)) throw error;
    const inUse = ['is already in use, by this account or another one'];
    const details = { fingerprint: inUse, key: inUse };
    throw new ValidationFailed({ fingerprint: taken, key: taken }, undefined, undefined, details).asExisting();
  }
}

export interface DoomedKey {
  /** The owner; the actor when absent. Others are for administrators. */
  userId?: number | null | undefined;
  id: number;
}

/** Deletes a key. For a missing one, returns null if the user is the actor, else throws NotFound. */
export async function deleteKey(context: Context, { userId, id }: DoomedKey): Promise<KeyRow | null> {
  const owner = await chooseAccount(context, userId);
  try {
    const key = await findKey(context, owner, id);
    await context.db.$transaction(async (tx) => {
      const { count } = await tx.sshKey.deleteMany({ where: { id, userId: owner } });
      if (count === 0) throw new NotFound('Key');
      const target = { type: 'SshKey', id, name: key.title } as const;
      await audit(tx, context, { action: 'ssh_key_deleted', place: { userId: owner }, target });
    });
    return key;
  } catch (error) {
    if (error instanceof NotFound && userId == null) return null;
    throw error;
  }
}
