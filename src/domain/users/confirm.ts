import {
  type AccountTokenHolder,
  findAccountToken,
  takeAccountToken,
} from '#src/access/credentials/account_tokens/use.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The user and address that a link confirms; null if the link is no longer valid. */
export function findConfirmation({ db }: Context, token: string): Promise<AccountTokenHolder | null> {
  return findAccountToken(db, token, 'confirmation');
}

/** Confirms the address, primary or secondary, that the link with this token was mailed to. Throws ValidationFailed. */
export async function confirmAddress({ db }: Context, token: string): Promise<{ email: string }> {
  return db.$transaction(async (tx) => {
    const { userId, email } = await takeAccountToken(tx, token, 'confirmation');
    await markConfirmed(tx, userId, email);
    return { email };
  });
}

/** Marks an address of a user as confirmed; other links for it stop working. */
export async function markConfirmed(tx: Transaction, userId: number, email: string): Promise<void> {
  const where = { confirmedAt: null, email };
  await tx.user.updateMany({ where: { id: userId, ...where }, data: { confirmedAt: new Date() } });
  await tx.email.updateMany({ where: { userId, ...where }, data: { confirmedAt: new Date() } });
  await tx.accountToken.deleteMany({ where: { userId, kind: 'confirmation', email } });
}
