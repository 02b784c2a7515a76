import type { Context } from '#src/access/permissions/actor.ts';
import { beginAttempt, countUses, pruneAttempts, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import { takeRecoveryCode } from '#src/access/sign_in/two_factor/recovery_codes.ts';
import { stepOf } from '#src/access/sign_in/two_factor/totp.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** How many wrong codes an account may get in CODE_WINDOW: a known password must not allow guessing codes. */
export const CODE_LIMIT = 20;
/** Seconds. */
const CODE_WINDOW = 60 * 60;

/**
 * Verifies a code from the user's authenticator app, or a recovery code. Each works once, even if concurrent requests send it.
 * Wrong ones count and are spaced like wrong passwords. Throws RateLimited, Unavailable, ValidationFailed.
 */
export function verifySecondFactor(context: CodeContext, userId: number, code: string): Promise<void> {
  return spaced(context.clientAddress, () => verify(context, userId, code));
}

type CodeContext = Pick<Context, 'db' | 'secret' | 'clientAddress'>;

async function verify(context: CodeContext, userId: number, code: string): Promise<void> {
  const { db, clientAddress } = context;
  const attempt = { account: userId, address: clientAddress };
  const codes = `codes #${userId}`;
  await beginAttempt(db, attempt);
  await countUses(db, CODE_WINDOW, { [codes]: CODE_LIMIT });
  if (!(await takeCode(context, userId, code))) {
    await pruneAttempts(db);
    throw wrongCode();
  }
  await succeeded(db, attempt);
  await db.signInFailures.deleteMany({ where: { key: codes } });
}

export function wrongCode(): ValidationFailed {
  return new ValidationFailed({ code: ['is wrong, or was used before'] });
}

async function takeCode(context: Pick<Context, 'db' | 'secret'>, userId: number, code: string): Promise<boolean> {
  const digits = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return takeRecoveryCode(context, userId, code.slice(0, 64));
  const { db, secret } = context;
  const factor = await db.twoFactor.findUnique({
    where: { userId, pending: false },
    select: { secretEncrypted: true },
  });
  const step = factor && stepOf(decrypt(factor.secretEncrypted, secret), digits);
  if (step === null) return false;
  const { count } = await db.twoFactor.updateMany({
    where: { userId, pending: false, lastStep: { lt: step } },
    data: { lastStep: step },
  });
  return count > 0;
}
