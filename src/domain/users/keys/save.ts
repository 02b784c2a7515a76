import { chooseAccount } from '#src/access/permissions/account.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findKey, type KeyRow } from '#src/domain/users/keys/list.ts';
import { parseTitledKey } from '#src/domain/users/keys/titled.ts';
import { violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

export interface NewKey {
  /** Whose it becomes; the actor's when absent. Others' are for administrators. */
  userId?: number | null | undefined;
  title: string;
  /** In the form of OpenSSH. */
  key: string;
}

/** Adds a public key. Throws Forbidden, NotFound, ValidationFailed. */
export async function createKey(context: Context, { userId, title, key }: NewKey): Promise<KeyRow> {
  const owner = await chooseAccount(context, userId);
  const taken = ['has already been taken'];
  try {
    const data = { userId: owner, ...parseTitledKey(title, key) };
    const { id } = await context.db.sshKey.create({ data, select: { id: true } });
    return await findKey(context, owner, id);
  } catch (error) {
    throw violates(error) ? new ValidationFailed({ fingerprint: taken, key: taken }) : error;
  }
}

export interface DoomedKey {
  /** Whose it is; the actor's when absent. Others' are for administrators. */
  userId?: number | null | undefined;
  id: number;
}

/** Deletes a key. One's own that is not there is null; somebody else's throws NotFound, as does a missing user. */
export async function deleteKey(context: Context, { userId, id }: DoomedKey): Promise<KeyRow | null> {
  const owner = await chooseAccount(context, userId);
  try {
    const key = await findKey(context, owner, id);
    const { count } = await context.db.sshKey.deleteMany({ where: { id, userId: owner } });
    if (count === 0) throw new NotFound('Key');
    return key;
  } catch (error) {
    if (error instanceof NotFound && userId == null) return null;
    throw error;
  }
}
