import type { Context } from '#src/access/actor.ts';
import { notify } from '#src/access/mail/notify.ts';
import { requireCredentialManager } from '#src/access/manage_credentials.ts';
import type { Transaction } from '#src/platform/db.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

/**
 * Gives the actor another private token; the one of before is good for nothing at once. The user is told by mail.
 * Throws Unauthenticated, InsufficientScope, Forbidden for OAuth tokens.
 */
export async function renewPrivateToken(context: Context): Promise<string> {
  const { id } = requireCredentialManager(context);
  return context.db.$transaction(async (tx) => {
    const token = await replacePrivateToken(tx, context.secret, id);
    await notify(context, tx, id, 'private_token_renewed');
    return token;
  });
}

/**
 * Puts another private token in the place of a user's: whoever had the password, or a session without the second factor, may
 * have the one of before.
 */
export async function replacePrivateToken(tx: Transaction, secret: string, userId: number): Promise<string> {
  const token = newToken();
  const data = { privateTokenHash: tokenHash(token), privateTokenEncrypted: encrypt(token, secret) };
  await tx.user.update({ where: { id: userId }, data });
  return token;
}
