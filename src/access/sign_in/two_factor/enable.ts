import type { Context } from '#src/access/permissions/actor.ts';
import { beginAttempt, pruneAttempts, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import { beginTwoFactor, type Enabled } from '#src/access/sign_in/two_factor/begin.ts';
import { usesApp } from '#src/access/sign_in/two_factor/left.ts';
import { type Owner, requireOwner, stateConflict } from '#src/access/sign_in/two_factor/owner.ts';
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

/** Gives the actor a new secret, replacing an unused one. Throws Forbidden, Conflict if an app is in use. */
export async function setUpTwoFactor(context: Context): Promise<Enrolment> {
  const { id, username } = await requireAppless(context);
  const secret = newSecret();
  const secretEncrypted = encrypt(secret, context.secret);
  await context.db.$transaction(async (tx) => {
    const state = await lockState(tx, id);
    if (state.app) throw stateConflict(false);
    // Without a second factor so far, the secret is in force as soon as there is one.
    const data = { secretEncrypted, lastStep: 0, pending: state.enabled };
    await tx.twoFactor.upsert({ where: { userId: id }, create: { userId: id, ...data }, update: data });
  });
  return { secret, uri: keyUri(secret, username) };
}

/** The actor's secret that is not in use yet. Throws Forbidden, Conflict, ValidationFailed without one. */
export async function findEnrolment(context: Context): Promise<Enrolment> {
  const { id, username } = await requireAppless(context);
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
  const { id } = await requireAppless(context);
  const { secretEncrypted } = await pending(context, id);
  const attempt = { account: id, address: clientAddress };
  await spaced(clientAddress, () => beginAttempt(db, attempt));
  const step = stepOf(decrypt(secretEncrypted, secret), code.replace(/\s/g, ''));
  if (step === null) {
    await pruneAttempts(db);
    throw wrongCode();
  }
  const enabled = await db.$transaction(async (tx) => {
    if ((await lockState(tx, id)).app) throw stateConflict(false);
    const { count } = await tx.twoFactor.updateMany({
      where: { userId: id, secretEncrypted },
      data: { lastStep: step, pending: false },
    });
    // A concurrent request has replaced the secret.
    if (count === 0) throw wrongCode();
    return beginTwoFactor(context, tx, id);
  });
  await succeeded(db, attempt);
  return enabled;
}

async function pending({ db }: Context, userId: number): Promise<{ secretEncrypted: Uint8Array<ArrayBuffer> }> {
  const factor = await db.twoFactor.findUnique({ where: { userId }, select: { secretEncrypted: true } });
  if (!factor) throw new ValidationFailed({ code: ['needs a secret first'] });
  return factor;
}

/** Locks the second factor of the user against concurrent changes; returns whether there is one, and whether it is an app. */
async function lockState(tx: Transaction, userId: number): Promise<{ enabled: boolean; app: boolean }> {
  const [user] = await tx.$queryRaw<{ enabled: boolean }[]>`
    SELECT two_factor_enabled AS enabled FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
  const enabled = user?.enabled ?? false;
  return { enabled, app: enabled && (await tx.twoFactor.count({ where: { userId, pending: false } })) > 0 };
}

/** The actor in person, who has no app in use. Throws as requireOwner. */
async function requireAppless(context: Context): Promise<Owner> {
  const owner = await requireOwner(context, {});
  if (await usesApp(context.db, owner.id)) throw stateConflict(false);
  return owner;
}
