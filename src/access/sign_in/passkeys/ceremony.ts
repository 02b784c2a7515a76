import crypto from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Context } from '#src/access/permissions/actor.ts';
import { keepChallenge, takeChallenge } from '#src/access/sign_in/challenges.ts';
import { parseJson } from '#src/base/json.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** Where a browser is, and what is known of it. */
export interface Site {
  /** URL of the server, without a trailing slash: passkeys are bound to its host. */
  baseUrl: string;
  /** The token of the browser's forms: what one browser is asked to sign, no other can answer. */
  csrf: string;
}

/** What a browser is asked to do: the options of `navigator.credentials`, in the JSON form of WebAuthn. */
export type Options = object;

/** Seconds within which an authenticator has to answer. */
export const PASSKEY_LIFETIME = 5 * 60;
/** The longest answer of an authenticator that is read, in characters. */
const MAX_ANSWER_LENGTH = 20_000;

/** What an answer is for. It counts for nothing else. */
export type Purpose = 'registration' | 'sign_in' | 'second_factor';

/** What is remembered of a question: the user whose answer it has to be; null for a sign-in, which anyone may begin. */
export interface Asked {
  userId: number | null;
}

/** A fresh challenge, to be signed once and soon by the browser that gets it. */
export async function newChallenge(
  context: Pick<Context, 'db' | 'secret'>,
  { csrf }: Site,
  purpose: Purpose,
  asked: Asked,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(crypto.randomBytes(32));
  const key = keyOf(purpose, Buffer.from(challenge).toString('base64url'), csrf);
  await keepChallenge(context, key, asked, PASSKEY_LIFETIME);
  return challenge;
}

/** Uses up the challenge that an answer was signed with. Throws ValidationFailed if it was none of this browser's, or is too old. */
export async function takeChallengeOf(
  context: Pick<Context, 'db' | 'secret'>,
  { csrf }: Site,
  purpose: Purpose,
  clientDataJSON: string,
): Promise<Asked & { challenge: string }> {
  const challenge = challengeIn(clientDataJSON);
  const asked = challenge === null ? null : await takeChallenge<Asked>(context, keyOf(purpose, challenge, csrf));
  if (challenge === null || asked === null) throw refused('has expired: try again');
  return { ...asked, challenge };
}

/** The error for an answer that proves nothing. */
export function refused(why = 'was not accepted'): ValidationFailed {
  return new ValidationFailed({ passkey: [why] });
}

/** Reads what a browser sends of an authenticator's answer. Throws ValidationFailed. */
export function readAnswer<Kind extends 'registration' | 'authentication'>(
  text: string,
  kind: Kind,
): Kind extends 'registration' ? RegistrationResponseJSON : AuthenticationResponseJSON {
  const needed = kind === 'registration' ? ['attestationObject'] : ['authenticatorData', 'signature'];
  const answer = text.length > MAX_ANSWER_LENGTH ? null : parsed(text);
  const { id, rawId, type, response } = objectOf(answer);
  const parts = objectOf(response);
  const texts = [id, rawId, type, parts.clientDataJSON, ...needed.map((name) => parts[name])];
  if (!texts.every((part) => typeof part === 'string')) throw refused();
  return answer as Kind extends 'registration' ? RegistrationResponseJSON : AuthenticationResponseJSON;
}

/** The host that passkeys belong to, and the origin from which they are used. */
export function placeOf({ baseUrl }: Site): { rpID: string; expectedOrigin: string } {
  const { hostname, origin } = new URL(baseUrl);
  return { rpID: hostname, expectedOrigin: origin };
}

/** The transports that a browser may be told of. */
export function transportsOf(given: unknown): AuthenticatorTransport[] {
  const known = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];
  const list = Array.isArray(given) ? given : [];
  return known.filter((one) => list.includes(one)) as AuthenticatorTransport[];
}

function keyOf(purpose: Purpose, challenge: string, csrf: string): string {
  return `passkey ${purpose} ${challenge} ${csrf}`;
}

function challengeIn(clientDataJSON: string): string | null {
  const { challenge } = objectOf(parsed(Buffer.from(clientDataJSON, 'base64url').toString()));
  return typeof challenge === 'string' ? challenge : null;
}

function parsed(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
