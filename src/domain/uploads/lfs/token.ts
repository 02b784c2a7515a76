import { createHmac, timingSafeEqual } from 'node:crypto';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { deployTokenAgain } from '#src/access/credentials/tokens/deploy_token.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { RemoteService } from '#src/domain/repository/access_remote.ts';

/** Seconds for which a token can be used: a transfer that has begun may go on. */
export const LFS_TOKEN_SECONDS = 2 * 60 * 60;

/** What a token allows: to fetch or push objects of one project, for a user, a deploy key, or anyone. */
export interface LfsGrant {
  projectId: number;
  service: RemoteService;
  /** As Actor.id: negative for a deploy token. */
  userId: number | null;
  deployKeyId: number | null;
}

const PREFIX = 'gtlfs-';

/** Whether a password is a token of this kind. */
export function isLfsToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** A token for a grant, which says itself what it allows and until when, signed with the key of the server. */
export function newLfsToken(grant: LfsGrant, secret: string): string {
  const expires = Math.floor(Date.now() / 1_000) + LFS_TOKEN_SECONDS;
  const { projectId, service, userId, deployKeyId } = grant;
  const content = Buffer.from(JSON.stringify([projectId, service, userId, deployKeyId, expires])).toString('base64url');
  return `${PREFIX}${content}.${signatureOf(content, secret)}`;
}

/** What a token grants; null for one that is wrong or has expired. */
export function readLfsToken(token: string, secret: string): LfsGrant | null {
  const [content = '', signature = ''] = token.slice(PREFIX.length).split('.');
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(content, secret))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [projectId, service, userId, deployKeyId, expires] = JSON.parse(Buffer.from(content, 'base64url').toString());
  return expires * 1_000 < Date.now() ? null : { projectId, service, userId, deployKeyId };
}

function signatureOf(content: string, secret: string): string {
  return createHmac('sha256', secret).update(`lfs ${content}`).digest('base64url');
}

/** The user of a grant, with access to the API: null for anyone; undefined if the user is blocked or gone. */
export async function actorOfGrant(
  { db }: Pick<Context, 'db'>,
  { userId }: LfsGrant,
): Promise<Actor | null | undefined> {
  if (userId === null) return null;
  if (userId < 0) return (await deployTokenAgain(db, userId)) ?? undefined;
  return (await activeUser(db, userId)) ?? undefined;
}
