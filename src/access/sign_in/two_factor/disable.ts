import { audit, BY_SERVER } from '#src/access/audit/record.ts';
import { notify } from '#src/access/credentials/mail/notify.ts';
import { userNamed } from '#src/access/credentials/tokens/create.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { requireOwner } from '#src/access/sign_in/two_factor/owner.ts';
import { type Proof, requireProof } from '#src/access/sign_in/two_factor/proof.ts';
import type { Db } from '#src/platform/database/db.ts';
import { BadRequest, Forbidden, NotFound } from '#src/platform/errors.ts';

/**
 * Disables the actor's two-factor authentication, passkeys included, in exchange for the password or a code.
 * Throws Forbidden, Conflict if it is off, RateLimited, ValidationFailed.
 */
export async function disableTwoFactor(context: Context, proof: Proof): Promise<void> {
  const owner = await requireOwner(context, { enabled: true });
  await requireProof(context, owner, proof);
  await remove(context.db, owner.id, context);
}

/**
 * Disables a user's two-factor authentication, for administrators, if the user has lost app and recovery codes. Returns whether
 * it was enabled. Throws NotFound, BadRequest if it must be enabled and is not, and Forbidden, also for accounts of administrators.
 */
export async function disableTwoFactorOf(
  context: Context,
  userId: number,
  { mustBeEnabled = false }: { mustBeEnabled?: boolean } = {},
): Promise<boolean> {
  const { id, impersonator } = requireAdmin(context);
  requireCredentialManager(context);
  if ([id, impersonator].includes(userId))
    throw new Forbidden('Use your password or a code to disable your own two-factor authentication');
  const user = await context.db.user.findFirst({ where: { id: userId, ghost: false }, select: { admin: true } });
  if (!user) throw new NotFound('User');
  if (user.admin)
    throw new Forbidden(
      'Two-factor authentication of administrators is disabled on the command line',
      'userStateRefused',
    );
  const changed = await remove(context.db, userId, context);
  if (!changed && mustBeEnabled)
    throw new BadRequest('Two-factor authentication is not enabled for this user').asWrongState();
  return changed;
}

/** Implements `gantry user disable-two-factor`; returns whether it was enabled. Throws NotFound. */
export async function disableTwoFactorFromCommandLine(db: Db, username: string): Promise<boolean> {
  return remove(db, await userNamed(db, username));
}

/** With a context, the user is notified by mail. */
async function remove(db: Db, userId: number, context?: Context): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.user.updateMany({
      where: { id: userId, twoFactorEnabled: true },
      data: { twoFactorEnabled: false },
    });
    await tx.twoFactor.deleteMany({ where: { userId } });
    await tx.passkey.deleteMany({ where: { userId } });
    await tx.recoveryCode.deleteMany({ where: { userId } });
    const target = { type: 'User', id: userId } as const;
    if (count > 0) await audit(tx, context ?? BY_SERVER, { action: 'two_factor_disabled', place: { userId }, target });
    if (count > 0 && context) await notify(context, tx, userId, 'two_factor_disabled');
    return count > 0;
  });
}
