import type { Context } from '#src/access/permissions/actor.ts';
import { requireOwner } from '#src/access/sign_in/two_factor/owner.ts';
import { type Proof, requireProof } from '#src/access/sign_in/two_factor/proof.ts';
import { replaceRecoveryCodes } from '#src/access/sign_in/two_factor/recovery_codes.ts';

/**
 * Replaces the actor's recovery codes, in exchange for the password or a code. They are shown only once. Throws Forbidden,
 * Conflict without two-factor authentication, RateLimited, ValidationFailed.
 */
export async function renewRecoveryCodes(context: Context, proof: Proof): Promise<string[]> {
  const owner = await requireOwner(context, { enabled: true });
  await requireProof(context, owner, proof);
  return context.db.$transaction(async (tx) => {
    // Of two concurrent requests the later one waits here, and its codes stay.
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${owner.id} FOR NO KEY UPDATE`;
    return replaceRecoveryCodes(tx, context.secret, owner.id);
  });
}
