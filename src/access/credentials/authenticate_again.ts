import { authenticate, type Credentials } from '#src/access/credentials/authenticate.ts';
import { ACTIVE_TOKEN, isNoEndedServiceAccount } from '#src/access/credentials/tokens/active.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { canAuthenticateSql } from '#src/platform/outbound/mail/sending.ts';
import { alias } from '#src/platform/records/alias.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

const user = alias('User', 'u');

/** An authenticated actor and its credential. */
export interface Authenticated {
  actor: Actor;
  credentials: Credentials;
}

/**
 * Authenticates the same users again by the same kind of credential: null where the credential was revoked or has expired, or the
 * user was blocked. One statement for all, except for those who use sudo. It does not count as a use of the credential.
 */
export async function authenticateAgain(db: Db, given: readonly Authenticated[]): Promise<(Actor | null)[]> {
  const hashes = given.map(({ credentials: { privateToken, bearer, session } }) =>
    [privateToken, bearer, session].filter((value) => value !== undefined).map(hexOf),
  );
  const plain = given.map(({ credentials }) => credentials.sudo === undefined);
  const found = await find(
    db,
    hashes.flatMap((own, index) => (plain[index] ? own : [])),
  );
  return Promise.all(
    given.map(async ({ actor, credentials }, index) => {
      if (!plain[index]) return actingAgain(db, actor, credentials);
      const same = hashes[index]?.map((hash) => found.get(hash)).find((one) => one?.credential === actor.credential);
      return same?.id === actor.id ? same : null;
    }),
  );
}

async function actingAgain(db: Db, before: Actor, credentials: Credentials): Promise<Actor | null> {
  const actor = await authenticate(db, credentials).catch((error) => {
    if (error instanceof DomainError && error.code !== 'UNAVAILABLE') return null;
    throw error;
  });
  return actor?.id === before.id && actor.impersonator === before.impersonator ? actor : null;
}

type Found = Omit<Actor, 'scopes' | 'place'> & { hash: string; scopes: string[] | null };

/** Finds the owners of currently valid tokens by their hashes. */
async function find(db: Db, hashes: readonly string[]): Promise<Map<string, Actor>> {
  if (hashes.length === 0) return new Map();
  const { sessionExpireDelay } = await currentSettings(db);
  const wanted = Prisma.sql`ANY(ARRAY(SELECT decode(h, 'hex') FROM unnest(${[...hashes]}::text[]) h))`;
  const rows = await queryRows<Found>(
    db,
    Prisma.sql`
    SELECT encode(t.hash, 'hex') AS hash, t.credential, t.scopes, u.id, u.username, u.admin, u.external, u.bot,
      u.can_create_group AS "canCreateGroup", u.projects_limit AS "projectsLimit"
    FROM (
      SELECT token_hash AS hash, 'personal_token' AS credential, user_id, scopes FROM personal_access_tokens
      WHERE token_hash = ${wanted} AND ${ACTIVE_TOKEN}
      UNION ALL SELECT private_token_hash, 'private_token', id, NULL FROM users WHERE private_token_hash = ${wanted}
      UNION ALL SELECT token_hash, 'oauth', user_id, scopes FROM oauth_tokens
      WHERE token_hash = ${wanted} AND kind = 'access' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      UNION ALL SELECT token_hash, 'session', user_id, NULL FROM sessions
      WHERE token_hash = ${wanted} AND last_seen_at > now() - make_interval(mins => ${sessionExpireDelay})
        AND (impersonator_id IS NULL
          OR EXISTS (SELECT 1 FROM users i WHERE i.id = impersonator_id AND i.admin AND i.state = 'active'))
    ) t JOIN users u ON u.id = t.user_id
    WHERE u.state = 'active' AND ${canAuthenticateSql(db)} AND ${isNoEndedServiceAccount(user)}`,
  );
  return new Map(rows.map(({ hash, scopes, ...user }) => [hash, { ...user, scopes: scopes ?? ['api'] }]));
}

function hexOf(token: string): string {
  return Buffer.from(tokenHash(token)).toString('hex');
}
