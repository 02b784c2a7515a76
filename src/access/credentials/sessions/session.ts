import crypto from 'node:crypto';
import { noteSeenToday, noteSignIn } from '#src/access/credentials/seen.ts';
import { isTwoFactorOverdue } from '#src/access/credentials/two_factor_overdue.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Unauthenticated } from '#src/platform/errors.ts';
import { canAuthenticateSql } from '#src/platform/outbound/mail/sending.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** A browser session of a signed-in user. */
export interface Session {
  id: number;
  actor: Actor;
  name: string;
  /** When the user proved their identity. */
  createdAt: Date;
  /** Seconds since then. */
  age: number;
  /** How the user wants to see changes. */
  changes: ChangesPreferences;
  /** The language that the user chose; null for none. */
  language: string | null;
  /** The time zone that the user chose, by its name in the IANA database; null for none. */
  timezone: string | null;
  /** Whether the user can do nothing but set up two-factor authentication. */
  mustSetUpTwoFactor: boolean;
}

/** How a user wants to see changes. */
export interface ChangesPreferences {
  /** One file at a time. */
  fileByFile: boolean;
  /** Lines that differ in whitespace alone as different. */
  showsWhitespace: boolean;
}

/** What a user proved when signing in, as it was at that time. */
export interface Shown {
  passwordHash: string;
  /** Whether a second factor was shown too. */
  twoFactorEnabled: boolean;
}

/**
 * Signs a user in with a browser and returns the token for the cookie; only its hash is stored. What the user has shown must
 * still be enough: users who sign in while their password is changed or a second factor is added do not stay signed in. Throws
 * Unauthenticated.
 */
export async function startSession(
  db: Db,
  userId: number,
  shown?: Shown,
  address: string | null = null,
): Promise<string> {
  const token = crypto.randomBytes(32).toString('base64url');
  const started = await db.$executeRaw`
    INSERT INTO sessions (user_id, token_hash)
    SELECT id, ${tokenHash(token)} FROM users
    WHERE id = ${userId} AND state IN ('active', 'deactivated') AND (${shown === undefined}::boolean
      OR (password_hash = ${shown?.passwordHash ?? ''} AND two_factor_enabled = ${shown?.twoFactorEnabled ?? false}))
    FOR SHARE`;
  if (started === 0) throw new Unauthenticated();
  await noteSignIn(db, userId, address);
  return token;
}

/**
 * Finds the session of a token; null if it is unknown, was not used for longer than `session_expire_delay`, or its user is
 * blocked. One indexed look-up.
 */
export async function findSession(db: Db, token: string): Promise<Session | null> {
  const { sessionExpireDelay } = await currentSettings(db);
  const [found] = await db.$queryRaw<Found[]>`
    SELECT s.id AS "sessionId", s.created_at AS "createdAt",
      extract(epoch FROM now() - s.created_at)::float8 AS age, u.id, u.username, u.name, u.admin, u.external,
      u.can_create_group AS "canCreateGroup", u.projects_limit AS "projectsLimit",
      u.two_factor_enabled AS "twoFactorEnabled", u.view_diffs_file_by_file AS "fileByFile", u.show_whitespace_in_diffs AS "showsWhitespace",
      u.preferred_language AS language, u.timezone,
      s.last_seen_at < now() - interval '1 minute' AS "toNote",
      u.last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date AS "firstToday"
    FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = ${tokenHash(token)} AND u.state = 'active'
      AND ${canAuthenticateSql(db)}
      AND s.last_seen_at > now() - make_interval(mins => ${sessionExpireDelay})`;
  if (!found) return null;
  const { sessionId, createdAt, age, name, toNote, firstToday, fileByFile, showsWhitespace, ...rest } = found;
  const { twoFactorEnabled, language, timezone, ...user } = rest;
  if (toNote) await db.$executeRaw`UPDATE sessions SET last_seen_at = now() WHERE id = ${sessionId}`;
  if (firstToday) await noteSeenToday(db, user.id);
  const changes = { fileByFile, showsWhitespace };
  const mustSetUpTwoFactor = await isTwoFactorOverdue(db, { id: user.id, twoFactorEnabled });
  const actor = { ...user, credential: 'session', scopes: ['api'] } as const;
  return { id: sessionId, createdAt, age, name, changes, language, timezone, mustSetUpTwoFactor, actor };
}

/** Signs a browser out. */
export async function endSession(db: Db, id: number): Promise<void> {
  await db.session.deleteMany({ where: { id } });
}

interface Found extends Omit<Actor, 'credential' | 'scopes'>, ChangesPreferences {
  sessionId: number;
  createdAt: Date;
  age: number;
  name: string;
  toNote: boolean;
  firstToday: boolean;
  twoFactorEnabled: boolean;
  language: string | null;
  timezone: string | null;
}
