import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readBasic } from '#src/access/credentials/credentials.ts';
import { signJwt, verifyJwt } from '#src/access/oauth/jwt.ts';
import { currentKeys } from '#src/access/oauth/keys.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { allowedActions, type ImageAction } from '#src/domain/container_registry/access.ts';
import { identifyRemote } from '#src/domain/repository/access_remote.ts';
import { type Proof, proofOf, provenBy } from '#src/domain/repository/remote/proof.ts';
import { BadRequest, Unauthenticated } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Who tokens are for, as clients are told. */
export const REGISTRY_SERVICE = 'container_registry';

/** The type of tokens of the registry: jobs have tokens for any audience signed with the same keys. */
const TOKEN_TYPE = 'registry+jwt';

/** How many scopes one token has at most, and characters of the longest. */
const MAX_SCOPES = 20;
const MAX_SCOPE_LENGTH = 400;

/** What a token lets its bearer do with a repository, as far as the bearer still may. */
export interface Grant {
  name: string;
  actions: ImageAction[];
}

/** Who uses the registry, and how it was proved. */
export interface RegistryCaller {
  actor: Actor | null;
  proof: Proof | null;
}

/** The access of a token of this server. */
export interface OpenedToken {
  actor: Actor | null;
  grants: Grant[];
}

/**
 * Authenticates who asks for a token: by a password, an access token or the token of a running job as the password of Basic
 * authentication; nobody without any. Throws Unauthenticated, RateLimited.
 */
export async function identifyRegistryCaller(
  context: Pick<Context, 'db' | 'clientAddress'>,
  { authorization }: IncomingHttpHeaders,
): Promise<RegistryCaller> {
  const basic = readBasic(authorization);
  if (!basic) {
    if (authorization !== undefined) throw new Unauthenticated('Sign in with Basic authentication.');
    return { actor: null, proof: null };
  }
  const actor = await identifyRemote(context, { authorization });
  if (!actor || actor.credential === 'oauth') {
    throw new Unauthenticated('The container registry takes a password or a personal access token.');
  }
  return { actor, proof: await proofOf(context.db, actor, { authorization }) };
}

/** A scope that a client asks for: `repository:group/project:pull,push`. Others are left out. Throws BadRequest. */
export function scopesIn(given: readonly string[]): Grant[] {
  const texts = given.flatMap((text) => text.split(' ')).filter((text) => text !== '');
  if (texts.length > MAX_SCOPES || texts.some((text) => text.length > MAX_SCOPE_LENGTH)) {
    throw new BadRequest(`A token has at most ${MAX_SCOPES} scopes of ${MAX_SCOPE_LENGTH} characters`);
  }
  return texts.flatMap((text) => {
    const [, name, actions] = /^repository:([^:]+):([a-z*,]+)$/.exec(text) ?? [];
    if (name === undefined || actions === undefined) return [];
    const wanted = new Set(actions.split(','));
    const isWanted = (action: ImageAction) => wanted.has(action) || wanted.has('*');
    return [{ name, actions: (['pull', 'push', 'delete'] as const).filter(isWanted) }];
  });
}

/** A short-lived token for what the caller may do of the scopes, and for how many seconds it is valid. */
export async function issueRegistryToken(
  context: Context,
  proof: Proof | null,
  { scopes, issuer }: { scopes: readonly Grant[]; issuer: string },
): Promise<{ token: string; seconds: number; issuedAt: Date }> {
  const access: object[] = [];
  for (const { name, actions } of scopes) {
    const allowed = await allowedActions(context, name, actions);
    if (allowed.length > 0) access.push({ type: 'repository', name, actions: allowed });
  }
  const { containerRegistryTokenExpireDelay: minutes } = await currentSettings(context.db);
  const seconds = minutes * 60;
  const { signing } = await currentKeys(context.db, context.secret);
  const [key] = signing;
  if (!key) throw new Error('There is no key to sign tokens with');
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    ...{ iss: issuer, sub: context.actor?.username ?? '', aud: REGISTRY_SERVICE, jti: randomUUID() },
    // Clocks of several servers differ a little.
    ...{ iat: now, nbf: now - 5, exp: now + seconds },
    access,
    proof,
  };
  const token = signJwt(key, claims, TOKEN_TYPE);
  return { token, seconds, issuedAt: new Date(now * 1_000) };
}

/** What a token allows, and who its bearer is now. Throws Unauthenticated for one that is wrong or over, or whose bearer is. */
export async function openRegistryToken(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  token: string,
): Promise<OpenedToken> {
  const { signing } = await currentKeys(db, secret);
  const claims = verifyJwt(signing, token, { audience: REGISTRY_SERVICE, type: TOKEN_TYPE });
  if (!claims) throw new Unauthenticated('The token has expired or was not issued by this registry.');
  const proof = claims.proof as Proof | null;
  const actor = proof && (await provenBy(db, proof));
  if (actor === undefined) throw new Unauthenticated('What the token was given for is no longer valid.');
  return { actor, grants: claims.access as Grant[] };
}
