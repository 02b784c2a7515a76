import { notify } from '#src/access/credentials/mail/notify.ts';
import { replacePrivateToken } from '#src/access/credentials/private_token.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { replaceRecoveryCodes } from '#src/access/sign_in/two_factor/recovery_codes.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The recovery codes and private token that the user has from now on. */
export interface Enabled {
  recoveryCodes: string[];
  privateToken: string;
}

/**
 * Requires a second factor of a user from now on. All sessions of the user end and the private token is replaced, as they were
 * obtained without it. What it returns is shown only once.
 */
export async function beginTwoFactor(context: Context, tx: Transaction, userId: number): Promise<Enabled> {
  const { secret } = context;
  await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } });
  await tx.session.deleteMany({ where: { userId } });
  await notify(context, tx, userId, 'two_factor_enabled');
  const privateToken = await replacePrivateToken(tx, secret, userId);
  return { recoveryCodes: await replaceRecoveryCodes(tx, secret, userId), privateToken };
}
