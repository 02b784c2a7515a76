import { noteSignIn } from '#src/access/credentials/seen.ts';
import { isTwoFactorOverdue } from '#src/access/credentials/two_factor_overdue.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { beginAttempt, halfway, pruneAttempts, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import { verifyPassword } from '#src/access/sign_in/hash_password.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Unauthenticated } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/**
 * Signs in with username or e-mail (primary or secondary; an `@` tells them apart; case is ignored) and password. Returns the
 * hash of the password used, which may change soon. Throws RateLimited, and Unauthenticated: with an explanation if the password
 * was right but two-factor authentication (behaviour.md 4.3), a password that must be renewed, an unconfirmed address, or the
 * setting for password sign-in prevents it.
 */
export async function signInByPassword(
  context: Context,
  login: string,
  password: string,
  options: LoginOptions = {},
): Promise<Verified> {
  const { db } = context;
  const user = await verifyLogin(context, login, password, options);
  if (user.twoFactorEnabled) {
    throw new Unauthenticated('You have 2FA enabled. Please use a personal access token to access the API');
  }
  await refuseClosed(db, user, 'web');
  if (await isTwoFactorOverdue(db, user)) throw new Unauthenticated(OVERDUE);
  if (user.passwordExpired) {
    throw new Unauthenticated('Your password has expired. Change it first, with the mutation changePassword');
  }
  await noteSignIn(db, user.id, context.clientAddress);
  return user;
}

/** Throws Unauthenticated if the settings allow passwords for administrators only: everywhere, or there. */
export async function refuseClosed(db: Db, { admin }: { admin: boolean }, where: 'web' | 'git'): Promise<void> {
  const settings = await currentSettings(db);
  const allowed =
    where === 'web' ? settings.passwordAuthenticationEnabledForWeb : settings.passwordAuthenticationEnabledForGit;
  if ((settings.signinEnabled && allowed) || admin) return;
  throw new Unauthenticated(`Signing in with a password is disabled${where === 'git' ? ': use an access token.' : ''}`);
}

export const OVERDUE = 'Two-factor authentication is required: sign in on the web to set it up';

/** The user that login and password match. */
export interface Verified {
  id: number;
  admin: boolean;
  passwordHash: string;
  twoFactorEnabled: boolean;
  passwordExpired: boolean;
}

/** The password was right, but an administrator has not approved of the user yet. */
const PENDING = 'Your account waits for the approval of an administrator';

/** How a password is checked. */
export interface LoginOptions {
  /** Whether users who were deactivated are let in: their sign-in makes them active again. */
  reactivates?: boolean;
}

/** The password was right, but the user's address is not confirmed yet. */
export class Unconfirmed extends Unauthenticated {
  constructor() {
    super('Confirm your e-mail address first: follow the link that was sent to it');
  }
}

/**
 * The active user that login and password match. Wrong names, wrong passwords and blocked users are rejected alike, after the
 * same time. Failures of users with a second factor are kept until that was right too. Attempts from one address run one after
 * another. Throws RateLimited, Unavailable, Unauthenticated, and Unconfirmed if the server sends mail.
 */
export function verifyLogin(
  context: Pick<Context, 'db' | 'clientAddress'>,
  login: string,
  password: string,
  options: LoginOptions = {},
): Promise<Verified> {
  return spaced(context.clientAddress, () => verify(context, login, password, options));
}

async function verify(
  { db, clientAddress }: Pick<Context, 'db' | 'clientAddress'>,
  login: string,
  password: string,
  { reactivates = false }: LoginOptions,
): Promise<Verified> {
  const name = login.trim();
  const user = await findByLogin(db, name);
  const attempt = { account: user?.id ?? name, address: clientAddress };
  await beginAttempt(db, attempt);
  const right = await verifyPassword(password, user?.passwordHash, clientAddress).catch(async (error) => {
    // The password was not checked, so this is not a failed attempt.
    await halfway(db, attempt);
    throw error;
  });
  const isPending = user?.state === 'blocked_pending_approval';
  const mayEnter = user?.state === 'active' || (reactivates && user?.state === 'deactivated');
  if (!user || !right || !(mayEnter || isPending)) {
    await pruneAttempts(db);
    throw new Unauthenticated();
  }
  await (user.twoFactorEnabled ? halfway(db, attempt) : succeeded(db, attempt));
  if (!user.confirmed && sendsMail(db)) throw new Unconfirmed();
  if (isPending) throw new Unauthenticated(PENDING);
  return user;
}

interface Found extends Verified {
  state: string;
  confirmed: boolean;
}

async function findByLogin(db: Db, name: string): Promise<Found | undefined> {
  if (name === '' || name.includes('\0')) return undefined;
  const [user] = await db.$queryRaw<Found[]>`
    SELECT u.id, u.admin, u.state::text AS state, u.password_hash AS "passwordHash", u.two_factor_enabled AS "twoFactorEnabled",
      u.password_expires_at IS NOT NULL AS "passwordExpired", u.confirmed_at IS NOT NULL AS confirmed
    FROM users u WHERE NOT u.bot AND u.id = ANY(CASE WHEN ${name.includes('@')}::boolean
      THEN ARRAY(SELECT id FROM users WHERE lower(email) = lower(${name})
        UNION ALL SELECT user_id FROM emails WHERE lower(email) = lower(${name}))
      ELSE ARRAY(SELECT id FROM users WHERE lower(username) = lower(${name})) END)`;
  return user;
}
