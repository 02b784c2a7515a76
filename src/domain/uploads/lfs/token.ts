import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RemoteService } from '#src/domain/repository/access_remote.ts';
import type { Proof } from '#src/domain/repository/remote/proof.ts';

/** Seconds for which a token can be used: a transfer that has begun may go on. */
const LFS_TOKEN_SECONDS = 2 * 60 * 60;

/**
 * What a token allows: to fetch or push objects of one project, for whom the proof is looked up again at each use, for a deploy key, or
 * for anyone.
 */
export interface LfsGrant {
  projectId: number;
  service: RemoteService;
  proof: Proof | { deployKey: number } | null;
  /** When it ends, in seconds since 1970. What is made of it never ends later. */
  expires: number;
}

const ANY_PREFIX = 'gtlfs';
/** Of tokens that say what they were made of; earlier ones are taken for expired. */
const PREFIX = `${ANY_PREFIX}2-`;

/** Whether a password is a token of this kind. */
export function isLfsToken(text: string): boolean {
  return text.startsWith(ANY_PREFIX);
}

/** The end of a token that is made of a credential now, in seconds since 1970. */
export function lfsTokenEnd(): number {
  return now() + LFS_TOKEN_SECONDS;
}

/** For how many seconds a grant can still be used. */
export function secondsLeft({ expires }: Pick<LfsGrant, 'expires'>): number {
  return Math.max(expires - now(), 0);
}

/** A token for a grant, which says itself what it allows and until when, signed with the key of the server. */
export function newLfsToken({ projectId, service, proof, expires }: LfsGrant, secret: string): string {
  const content = Buffer.from(JSON.stringify([projectId, service, proof, expires])).toString('base64url');
  return `${PREFIX}${content}.${signatureOf(content, secret)}`;
}

/** What a token grants; null for one that is wrong or has expired. */
export function readLfsToken(token: string, secret: string): LfsGrant | null {
  if (!token.startsWith(PREFIX)) return null;
  const [content = '', signature = ''] = token.slice(PREFIX.length).split('.');
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(content, secret))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [projectId, service, proof, expires] = JSON.parse(Buffer.from(content, 'base64url').toString());
  return expires <= now() ? null : { projectId, service, proof, expires };
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

function signatureOf(content: string, secret: string): string {
  return createHmac('sha256', secret).update(`lfs ${content}`).digest('base64url');
}
