import { notify } from '#src/access/credentials/mail/notify.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { Unauthenticated } from '#src/platform/errors.ts';

/**
 * Replaces a known password by one that the user has chosen. A trigger ends everything that was signed in with the old one. Of
 * two concurrent changes, only the first still finds the old password. Throws Unauthenticated.
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
