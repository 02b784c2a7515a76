import { LRUCache } from 'lru-cache';
import { LIMITS } from '#src/access/credentials/read_ahead.ts';
import { noteSeenToday } from '#src/access/credentials/seen.ts';
import { ACTIVE_TOKEN } from '#src/access/credentials/tokens/active.ts';
import { noteTokenUse, TOKEN_TO_NOTE } from '#src/access/credentials/tokens/seen.ts';
import type { Actor, CredentialKind } from '#src/access/permissions/actor.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { canAuthenticateSql } from '#src/platform/outbound/mail/sending.ts';
import { tokenHash } from '#src/platform/secrets.ts';

const { sql } = Prisma;

/** What to read for the caller, in the statement that finds them. */
export interface Beside {
  /** An expression of type json. */
  json(actor: Actor): Prisma.Sql;
  /** Called with what was read, once it is certain that it was for this actor; never if it could not be read in the same statement. */
  found(actor: Actor, json: string): void;
  /** Assumes that what will be read is what was read for the actor before, and returns that; undefined if there is nothing. */
  presume(actor: Actor): string | undefined;
  /** Called when a request for which that was assumed read nothing else in the statement. */
  readAlone(): void;
}

/** Whom a token belongs to, and what else is known of it. */
export interface TokenOwner {
  actor: Actor;
  id: number;
  username: string;
  admin: boolean;
  external: boolean;
  canCreateGroup: boolean;
  projectsLimit: number;
  credential: Extract<CredentialKind, 'private_token' | 'personal_token' | 'oauth'>;
  /** Null of private tokens. */
  scopes: string[] | null;
  /** Whether this is the user's own first request of the day (UTC). */
  firstToday: boolean;
  /** Why an OAuth token is no longer valid; not set for other tokens. */
  ended: 'expired' | 'revoked' | null;
  /** The personal access token whose use was not noted within the hour. */
  tokenToNote: number | null;
}

/** A token as it is looked for, and as it is known within the process. */
export interface TokenKey {
  hash: Uint8Array;
  text: string;
}

export function tokenKey(token: string): TokenKey {
  const hash = tokenHash(token);
  return { hash, text: Buffer.from(hash).toString('base64') };
}

/** The owners that tokens had, as the database told it, by the keys of the tokens. This authenticates nobody. */
const known = new LRUCache<string, { who: string; owner: TokenOwner }>({ max: 1_000 });

/** Whom a token belonged to when it last came. This authenticates nobody. */
export function cachedOwner({ text }: TokenKey): Actor | undefined {
  return known.get(text)?.owner.actor;
}

/**
 * The owner of a token; undefined if it is nobody's. What is to be read beside is read for whom the token belonged to when it
 * came before, and is thrown away if that has changed in any way.
 */
export async function ownerOf(db: Db, token: string, beside?: Beside): Promise<TokenOwner | undefined> {
  const key = tokenKey(token);
  const before = beside && cachedOwner(key);
  const { owner, texts } = await lookUp(db, key, before ? [beside.json(before)] : []);
  const [json] = texts;
  if (before && owner && json != null && isSame(before, owner.actor)) beside.found(owner.actor, json);
  return owner;
}

/**
 * One indexed look-up over all kinds of token, wherever it was sent; private tokens have scopes null.
 *
 * @param more expressions to read in the same statement; nothing is read of them if there is no owner
 * @returns the owner, if there is one, and the expressions as texts
 */
export async function lookUp(
  db: Db,
  { hash, text }: TokenKey,
  more: readonly Prisma.Sql[],
): Promise<{ owner: TokenOwner | undefined; texts: (string | null)[] }> {
  const [row] = await queryRows<{ who: string } & Texts>(db, statement(db, hash, more));
  if (!row) {
    known.delete(text);
    return { owner: undefined, texts: [] };
  }
  const { who } = row;
  const before = known.get(text);
  const owner = before?.who === who ? before.owner : ownerIn(JSON.parse(who));
  if (owner.ended) known.delete(text);
  else if (owner !== before?.owner) known.set(text, { who, owner });
  return { owner, texts: more.map((_, index) => row[`text${index}`] ?? null) };
}

type Texts = Record<`text${number}`, string | null>;

/** Few columns: each costs more to describe than to read. */
function statement(db: Db, hash: Uint8Array, more: readonly Prisma.Sql[]): Prisma.Sql {
  const texts = more.map((json, index) => sql`, (${json})::text AS ${NAMES[index]}`);
  return sql`
    SELECT json_build_array(u.id, u.username, u.admin, u.external, u.can_create_group, u.projects_limit, t.credential, t.scopes,
      NOT t.impersonation AND u.last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date,
      t.ended, t.to_note)::text AS who${texts.length > 0 ? Prisma.join(texts, '') : Prisma.empty}
    FROM (
      SELECT 'personal_token' AS credential, user_id, scopes, impersonation, NULL AS ended, ${TOKEN_TO_NOTE} AS to_note
      FROM personal_access_tokens
      WHERE token_hash = ${hash} AND ${ACTIVE_TOKEN}
      UNION ALL SELECT 'private_token', id, NULL, false, NULL, NULL FROM users WHERE private_token_hash = ${hash}
      UNION ALL SELECT 'oauth', user_id, scopes, false,
        CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' END, NULL
      FROM oauth_tokens WHERE token_hash = ${hash} AND kind = 'access'
    ) t JOIN users u ON u.id = t.user_id
    WHERE u.state = 'active' AND ${canAuthenticateSql(db)}`;
}

/** What the expressions are called in the statement: what is read beside, what the request reads first, what it reads next. */
const NAMES = Array.from({ length: 2 + LIMITS.expressions }, (_, index) => Prisma.raw(`text${index}`));

/** What a look-up finds, in the order of its statement. */
type Columns = [
  ...[id: number, username: string, admin: boolean, external: boolean, canCreateGroup: boolean, projectsLimit: number],
  ...[credential: TokenOwner['credential'], scopes: string[] | null],
  ...[firstToday: boolean, ended: TokenOwner['ended'], tokenToNote: number | null],
];

function ownerIn(columns: Columns): TokenOwner {
  const [id, username, admin, external, canCreateGroup, projectsLimit, credential, scopes, ...rest] = columns;
  const [firstToday, ended, tokenToNote] = rest;
  const user = { id, username, admin, external, canCreateGroup, projectsLimit, credential };
  return { ...user, scopes, firstToday, ended, tokenToNote, actor: { ...user, scopes: scopes ?? ['api'] } };
}

/** Whether a token stands for the same in every respect. */
export function isSame(one: Actor, other: Actor): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Notes that a user is here, and uses a token. */
export async function noteUse(db: Db, { id, firstToday, tokenToNote }: TokenOwner): Promise<void> {
  if (firstToday) await noteSeenToday(db, id);
  if (tokenToNote !== null) await noteTokenUse(db, tokenToNote);
}
