import type { Context } from '#src/access/permissions/actor.ts';
import { verifyLogin } from '#src/access/sign_in/sign_in.ts';
import type { Owner } from '#src/access/sign_in/two_factor/owner.ts';
import { verifySecondFactor } from '#src/access/sign_in/two_factor/verify.ts';
import { DomainError, ValidationFailed } from '#src/platform/errors.ts';

/** Proves the user's identity besides the session or token: either of the two. */
export interface Proof {
  password?: string | null | undefined;
  /** A code of the app, or a recovery code. */
  code?: string | null | undefined;
}

/** Throws RateLimited, and ValidationFailed for `password` or `code`. */
export async function requireProof(
  context: Context,
  { id, username }: Owner,
  { password, code }: Proof,
): Promise<void> {
  if (code) return verifySecondFactor(context, id, code);
  if (!password) throw new ValidationFailed({ password: ["can't be blank"] });
  try {
    await verifyLogin(context, username, password);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'UNAUTHENTICATED') throw error;
    throw new ValidationFailed({ password: ['is wrong'] });
  }
}
