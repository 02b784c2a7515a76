import { notify } from '#src/access/credentials/mail/notify.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { Unauthenticated } from '#src/platform/errors.ts';

/**
 * Puts a password that users have chosen themselves in the place of a known one. Everything that signed in with that ends, by
 * a trigger. Of two changes at once only the first finds the password that it was given. Throws Unauthenticated.
 */
export async function replacePassword(
  context: Context,
  { id, passwordHash }: { id: number; passwordHash: string },
  newHash: string,
): Promise<void> {
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.user.updateMany({
      where: { id, passwordHash, state: 'active' },
      data: { passwordHash: newHash, passwordExpiresAt: null },
    });
    if (count === 0) throw new Unauthenticated();
    await notify(context, tx, id, 'password_changed');
  });
}
