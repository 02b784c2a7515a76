import crypto from 'node:crypto';
import { noteSeenToday, noteSignIn } from '#src/access/credentials/seen.ts';
import { isTwoFactorOverdue } from '#src/access/credentials/two_factor_overdue.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { FirstPage, Theme } from '#src/generated/prisma/client.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { Unauthenticated } from '#src/platform/errors.ts';
import { canAuthenticateSql } from '#src/platform/outbound/mail/sending.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

const { sql } = Prisma;

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
  /** The colours of pages, and where the user begins. */
  theme: Theme;
  firstPage: FirstPage;
  /** The language and the time zone that the user chose; null for none. */
  language: string | null;
  timezone: string | null;
  /** The administrator who acts as the user; null where users act for themselves. */
  impersonator: string | null;
  /** Whether the user can do nothing but set up two-factor authentication. */
  mustSetUpTwoFactor: boolean;
}

/** How a user wants to see changes. */
export interface ChangesPreferences {
  /** One file at a time. */
  fileByFile: boolean;
  /** Lines that differ in whitespace alone as different. */
  showsWhitespace: boolean;
  /** The lines before and after side by side. */
  isSplit: boolean;
}

/** What a user proved when signing in, as it was at that time. */
export interface Shown {
  passwordHash: string;
  /** Whether a second factor was shown too. */
  twoFactorEnabled: boolean;
}

/** What is known of a new session besides its user. */
export interface SessionStart {
  shown?: Shown | undefined;
  /** Where the browser is, and what it says that it is. */
  address?: string | null;
  userAgent?: string | null;
  /** The administrator who acts as the user, which is no sign-in of the user; where that is, stays with the audit log. */
  impersonatorId?: number | undefined;
  /** When the identity was proved, where that was for another session. */
  since?: Date | undefined;
}

/** Characters that are kept of an address and of the name of a browser. */
const MAX_LENGTHS = { address: 64, userAgent: 255 };

/**
 * Signs a user in with a browser and returns the token for the cookie; only its hash is stored. What the user has shown must
 * still be enough: users who sign in while their password is changed or a second factor is added do not stay signed in. Throws
 * Unauthenticated.
 */
export async function startSession(
  db: Db,
  userId: number,
  { shown, address = null, userAgent = null, impersonatorId, since }: SessionStart = {},
): Promise<string> {
  const token = crypto.randomBytes(32).toString('base64url');
  const isOwn = impersonatorId === undefined;
  const [from, browser] = [isOwn ? address : null, isOwn ? userAgent : null];
  const started = await db.$executeRaw`
    INSERT INTO sessions (user_id, token_hash, address, user_agent, impersonator_id, created_at)
    SELECT id, ${tokenHash(token)}, ${shortened(from, MAX_LENGTHS.address)}, ${shortened(browser, MAX_LENGTHS.userAgent)},
      ${impersonatorId ?? null}::int, COALESCE(${since ?? null}::timestamptz, now()) FROM users
    WHERE id = ${userId} AND state IN ('active', 'deactivated') AND (${shown === undefined}::boolean
      OR (password_hash = ${shown?.passwordHash ?? ''} AND two_factor_enabled = ${shown?.twoFactorEnabled ?? false}))
    FOR SHARE`;
  if (started === 0) throw new Unauthenticated();
  if (isOwn && since === undefined) await noteSignIn(db, userId, address);
  return token;
}

function shortened(text: string | null, most: number): string | null {
  return text === null ? null : [...text.toWellFormed().replaceAll('\0', '')].slice(0, most).join('');
}

/**
 * Finds the session of a token; null if it is unknown, was not used for longer than `session_expire_delay`, or its user is
 * blocked, or who acts as the user is no administrator any more. One indexed look-up.
 */
export async function findSession(db: Db, token: string): Promise<Session | null> {
  const found = await findRow(db, sql`s.token_hash = ${tokenHash(token)}`);
  if (!found) return null;
  const { sessionId, toNote, firstToday, id } = found;
  if (toNote) await db.$executeRaw`UPDATE sessions SET last_seen_at = now() WHERE id = ${sessionId}`;
  if (firstToday) await noteSeenToday(db, id);
  return sessionOf(db, found);
}

/** The session that was passed on to the host of a site by this token, as findSession has it; it is not used by that. */
export async function findSessionOfSite(db: Db, token: string, host: string): Promise<Session | null> {
  const found = await findRow(
    db,
    sql`s.id = (SELECT t.session_id FROM site_sessions t WHERE t.token_hash = ${tokenHash(token)} AND t.host = ${host})`,
  );
  return found ? sessionOf(db, found) : null;
}

async function findRow(db: Db, which: Prisma.Sql): Promise<Found | undefined> {
  const { sessionExpireDelay } = await currentSettings(db);
  const [found] = await db.$queryRaw<Found[]>`
    SELECT s.id AS "sessionId", s.created_at AS "createdAt",
      extract(epoch FROM now() - s.created_at)::float8 AS age, u.id, u.username, u.name, u.admin, u.external,
      u.can_create_group AS "canCreateGroup", u.projects_limit AS "projectsLimit",
      u.two_factor_enabled AS "twoFactorEnabled", u.view_diffs_file_by_file AS "fileByFile", u.show_whitespace_in_diffs AS "showsWhitespace",
      u.diff_view = 'split' AS "isSplit", u.theme, u.first_page AS "firstPage", u.preferred_language AS language, u.timezone, i.id AS "impersonatorId", i.username AS impersonator,
      s.last_seen_at < now() - interval '1 minute' AS "toNote",
      s.impersonator_id IS NULL AND u.last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date AS "firstToday"
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN users i ON i.id = s.impersonator_id
    WHERE ${which} AND u.state = 'active'
      AND ${canAuthenticateSql(db)} AND (s.impersonator_id IS NULL OR i.admin AND i.state = 'active')
      AND s.last_seen_at > now() - make_interval(mins => ${sessionExpireDelay})`;
  return found;
}

async function sessionOf(db: Db, found: Found): Promise<Session> {
  const { sessionId, createdAt, age, name, toNote, firstToday, fileByFile, showsWhitespace, isSplit, ...rest } = found;
  const { twoFactorEnabled, theme, firstPage, language, timezone, impersonatorId, impersonator, ...user } = rest;
  const changes = { fileByFile, showsWhitespace, isSplit };
  // Who acts as a user cannot set up what only the user can.
  const mustSetUpTwoFactor =
    impersonatorId === null && (await isTwoFactorOverdue(db, { id: user.id, twoFactorEnabled }));
  const acting = impersonatorId === null ? {} : { impersonator: impersonatorId };
  const actor = { ...user, ...acting, sessionId, credential: 'session', scopes: ['api'] } as const;
  const chosen = { changes, theme, firstPage, language, timezone };
  return { id: sessionId, createdAt, age, name, ...chosen, impersonator, mustSetUpTwoFactor, actor };
}

/** Signs a browser out. */
export async function endSession(db: Db, id: number): Promise<void> {
  await db.session.deleteMany({ where: { id } });
}

interface Found extends Omit<Actor, 'credential' | 'scopes' | 'impersonator'>, ChangesPreferences {
  sessionId: number;
  createdAt: Date;
  age: number;
  name: string;
  toNote: boolean;
  firstToday: boolean;
  twoFactorEnabled: boolean;
  theme: Theme;
  firstPage: FirstPage;
  language: string | null;
  timezone: string | null;
  impersonatorId: number | null;
  impersonator: string | null;
}
