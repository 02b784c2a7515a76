import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { countRecoveryCodes } from '#src/access/sign_in/two_factor/recovery_codes.ts';

/** How many recovery codes the actor has left; null for other users. */
export async function findRecoveryCodesLeft(context: Context, userId: number): Promise<number | null> {
  return requireAccount(context).id === userId ? countRecoveryCodes(context.db, userId) : null;
}
