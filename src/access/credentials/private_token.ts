import { notify } from '#src/access/credentials/mail/notify.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

/**
 * Renews the private token of the actor; the old one stops working immediately. The user is notified by mail.
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

/** Replaces a user's private token: people with the password, or a session without second factor, may know the old one. */
export async function replacePrivateToken(tx: Transaction, secret: string, userId: number): Promise<string> {
  const token = newToken();
  const data = { privateTokenHash: tokenHash(token), privateTokenEncrypted: encrypt(token, secret) };
  await tx.user.update({ where: { id: userId }, data });
  return token;
}
