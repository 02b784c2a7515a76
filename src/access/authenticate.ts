import { LRUCache } from 'lru-cache';
import type { Actor, CredentialKind } from '#src/access/actor.ts';
import { findSession } from '#src/access/sessions/session.ts';
import { noteSeenToday } from '#src/access/sign_in/seen.ts';
import { ACTIVE_TOKEN } from '#src/access/tokens/active.ts';
import { noteTokenUse, TOKEN_TO_NOTE } from '#src/access/tokens/seen.ts';
import { type Db, Prisma, queryRows } from '#src/platform/db.ts';
import { DomainError, EndedToken, Forbidden, Unauthenticated } from '#src/platform/errors.ts';
import { mayBeSomebody } from '#src/platform/mail/sending.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** The credentials that a request carries, wherever it carried them (behaviour.md 4.1). */
export interface Credentials {
  readonly privateToken?: string | undefined;
  readonly bearer?: string | undefined;
  /** Token of a browser's session, where such a one may be used. */
  readonly session?: string | undefined;
  /** The user to act as: ID or username (behaviour.md 4.5). */
  readonly sudo?: string | undefined;
}

/** What to read for the caller, in the statement that finds them. */
export interface Beside {
  /** An expression of type json. */
  json(actor: Actor): Prisma.Sql;
  /** Is told what was read, once it is certain that it was for this actor; never, if it could not be read in the same statement. */
  found(actor: Actor, json: string): void;
}

/**
 * Who the credentials belong to; null when nobody's. Blocked users are nobody.
 * A wrong private token does not stop the bearer token from being tried. Throws EndedToken for an OAuth token that was good
 * once, Forbidden or NotFound for a bad `sudo`.
 */
export async function authenticate(db: Db, credentials: Credentials, beside?: Beside): Promise<Actor | null> {
  let found: Owner | undefined;
  const reads = credentials.sudo ? undefined : beside;
  for (const value of [credentials.privateToken, credentials.bearer]) {
    if (value && (!found || found.ended)) found = (await find(db, value, reads)) ?? found;
  }
  if (!found && credentials.session) return fromSession(db, credentials);
  if (!found) return null;
  if (found.ended) throw new EndedToken(found.ended);
  if (found.firstToday) await noteSeenToday(db, found.id);
  if (found.tokenToNote !== null) await noteTokenUse(db, found.tokenToNote);
  return credentials.sudo ? impersonate(db, found, credentials.sudo) : found.actor;
}

/**
 * As authenticate, but a token that is nobody's is refused; a session that has ended is not, as browsers send its cookie
 * unasked. Throws Unauthenticated too.
 */
export async function authenticateKnown(db: Db, credentials: Credentials, beside?: Beside): Promise<Actor | null> {
  const actor = await authenticate(db, credentials, beside);
  if (!actor && (credentials.privateToken || credentials.bearer)) throw new Unauthenticated(UNKNOWN_TOKEN);
  return actor;
}

const UNKNOWN_TOKEN = 'The token is unknown, expired or revoked, or its user is blocked.';

/** A session acts as nobody else: sudo takes a private token. */
async function fromSession(db: Db, { session = '', sudo }: Credentials): Promise<Actor | null> {
  const actor = (await findSession(db, session))?.actor ?? null;
  if (actor && sudo) {
    throw new Forbidden(
      actor.admin ? 'Private token must be specified in order to use sudo' : 'Must be admin to use sudo',
    );
  }
  return actor;
}

/** The actor that an active user is who proved it by a password; null if there is no such user. */
export async function authenticatedUser(db: Db, userId: number): Promise<Actor | null> {
  const user = await activeUser(db, userId);
  if (!user) return null;
  await noteSeenToday(db, user.id);
  return { ...user, credential: 'password' };
}

/** The actor for work on behalf of an active user; null if there is no such user. */
export async function activeUser(db: Db, userId: number): Promise<Actor | null> {
  const user = await findNamed(db, { id: userId, username: null });
  return user ? { ...user, credential: 'server', scopes: ['api'] } : null;
}

