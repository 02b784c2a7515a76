import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { readBasic } from '#src/access/credentials/credentials.ts';
import { ACTIVE_TOKEN } from '#src/access/credentials/tokens/active.ts';
import { deployTokenAgain } from '#src/access/credentials/tokens/deploy_token.ts';
import { jobOfToken } from '#src/access/credentials/tokens/job_token.ts';
import { signJwt, verifyJwt } from '#src/access/oauth/jwt.ts';
import { currentKeys } from '#src/access/oauth/keys.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { allowedActions, type ImageAction } from '#src/domain/container_registry/access.ts';
import { identifyRemote } from '#src/domain/repository/access_remote.ts';
import type { Db } from '#src/platform/database/db.ts';
import { BadRequest, Unauthenticated } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Who tokens are for, as clients are told. */
export const REGISTRY_SERVICE = 'container_registry';

/** The type of tokens of the registry: jobs have tokens for any audience signed with the same keys. */
const TOKEN_TYPE = 'registry+jwt';

/** How many scopes one token has at most, and characters of the longest. */
const MOST_SCOPES = 20;
const LONGEST_SCOPE = 400;

/** What a token lets its bearer do with a repository, as far as the bearer still may. */
export interface Grant {
  name: string;
  actions: ImageAction[];
}

/** What proves who the bearer is, which is looked up again at each use; null for anyone. */
type Proof = { user: number } | { token: number } | { job: number } | { deployToken: number } | null;

/** Who uses the registry, and how it was proved. */
export interface RegistryCaller {
  actor: Actor | null;
  proof: Proof;
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
  return { actor, proof: await proofOf(context.db, actor, basic.password) };
}

async function proofOf(db: Db, actor: Actor, password: string): Promise<Proof> {
  if (actor.credential === 'job') {
    const job = await jobOfToken(db, password);
    if (!job) throw new Unauthenticated('The token of a job is only valid while the job runs.');
    return { job: job.id };
  }
  if (actor.credential === 'deploy_token') return { deployToken: actor.id };
  if (actor.credential !== 'personal_token') return { user: actor.id };
  const found = await db.personalAccessToken.findFirst({
    where: { tokenHash: tokenHash(password) },
    select: { id: true },
  });
  if (!found) throw new Unauthenticated('The access token was revoked.');
  return { token: found.id };
}

/** A scope that a client asks for: `repository:group/project:pull,push`. Others are left out. Throws BadRequest. */
export function scopesIn(given: readonly string[]): Grant[] {
  const texts = given.flatMap((text) => text.split(' ')).filter((text) => text !== '');
  if (texts.length > MOST_SCOPES || texts.some((text) => text.length > LONGEST_SCOPE)) {
    throw new BadRequest(`A token has at most ${MOST_SCOPES} scopes of ${LONGEST_SCOPE} characters`);
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
  proof: Proof,
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
  if (!claims) throw new Unauthenticated('The token has expired, or is none of this registry.');
  const actor = await bearerOf(db, claims.proof as Proof);
  if (actor === undefined) throw new Unauthenticated('What the token was given for is no longer valid.');
  return { actor, grants: claims.access as Grant[] };
}

/** The bearer; undefined if what proved it no longer does. */
async function bearerOf(db: Db, proof: Proof): Promise<Actor | null | undefined> {
  if (proof === null) return null;
  if ('deployToken' in proof) return (await deployTokenAgain(db, proof.deployToken)) ?? undefined;
  if ('user' in proof) {
    const user = await activeUser(db, proof.user);
    return user ? { ...user, credential: 'password' } : undefined;
  }
  if ('token' in proof) {
    const [token] = await db.$queryRaw<{ userId: number; scopes: string[] }[]>`
      SELECT user_id AS "userId", scopes FROM personal_access_tokens WHERE id = ${proof.token} AND ${ACTIVE_TOKEN}`;
    const user = token && (await activeUser(db, token.userId));
    return user ? { ...user, credential: 'personal_token', scopes: token.scopes } : undefined;
  }
  const [job] = await db.$queryRaw<{ userId: number; projectId: number }[]>`
    SELECT user_id AS "userId", project_id AS "projectId" FROM jobs
    WHERE id = ${proof.job} AND status IN ('running', 'canceling') AND NOT generic`;
  const user = job && (await activeUser(db, job.userId));
  return user ? { ...user, credential: 'job', jobProjectId: job.projectId } : undefined;
}
