import { noteSeenToday } from '#src/access/credentials/seen.ts';
import { ACTIVE_TOKEN, isNoEndedServiceAccount } from '#src/access/credentials/tokens/active.ts';
import { noteTokenUse, TOKEN_TO_NOTE } from '#src/access/credentials/tokens/seen.ts';
import type { Actor, CredentialKind } from '#src/access/permissions/actor.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { canAuthenticateSql } from '#src/platform/outbound/mail/sending.ts';
import { alias } from '#src/platform/records/alias.ts';
import { tokenHash } from '#src/platform/secrets.ts';

const { sql } = Prisma;
const user = alias('User', 'u');

/** The owner of a token and details of the token. */
export interface TokenOwner {
  actor: Actor;
  id: number;
  username: string;
  admin: boolean;
  external: boolean;
  canCreateGroup: boolean;
  projectsLimit: number;
  credential: Extract<CredentialKind, 'private_token' | 'personal_token' | 'oauth'>;
  /** Null for private tokens. */
  scopes: string[] | null;
  /** Whether this is the user's own first request of the day (UTC). */
  firstToday: boolean;
  /** Why an OAuth token is no longer valid; not set for other tokens. */
  ended: 'expired' | 'revoked' | null;
  /** The personal access token, if its use was not recorded within the last ten minutes. */
  tokenToNote: number | null;
}

/** The owner of a token of any kind, however it was sent; undefined for unknown tokens. One indexed look-up over all kinds. */
export async function ownerOf(db: Db, token: string): Promise<TokenOwner | undefined> {
  const hash = tokenHash(token);
  // One column: each costs more to describe than to read.
  const [row] = await queryRows<{ who: string }>(
    db,
    sql`
    SELECT json_build_array(u.id, u.username, u.admin, u.external, u.can_create_group, u.projects_limit, t.credential, t.scopes,
      NOT t.impersonation AND u.last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date,
      t.ended, t.to_note, t.token_id, u.bot, t.application_id)::text AS who
    FROM (
      SELECT 'personal_token' AS credential, user_id, scopes, impersonation, NULL AS ended, ${TOKEN_TO_NOTE} AS to_note, id AS token_id,
        NULL::int AS application_id
      FROM personal_access_tokens
      WHERE token_hash = ${hash} AND ${ACTIVE_TOKEN}
      UNION ALL SELECT 'private_token', id, NULL, false, NULL, NULL, NULL, NULL::int FROM users WHERE private_token_hash = ${hash}
      UNION ALL SELECT 'oauth', user_id, scopes, false,
        CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' END, NULL, NULL,
        application_id
      FROM oauth_tokens WHERE token_hash = ${hash} AND kind = 'access'
    ) t JOIN users u ON u.id = t.user_id
    WHERE u.state = 'active' AND ${canAuthenticateSql(db)} AND ${isNoEndedServiceAccount(user)}`,
  );
  return row && ownerIn(JSON.parse(row.who));
}

/** The columns of a look-up, in the order of its statement. */
type Columns = [
  ...[id: number, username: string, admin: boolean, external: boolean, canCreateGroup: boolean, projectsLimit: number],
  ...[credential: TokenOwner['credential'], scopes: string[] | null],
  ...[
    firstToday: boolean,
    ended: TokenOwner['ended'],
    tokenToNote: number | null,
    tokenId: number | null,
    bot: boolean,
    applicationId: number | null,
  ],
];

function ownerIn(columns: Columns): TokenOwner {
  const [id, username, admin, external, canCreateGroup, projectsLimit, credential, scopes, ...rest] = columns;
  const [firstToday, ended, tokenToNote, tokenId, bot, applicationId] = rest;
  const user = { id, username, admin, external, canCreateGroup, projectsLimit, credential };
  const of = { ...(tokenId === null ? {} : { tokenId }), ...(applicationId === null ? {} : { applicationId }) };
  const actor = { ...user, scopes: scopes ?? ['api'], ...of, ...(bot && { bot }) };
  return { ...user, scopes, firstToday, ended, tokenToNote, actor };
}

/** Whether one of the tokens is a valid one of an application that acts for itself, which is nobody. */
export async function isOfApplication(
  db: Db,
  { privateToken, bearer }: { privateToken?: string | undefined; bearer?: string | undefined },
): Promise<boolean> {
  const hashes = [privateToken, bearer].filter((token) => token !== undefined).map((token) => tokenHash(token));
  const lasting = { expiresAt: { gt: new Date() }, revokedAt: null };
  const where = { tokenHash: { in: hashes }, kind: 'client' as const, ...lasting };
  return (await db.oAuthToken.count({ where })) > 0;
}

/** Records that a user was active and used a token. */
export async function noteUse(db: Db, { id, firstToday, tokenToNote }: TokenOwner): Promise<void> {
  if (firstToday) await noteSeenToday(db, id);
  if (tokenToNote !== null) await noteTokenUse(db, tokenToNote);
}
