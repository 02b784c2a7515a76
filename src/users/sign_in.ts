import type { Context } from '#src/access/actor.ts';
import { Unauthenticated } from '#src/errors.ts';
import { verifyPassword } from '#src/secrets.ts';
import { type Account, findAccount } from '#src/users/find.ts';

/**
 * Signs in with username or e-mail (told apart by the `@`, whatever their case) and password.
 * Throws Unauthenticated, for users with two-factor authentication with an explanation (behaviour.md 4.3).
 */
export async function signIn(context: Context, login: string, password: string): Promise<Account> {
  const equals = { equals: login.trim(), mode: 'insensitive' } as const;
  const where = login.includes('@') ? { email: equals } : { username: equals };
  const user = await context.db.user.findFirst({ where });
  const right = await verifyPassword(password, user?.passwordHash);
  if (!user || !right || user.state !== 'active') throw new Unauthenticated();
  if (user.twoFactorEnabled) {
    throw new Unauthenticated(
      '401 Unauthorized. You have 2FA enabled. Please use a personal access token to access the API',
    );
  }
  const now = new Date();
  await context.db.user.update({
    where: { id: user.id },
    data: { lastSignInAt: user.currentSignInAt ?? now, currentSignInAt: now },
  });
  return findAccount(context, user.id, true);
}