interface Found {
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

type Known = Omit<Found, 'credential' | 'scopes' | 'firstToday' | 'ended' | 'tokenToNote'>;

/**
 * One indexed look-up over all kinds of token, wherever it was sent; private tokens have scopes null. What is to be read beside
 * is read for whom the token belonged to when it came before, and is thrown away if that has changed in any way.
 */
async function find(db: Db, value: string, beside: Beside | undefined): Promise<Owner | undefined> {
  const hash = tokenHash(value);
  const key = Buffer.from(hash).toString('base64');
  const before = beside && known.get(key);
  const [row] = before
    ? await queryRows<Found & { beside: string }>(
        db,
        owner(db, hash, Prisma.sql`, (${beside.json(before)})::text AS beside`),
      )
    : await queryRows<Found & { beside?: never }>(db, owner(db, hash, Prisma.empty));
  if (!row) return undefined;
  const { beside: json, ...found } = row;
  const actor = toActor(found);
  if (before && json !== undefined && isSame(before, actor)) beside.found(actor, json);
  else if (!found.ended) known.set(key, actor);
  return { ...found, actor };
}

/** Whom a token belongs to. */
type Owner = Found & { actor: Actor };

/** The users that tokens belonged to, by their hashes. This authenticates nobody. */
const known = new LRUCache<string, Actor>({ max: 1_000 });

function isSame(one: Actor, other: Actor): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function owner(db: Db, hash: Uint8Array, more: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT u.id, u.username, u.admin, u.external, u.can_create_group AS "canCreateGroup",
      u.projects_limit AS "projectsLimit", t.credential, t.scopes,
      NOT t.impersonation AND u.last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date AS "firstToday",
      t.ended, t.to_note AS "tokenToNote"${more}
    FROM (
      SELECT 'personal_token' AS credential, user_id, scopes, impersonation, NULL AS ended, ${TOKEN_TO_NOTE} AS to_note
      FROM personal_access_tokens
      WHERE token_hash = ${hash} AND ${ACTIVE_TOKEN}
      UNION ALL SELECT 'private_token', id, NULL, false, NULL, NULL FROM users WHERE private_token_hash = ${hash}
      UNION ALL SELECT 'oauth', user_id, scopes, false,
        CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' END, NULL
      FROM oauth_tokens WHERE token_hash = ${hash} AND kind = 'access'
    ) t JOIN users u ON u.id = t.user_id
    WHERE u.state = 'active' AND ${mayBeSomebody(db)}`;
}

function toActor({ scopes, firstToday: _, ended: __, tokenToNote: ___, ...user }: Found): Actor {
  return { ...user, scopes: scopes ?? ['api'] };
}

/** The three checks of sudo, in their order. Blocked users are nobody here too. */
async function impersonate(db: Db, found: Found, sudo: string): Promise<Actor> {
  if (!found.admin) throw new Forbidden('Must be admin to use sudo');
  if (found.scopes !== null) throw new Forbidden('Private token must be specified in order to use sudo');
  const named = { id: /^\d{1,9}$/.test(sudo) ? Number(sudo) : 0, username: sudo };
  const user = sudo.includes('\0') ? undefined : await findNamed(db, named);
  if (!user) throw new DomainError('NOT_FOUND', `There is no user ${JSON.stringify(sudo)}`, { resource: 'User', sudo });
  const impersonator = user.id === found.id ? {} : { impersonator: found.id };
  return { ...user, ...impersonator, credential: found.credential, scopes: ['api'] };
}

/** The active user with that ID, else with that name. */
async function findNamed(
  db: Db,
  { id, username }: { id: number; username: string | null },
): Promise<Known | undefined> {
  const [user] = await db.$queryRaw<Known[]>`
    SELECT id, username, admin, external, can_create_group AS "canCreateGroup", projects_limit AS "projectsLimit"
    FROM users WHERE state = 'active' AND (id = ${id} OR lower(username) = lower(${username}))
    ORDER BY id = ${id} DESC LIMIT 1`;
  return user;
}
