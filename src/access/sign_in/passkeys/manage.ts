import { notify } from '#src/access/credentials/mail/notify.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import {
  newChallenge,
  type Options,
  placeOf,
  readAnswer,
  refused,
  type Site,
  takeChallengeOf,
  transportsOf,
} from '#src/access/sign_in/passkeys/ceremony.ts';
import { beginTwoFactor, type Enabled } from '#src/access/sign_in/two_factor/begin.ts';
import { type Proof, requireProof } from '#src/access/sign_in/two_factor/proof.ts';
import { violates } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** How many passkeys a user can have. */
export const MAX_PASSKEYS = 20;
/** Seconds after a sign-in in which a passkey can be added without further proof. */
export const FRESH_SIGN_IN = 10 * 60;

/**
 * What to ask a browser for a new passkey. Whoever signed in a while ago has to prove their identity again: a passkey outlives the
 * session that added it. Throws Forbidden, ValidationFailed, RateLimited.
 */
export async function registrationOptions(
  context: Context,
  site: Site,
  { signedInSeconds, ...proof }: Proof & { signedInSeconds: number },
): Promise<Options> {
  const { id, username } = requireOwn(context);
  if (signedInSeconds > FRESH_SIGN_IN || proof.password || proof.code)
    await requireProof(context, { id, username }, proof);
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const passkeys = await context.db.passkey.findMany({ where: { userId: id }, orderBy: { id: 'asc' } });
  if (passkeys.length >= MAX_PASSKEYS) throw refused(`is one too many: you have ${MAX_PASSKEYS}`);
  const challenge = await newChallenge(context, site, 'registration', { userId: id });
  return generateRegistrationOptions({
    rpName: 'Gantry',
    rpID: placeOf(site).rpID,
    userName: username,
    userID: new Uint8Array(Buffer.from(`user ${id}`)),
    challenge,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({
      id: Buffer.from(credentialId).toString('base64url'),
      transports: transportsOf(transports),
    })),
  });
}

/**
 * Adds the passkey of an answer to registrationOptions. A first second factor enables two-factor authentication, with all that
 * follows from that, and is returned; null otherwise. Throws Forbidden, ValidationFailed.
 */
export async function addPasskey(
  context: Context,
  site: Site,
  { name, answer: text }: { name: string; answer: string },
): Promise<Enabled | null> {
  const { id: userId } = requireOwn(context);
  const label = name.trim() || 'Passkey';
  if (label.length > 255 || label.includes('\0'))
    throw new ValidationFailed({ passkey_name: ['is too long (maximum is 255 characters)'] });
  const answer = readAnswer(text, 'registration');
  const asked = await takeChallengeOf(context, site, 'registration', answer.response.clientDataJSON);
  if (asked.userId !== userId) throw refused();
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { rpID, expectedOrigin } = placeOf(site);
  const found = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: asked.challenge,
    expectedOrigin,
    expectedRPID: rpID,
    requireUserVerification: false,
  }).catch(() => {
    // The library throws an Error for each way in which an answer can be wrong.
    throw refused();
  });
  if (!found.verified) throw refused();
  const { id, publicKey, counter, transports } = found.registrationInfo.credential;
  const data = {
    userId,
    name: label,
    credentialId: new Uint8Array(Buffer.from(id, 'base64url')),
    publicKey: new Uint8Array(publicKey),
    counter,
    transports: transportsOf(transports),
  };
  try {
    return await context.db.$transaction(async (tx) => {
      const [user] = await tx.$queryRaw<{ enabled: boolean }[]>`
        SELECT two_factor_enabled AS enabled FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
      if ((await tx.passkey.count({ where: { userId } })) >= MAX_PASSKEYS) throw refused('is one too many');
      await tx.passkey.create({ data });
      if (user?.enabled) {
        await notify(context, tx, userId, 'passkey_added');
        return null;
      }
      // The secret of an app that was never confirmed must not come into force with this.
      await tx.twoFactor.deleteMany({ where: { userId } });
      return beginTwoFactor(context, tx, userId);
    });
  } catch (error) {
    throw violates(error, 'credential') ? refused('is known already') : error;
  }
}

/**
 * Removes one of the actor's passkeys, in exchange for the password or a code. Without a second factor left, two-factor
 * authentication is disabled. Throws NotFound, Forbidden if there would be no way to sign in left, RateLimited, ValidationFailed.
 */
export async function removePasskey(context: Context, id: number, proof: Proof): Promise<void> {
  const actor = requireOwn(context);
  const { db } = context;
  const where = { id, userId: actor.id };
  if ((await db.passkey.count({ where })) === 0) throw new NotFound('Passkey');
  await requireProof(context, actor, proof);
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${actor.id} FOR NO KEY UPDATE`;
    const { count } = await tx.passkey.deleteMany({ where });
    if (count === 0) throw new NotFound('Passkey');
    const user = await tx.user.findUniqueOrThrow({
      where: { id: actor.id },
      select: {
        passwordExpiresAt: true,
        twoFactor: { select: { pending: true } },
        _count: { select: { passkeys: true, identities: true } },
      },
    });
    const { passkeys, identities } = user._count;
    if (passkeys + identities === 0 && user.passwordExpiresAt !== null) {
      throw new Forbidden(
        'This is the only way to sign in to your account. Choose a password first, with the link for a forgotten one',
      ).asWrongState();
    }
    await notify(context, tx, actor.id, 'passkey_removed');
    if (passkeys > 0 || user.twoFactor?.pending === false) return;
    await tx.user.update({ where: { id: actor.id }, data: { twoFactorEnabled: false } });
    await tx.twoFactor.deleteMany({ where: { userId: actor.id } });
    await tx.recoveryCode.deleteMany({ where: { userId: actor.id } });
    await notify(context, tx, actor.id, 'two_factor_disabled');
  });
}

/** A passkey as its owner sees it. */
export interface OwnPasskey {
  id: number;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The actor's passkeys, the oldest first. */
export function listPasskeys(context: Context): Promise<OwnPasskey[]> {
  const { id: userId } = requireActor(context);
  const select = { id: true, name: true, createdAt: true, lastUsedAt: true };
  return context.db.passkey.findMany({ where: { userId }, select, orderBy: { id: 'asc' } });
}

/** The actor in person: administrators who use sudo change no factors of others. */
function requireOwn(context: Context) {
  const actor = requireCredentialManager(context);
  if (actor.impersonator !== undefined) throw new Forbidden('Only users themselves can change their passkeys');
  return actor;
}
