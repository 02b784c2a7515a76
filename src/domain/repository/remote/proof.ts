import type { IncomingHttpHeaders } from 'node:http';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { readBasic, readCredentials } from '#src/access/credentials/credentials.ts';
import { ACTIVE_TOKEN } from '#src/access/credentials/tokens/active.ts';
import { deployTokenAgain } from '#src/access/credentials/tokens/deploy_token.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { findHolderById } from '#src/domain/users/keys/holder.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { Unauthenticated } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';

const { sql } = Prisma;

/**
 * The credential that proved who somebody is, of which a short-lived token was made: whoever uses that is looked up by it again, so
 * that the token ends with the credential. A `version` is another one as soon as the secret is; `oauth` is a hash. Deploy keys are looked up by those who
 * take them (deploy_key.ts).
 */
export type Proof =
  | { password: number; version: string }
  | { privateToken: number; version: string }
  | { token: number }
  | { oauth: string }
  | { job: number }
  | { deployToken: number }
  | { sshKey: number };

/**
 * What proves who an actor is that identifyRemote found by these headers. Throws Unauthenticated if the credential ended meanwhile.
 */
export async function proofOf(db: Db, actor: Actor, headers: IncomingHttpHeaders): Promise<Proof> {
  const proof = await proofBy(db, actor, headers);
  if (proof === null) throw new Unauthenticated('The credential is no longer valid.');
  return proof;
}

async function proofBy(db: Db, actor: Actor, headers: IncomingHttpHeaders): Promise<Proof | null> {
  const { id, credential, tokenId, jobId } = actor;
  if (credential === 'job') return jobId === undefined ? null : { job: jobId };
  if (credential === 'deploy_token') return { deployToken: id };
  if (credential === 'personal_token') return tokenId === undefined ? null : { token: tokenId };
  if (credential === 'oauth') {
    const { privateToken, bearer } = readCredentials(headers);
    const texts = [privateToken ?? readBasic(headers.authorization)?.password, bearer];
    const hashes = texts.filter((text) => text !== undefined).map((text) => tokenHash(text));
    const where = { tokenHash: { in: hashes }, kind: 'access' as const, userId: id };
    const found = await db.oAuthToken.findFirst({ where, select: { tokenHash: true } });
    return found && { oauth: Buffer.from(found.tokenHash).toString('hex') };
  }
  const kind = credential === 'private_token' ? 'privateToken' : 'password';
  const version = await versionOf(db, id, kind);
  if (version === null) return null;
  return kind === 'password' ? { password: id, version } : { privateToken: id, version };
}

/** The actor whom a credential proves now, with its scopes; undefined if it no longer proves anybody. */
export async function provenBy(db: Db, proof: Proof): Promise<Actor | undefined> {
  if ('deployToken' in proof) return (await deployTokenAgain(db, proof.deployToken)) ?? undefined;
  if ('sshKey' in proof) {
    const holder = await findHolderById(db, { kind: 'user', keyId: proof.sshKey });
    return holder?.actor ?? undefined;
  }
  if ('password' in proof) return unchanged(db, proof.password, 'password', proof.version);
  if ('privateToken' in proof) return unchanged(db, proof.privateToken, 'privateToken', proof.version);
  const holder = holderOf(proof);
  const [found] = holder ? await queryRows<Holder>(db, holder) : [];
  const { userId = 0, ...credential } = found ?? {};
  const user = found && (await activeUser(db, userId));
  return user ? { ...user, ...credential } : undefined;
}

interface Holder {
  userId: number;
  credential: 'personal_token' | 'oauth' | 'job';
  scopes?: string[];
  tokenId?: number;
  jobId?: number;
  jobProjectId?: number;
}

/** The user of a credential, and what an actor has of that; null for a proof of an earlier version. */
function holderOf(proof: { token: number } | { oauth: string } | { job: number }): Prisma.Sql | null {
  if ('token' in proof) {
    return sql`SELECT user_id AS "userId", 'personal_token' AS credential, scopes, id AS "tokenId" FROM personal_access_tokens
      WHERE id = ${proof.token} AND ${ACTIVE_TOKEN}`;
  }
  if ('oauth' in proof) {
    return sql`SELECT user_id AS "userId", 'oauth' AS credential, scopes FROM oauth_tokens
      WHERE token_hash = decode(${proof.oauth}, 'hex') AND kind = 'access' AND revoked_at IS NULL AND expires_at > now()`;
  }
  if (!('job' in proof)) return null;
  return sql`SELECT user_id AS "userId", 'job' AS credential, id AS "jobId", project_id AS "jobProjectId" FROM jobs
    WHERE id = ${proof.job} AND status IN ('running', 'canceling') AND NOT generic`;
}

async function unchanged(
  db: Db,
  userId: number,
  kind: 'password' | 'privateToken',
  version: string,
): Promise<Actor | undefined> {
  if ((await versionOf(db, userId, kind)) !== version) return undefined;
  const user = await activeUser(db, userId);
  return user ? { ...user, credential: kind === 'password' ? 'password' : 'private_token' } : undefined;
}

/** What tells the present secret of a user from earlier ones; null for a password that is not enough, or no longer. */
async function versionOf(db: Db, userId: number, kind: 'password' | 'privateToken'): Promise<string | null> {
  const user = await db.user.findUnique({
    where: { id: userId },
    select: { passwordHash: true, privateTokenHash: true, twoFactorEnabled: true },
  });
  if (!user || (kind === 'password' && user.twoFactorEnabled)) return null;
  const secret = kind === 'password' ? user.passwordHash : Buffer.from(user.privateTokenHash).toString('hex');
  return Buffer.from(tokenHash(secret)).toString('base64url').slice(0, 16);
}
