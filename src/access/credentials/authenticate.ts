import { noteSeenToday } from '#src/access/credentials/seen.ts';
import { findSession } from '#src/access/credentials/sessions/session.ts';
import { isOfApplication, noteUse, ownerOf, type TokenOwner } from '#src/access/credentials/token_owner.ts';
import { isNoEndedBot } from '#src/access/credentials/tokens/active.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { DomainError, EndedToken, Forbidden, UnknownToken } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';

/** The credentials of a request, whichever way they were sent (behaviour.md 4.1). */
export interface Credentials {
  readonly privateToken?: string | undefined;
  readonly bearer?: string | undefined;
  /** Token of a browser's session, where sessions are allowed. */
  readonly session?: string | undefined;
  /** The user to act as: ID or username (behaviour.md 4.5). */
  readonly sudo?: string | undefined;
}

/**
 * The actor that the credentials belong to; null without any, for an application that acts for itself, and for a session that has
 * ended, as browsers send their cookie unasked. One good credential is enough, whatever the others are. Throws UnknownToken,
 * EndedToken, and Forbidden or NotFound for a bad `sudo`.
 */
export async function authenticate(db: Db, credentials: Credentials): Promise<Actor | null> {
  const actor = await findActor(db, credentials);
  if (actor || !(credentials.privateToken || credentials.bearer)) return actor;
  if (await isOfApplication(db, credentials)) return null;
  throw new UnknownToken();
}

/** As authenticate, but null for unknown tokens, which may be something else. */
export async function findActor(db: Db, credentials: Credentials): Promise<Actor | null> {
  let found: TokenOwner | undefined;
  for (const value of [credentials.privateToken, credentials.bearer]) {
    if (value && (!found || found.ended)) found = (await ownerOf(db, value)) ?? found;
  }
  if (found && !found.ended) {
    await noteUse(db, found);
    return credentials.sudo ? impersonate(db, found, credentials.sudo) : found.actor;
  }
  const actor = credentials.session ? await fromSession(db, credentials) : null;
  if (!actor && found?.ended) throw new EndedToken(found.ended);
  return actor;
}

/** Sessions cannot sudo: that takes a private token. */
async function fromSession(db: Db, { session = '', sudo }: Credentials): Promise<Actor | null> {
  const found = await findSession(db, session);
  const actor = found && !found.mustSetUpTwoFactor ? found.actor : null;
  if (actor && sudo) {
    throw new Forbidden(
      actor.admin ? 'Private token must be specified in order to use sudo' : 'Must be admin to use sudo',
    );
  }
  return actor;
}

/** The actor for an active user who proved their identity by a password; null if there is no such user. */
export async function authenticatedUser(db: Db, userId: number): Promise<Actor | null> {
  const user = await activeUser(db, userId);
  if (!user) return null;
  await noteSeenToday(db, user.id);
  return { ...user, credential: 'password' };
}

/** The actor for work on behalf of an active user; null if there is no such user, and for a bot whose tokens have ended. */
export async function activeUser(db: Db | Transaction, userId: number): Promise<Actor | null> {
  const user = await findNamed(db, { id: userId, username: null });
  return user ? { ...user, credential: 'server', scopes: ['api'] } : null;
}

/** An active user. */
type Known = Omit<Actor, 'credential' | 'scopes'>;

/** The three checks of sudo, in order. Blocked users count as absent here too. */
async function impersonate(db: Db, found: TokenOwner, sudo: string): Promise<Actor> {
  if (!found.admin) throw new Forbidden('Must be admin to use sudo');
  const reach = found.scopes ?? ['api', 'sudo'];
  if (!reach.includes('sudo')) throw new Forbidden('Private token must be specified in order to use sudo');
  const named = { id: /^\d{1,9}$/.test(sudo) ? Number(sudo) : 0, username: sudo };
  const user = sudo.includes('\0') ? undefined : await findNamed(db, named);
  if (!user)
    throw new DomainError(
      'notFound',
      `There is no user ${JSON.stringify(sudo)}`,
      { resource: 'User', sudo },
      'explained',
    );
  const impersonator = user.id === found.id ? {} : { impersonator: found.id };
  return { ...user, ...impersonator, credential: found.credential, scopes: reach.filter((scope) => scope !== 'sudo') };
}

const user = alias('User', 'u');

/** The active user with that ID, else with that name; no bot whose tokens have ended. */
async function findNamed(
  db: Db | Transaction,
  { id, username }: { id: number; username: string | null },
): Promise<Known | undefined> {
  const [found] = await db.$queryRaw<Known[]>`
    SELECT id, username, admin, external, can_create_group AS "canCreateGroup", projects_limit AS "projectsLimit"
    FROM users u WHERE state = 'active' AND (id = ${id} OR lower(username) = lower(${username})) AND ${isNoEndedBot(user)}
    ORDER BY id = ${id} DESC LIMIT 1`;
  return found;
}
