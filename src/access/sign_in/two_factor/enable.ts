import { notify } from '#src/access/credentials/mail/notify.ts';
import { replacePrivateToken } from '#src/access/credentials/private_token.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { beginAttempt, pruneAttempts, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import { requireOwner, stateConflict } from '#src/access/sign_in/two_factor/owner.ts';
import { replaceRecoveryCodes } from '#src/access/sign_in/two_factor/recovery_codes.ts';
import { keyUri, newSecret, stepOf } from '#src/access/sign_in/two_factor/totp.ts';
import { wrongCode } from '#src/access/sign_in/two_factor/verify.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** What the authenticator app needs. */
export interface Enrolment {
  /** In base32. */
  secret: string;
  /** The secret as `otpauth://totp/…` with names, for a QR code. */
  uri: string;
}

/** The recovery codes and private token that the user has from now on. */
export interface Enabled {
  recoveryCodes: string[];
  privateToken: string;
}

/** Gives the actor a new secret, replacing an unused one. Throws Forbidden, Conflict if two-factor authentication is enabled. */
export async function setUpTwoFactor(context: Context): Promise<Enrolment> {
  const { id, username } = await requireOwner(context, { enabled: false });
  const secret = newSecret();
  const secretEncrypted = encrypt(secret, context.secret);
  await context.db.$transaction(async (tx) => {
    if (await lockEnabled(tx, id)) throw stateConflict(false);
    const data = { secretEncrypted, lastStep: 0 };
    await tx.twoFactor.upsert({ where: { userId: id }, create: { userId: id, ...data }, update: data });
  });
  return { secret, uri: keyUri(secret, username) };
}

/** The actor's secret that is not in use yet. Throws Forbidden, Conflict, ValidationFailed without one. */
export async function findEnrolment(context: Context): Promise<Enrolment> {
  const { id, username } = await requireOwner(context, { enabled: false });
  const secret = decrypt((await pending(context, id)).secretEncrypted, context.secret);
  return { secret, uri: keyUri(secret, username) };
}

/**
 * Enables two-factor authentication once a code shows that the app has the secret. All sessions of the user end and the private
 * token is replaced, as they were obtained without the second factor. What it returns is shown only once. Throws Forbidden,
 * Conflict, RateLimited, Unavailable, ValidationFailed.
 */
export async function enableTwoFactor(context: Context, code: string): Promise<Enabled> {
  const { db, secret, clientAddress } = context;
  const { id } = await requireOwner(context, { enabled: false });
  const { secretEncrypted } = await pending(context, id);
  const attempt = { account: id, address: clientAddress };
  await spaced(clientAddress, () => beginAttempt(db, attempt));
  const step = stepOf(decrypt(secretEncrypted, secret), code.replace(/\s/g, ''));
  if (step === null) {
    await pruneAttempts(db);
    throw wrongCode();
  }
  const enabled = await db.$transaction(async (tx) => {
    if (await lockEnabled(tx, id)) throw stateConflict(false);
    const { count } = await tx.twoFactor.updateMany({
      where: { userId: id, secretEncrypted },
      data: { lastStep: step },
    });
    // A concurrent request has replaced the secret.
    if (count === 0) throw wrongCode();
    await tx.user.update({ where: { id }, data: { twoFactorEnabled: true } });
    await tx.session.deleteMany({ where: { userId: id } });
    await notify(context, tx, id, 'two_factor_enabled');
    const privateToken = await replacePrivateToken(tx, secret, id);
    return { recoveryCodes: await replaceRecoveryCodes(tx, secret, id), privateToken };
  });
  await succeeded(db, attempt);
  return enabled;
}

async function pending({ db }: Context, userId: number): Promise<{ secretEncrypted: Uint8Array<ArrayBuffer> }> {
  const factor = await db.twoFactor.findUnique({ where: { userId }, select: { secretEncrypted: true } });
  if (!factor) throw new ValidationFailed({ code: ['needs a secret first'] });
  return factor;
}

/** Locks the second factor of the user against concurrent changes; returns whether it is enabled. */
async function lockEnabled(tx: Transaction, userId: number): Promise<boolean> {
  const [user] = await tx.$queryRaw<{ enabled: boolean }[]>`
    SELECT two_factor_enabled AS enabled FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
  return user?.enabled ?? false;
}
