import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { countRecoveryCodes } from '#src/access/sign_in/two_factor/recovery_codes.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How many recovery codes the actor has left; null for other users. */
export async function findRecoveryCodesLeft(context: Context, userId: number): Promise<number | null> {
  return requireAccount(context).id === userId ? countRecoveryCodes(context.db, userId) : null;
}

/** Whether codes of an authenticator app are a second factor of the user; others only have passkeys. */
export async function usesApp(db: Db, userId: number): Promise<boolean> {
  const where = { userId, pending: false, user: { twoFactorEnabled: true } };
  return (await db.twoFactor.count({ where })) > 0;
}
