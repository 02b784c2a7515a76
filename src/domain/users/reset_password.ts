import { issueAccountToken } from '#src/access/credentials/account_tokens/issue.ts';
import {
  type AccountTokenHolder,
  findAccountToken,
  takeAccountToken,
  worthless,
} from '#src/access/credentials/account_tokens/use.ts';
import { notify } from '#src/access/credentials/mail/notify.ts';
import { replacePrivateToken } from '#src/access/credentials/private_token.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { countUses, spaced } from '#src/access/sign_in/attempts.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { passwordErrors } from '#src/access/sign_in/password_errors.ts';
import { markConfirmed } from '#src/domain/users/confirm.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** How many passwords may be reset from one network in WINDOW. */
export const RESETS = 30;
/** Seconds. */
const WINDOW = 60;

/** The user whose password a link resets; null if the link is no longer valid. */
export function findPasswordReset({ db }: Context, token: string): Promise<AccountTokenHolder | null> {
  return findAccountToken(db, token, 'password_reset');
}

/**
 * Sets a new password for an account, given the token of a link. By triggers, all sessions and other such links end; the private
 * token is replaced; the second factor stays. This also confirms the address of the link. Throws RateLimited, Unavailable,
 * ValidationFailed.
 */
export async function resetPassword(context: Context, token: string, password: string): Promise<{ userId: number }> {
  const errors = passwordErrors(password);
  if (errors.length > 0) throw new ValidationFailed({ password: errors });
  const { db, secret, clientAddress } = context;
  // Hashing takes a while, so it is only done for valid links.
  if (!(await findAccountToken(db, token, 'password_reset'))) throw worthless();
  if (clientAddress !== null) {
    const limit = { [`reset ${networkOf(clientAddress)}`]: RESETS };
    await spaced(clientAddress, () => countUses(db, WINDOW, limit));
  }
  const passwordHash = await hashPassword(password, clientAddress);
  return db.$transaction(async (tx) => {
    const { userId, email } = await takeAccountToken(tx, token, 'password_reset');
    await tx.user.update({ where: { id: userId }, data: { passwordHash, passwordExpiresAt: null } });
    await markConfirmed(tx, userId, email);
    await replacePrivateToken(tx, secret, userId);
    await notify(context, tx, userId, 'password_reset_done');
    return { userId };
  });
}

/** Implements `gantry user reset-link`: returns the token of a link that works once within a day. Throws NotFound. */
export async function resetTokenFromCommandLine(db: Db, username: string): Promise<string> {
  const [user] = await db.$queryRaw<{ id: number; email: string }[]>`
    SELECT id, email FROM users WHERE lower(username) = lower(${username}) AND NOT ghost AND NOT bot AND state = 'active'`;
  if (!user) throw new NotFound('User', `There is no user ${username}, or they are blocked.`);
  return (await issueAccountToken(db, { userId: user.id, kind: 'password_reset', email: user.email, hours: 24 })).token;
}
