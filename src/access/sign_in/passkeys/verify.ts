import type { Context } from '#src/access/permissions/actor.ts';
import { beginAttempt, pruneAttempts, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import {
  newChallenge,
  type Options,
  type Purpose,
  placeOf,
  readAnswer,
  refused,
  type Site,
  takeChallengeOf,
  transportsOf,
} from '#src/access/sign_in/passkeys/ceremony.ts';

type Verifier = Pick<Context, 'db' | 'secret' | 'clientAddress'>;

/** What to ask a browser to sign in with: any passkey for this server, whose authenticator has to verify its user. */
export async function signInOptions(context: Verifier, site: Site): Promise<Options> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const challenge = await newChallenge(context, site, 'sign_in', { userId: null });
  return generateAuthenticationOptions({ rpID: placeOf(site).rpID, challenge, userVerification: 'required' });
}

/** What to ask a browser for a second factor: one of the user's passkeys. */
export async function secondFactorOptions(context: Verifier, site: Site, userId: number): Promise<Options> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const passkeys = await context.db.passkey.findMany({ where: { userId }, orderBy: { id: 'asc' } });
  const challenge = await newChallenge(context, site, 'second_factor', { userId });
  return generateAuthenticationOptions({
    rpID: placeOf(site).rpID,
    challenge,
    userVerification: 'preferred',
    allowCredentials: passkeys.map(({ credentialId, transports }) => ({
      id: Buffer.from(credentialId).toString('base64url'),
      transports: transportsOf(transports),
    })),
  });
}

/**
 * The user whose passkey signed the challenge; each challenge works once. As a second factor it must be one of the user's who is signing in;
 * to sign in, the authenticator must have verified its user. Counts as an attempt. Throws ValidationFailed, RateLimited,
 * Unavailable.
 */
export function verifyPasskey(
  context: Verifier,
  site: Site,
  text: string,
  expected: { purpose: 'sign_in' } | { purpose: 'second_factor'; userId: number },
): Promise<number> {
  return spaced(context.clientAddress, () => verify(context, site, text, expected));
}

async function verify(
  context: Verifier,
  site: Site,
  text: string,
  expected: { purpose: Purpose; userId?: number },
): Promise<number> {
  const { db, clientAddress } = context;
  const answer = readAnswer(text, 'authentication');
  const credentialId = new Uint8Array(Buffer.from(answer.id, 'base64url'));
  const passkey = await db.passkey.findUnique({ where: { credentialId } });
  const attempt = { account: passkey?.userId ?? `passkey ${answer.id}`, address: clientAddress };
  await beginAttempt(db, attempt);
  const { challenge, userId } = await takeChallengeOf(context, site, expected.purpose, answer.response.clientDataJSON);
  const isExpected = userId === (expected.userId ?? null) && (userId === null || userId === passkey?.userId);
  const counter = passkey && isExpected ? await newCounter(site, answer, challenge, expected.purpose, passkey) : null;
  // Of two concurrent answers of one counter, only the first finds it.
  const used =
    counter !== null && passkey
      ? await db.passkey.updateMany({
          where: { id: passkey.id, counter: passkey.counter },
          data: { counter, lastUsedAt: new Date() },
        })
      : { count: 0 };
  if (used.count === 0 || !passkey) {
    await pruneAttempts(db);
    throw refused();
  }
  await succeeded(db, attempt);
  return passkey.userId;
}

/** What the authenticator's counter is by now; null if the answer is not genuine, or the counter went back. */
async function newCounter(
  site: Site,
  answer: ReturnType<typeof readAnswer<'authentication'>>,
  challenge: string,
  purpose: Purpose,
  passkey: { credentialId: Uint8Array; publicKey: Uint8Array; counter: bigint },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { rpID, expectedOrigin } = placeOf(site);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID: rpID,
      requireUserVerification: purpose === 'sign_in',
      credential: {
        id: Buffer.from(passkey.credentialId).toString('base64url'),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: Number(passkey.counter),
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // The library throws an Error for each way in which an answer can be wrong.
    return null;
  }
}
