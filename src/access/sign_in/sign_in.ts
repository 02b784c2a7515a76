import { noteSignIn } from '#src/access/credentials/seen.ts';
import { isTwoFactorOverdue } from '#src/access/credentials/two_factor_overdue.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { beginAttempt, halfway, pruneAttempts, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import { verifyPassword } from '#src/access/sign_in/hash_password.ts';
import { enabledProviders, type Providers } from '#src/access/sign_in/providers/registry.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
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
  if (!user.viaDirectory) await refuseClosed(db, user, 'web');
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
  /** Never for users whose password a directory has verified. */
  passwordExpired: boolean;
  /** Whether the password is that of a directory, not one of ours. */
  viaDirectory: boolean;
}

/** The password was right, but an administrator has not approved of the user yet. */
export const PENDING = 'Your account waits for the approval of an administrator';

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
  context: Pick<Context, 'db' | 'clientAddress'>,
  login: string,
  password: string,
  { reactivates = false }: LoginOptions,
): Promise<Verified> {
  const { db, clientAddress } = context;
  const name = login.trim();
  const named = await findByLogin(db, name);
  const attempt = { account: named?.id ?? name, address: clientAddress };
  await beginAttempt(db, attempt);
  const user = await ownerOf(context, named, name, password).catch(async (error) => {
    // The password was not checked, so this is not a failed attempt.
    if (!(error instanceof Unauthenticated)) await halfway(db, attempt);
    throw error;
  });
  const isPending = user?.state === 'blocked_pending_approval';
  const mayEnter = user?.state === 'active' || (reactivates && user?.state === 'deactivated');
  if (!user || !(mayEnter || isPending)) {
    await pruneAttempts(db);
    throw new Unauthenticated();
  }
  // Someone else's account of that name keeps its failures, which the password of a directory says nothing of.
  const isNamed = named === undefined || named.id === user.id;
  await (user.twoFactorEnabled || !isNamed ? halfway(db, attempt) : succeeded(db, attempt));
  if (!user.confirmed && sendsMail(db)) throw new Unconfirmed();
  if (isPending) throw new Unauthenticated(PENDING);
  return user;
}

/**
 * The user whose password it is: that of the directory, for users who have an identity there, else the own one of the user who was
 * named, else that of somebody of that name in a directory. Throws Unauthenticated, saying why somebody of a directory has no
 * account; RateLimited, Unavailable.
 */
async function ownerOf(
  { db, clientAddress }: Pick<Context, 'db' | 'clientAddress'>,
  named: Found | undefined,
  login: string,
  password: string,
): Promise<Found | undefined> {
  const providers = await enabledProviders(db);
  const identity = named && (await directoryIdentity(db, named.id, providers));
  if (identity) {
    const person = await identity.directory.authenticateDn(identity.externUid, password);
    return person ? enterFrom(db, await providers.accountOf(identity.directory, person, clientAddress)) : undefined;
  }
  if (await verifyPassword(password, named?.passwordHash, clientAddress)) return named;
  for (const directory of providers.directories) {
    // The own password was wrong, which has to count even if this directory is away. It has reported why.
    const person = await directory.authenticate(login, password).catch(() => null);
    if (person) return enterFrom(db, await providers.accountOf(directory, person, clientAddress));
  }
  return undefined;
}

/** The identity of a user in one of the directories. */
async function directoryIdentity(db: Db, userId: number, { directories }: Providers) {
  if (directories.length === 0) return undefined;
  const names = directories.map(({ settings }) => settings.name);
  const identity = await db.identity.findFirst({
    where: { userId, provider: { in: names } },
    select: { provider: true, externUid: true },
    orderBy: { id: 'asc' },
  });
  const directory = directories.find(({ settings }) => settings.name === identity?.provider);
  return identity && directory ? { directory, externUid: identity.externUid } : undefined;
}

async function enterFrom(db: Db, userId: number): Promise<Found | undefined> {
  const user = await findFirst(db, Prisma.sql`u.id = ${userId}`);
  return user && { ...user, passwordExpired: false, viaDirectory: true };
}

interface Found extends Verified {
  state: string;
  confirmed: boolean;
}

async function findByLogin(db: Db, name: string): Promise<Found | undefined> {
  if (name === '' || name.includes('\0')) return undefined;
  return findFirst(
    db,
    Prisma.sql`u.id = ANY(CASE WHEN ${name.includes('@')}::boolean
      THEN ARRAY(SELECT id FROM users WHERE lower(email) = lower(${name})
        UNION ALL SELECT user_id FROM emails WHERE lower(email) = lower(${name}))
      ELSE ARRAY(SELECT id FROM users WHERE lower(username) = lower(${name})) END)`,
  );
}

async function findFirst(db: Db, condition: Prisma.Sql): Promise<Found | undefined> {
  const [user] = await db.$queryRaw<Omit<Found, 'viaDirectory'>[]>`
    SELECT u.id, u.admin, u.state::text AS state, u.password_hash AS "passwordHash", u.two_factor_enabled AS "twoFactorEnabled",
      u.password_expires_at IS NOT NULL AS "passwordExpired", u.confirmed_at IS NOT NULL AS confirmed
    FROM users u WHERE NOT u.bot AND NOT u.ghost AND ${condition}`;
  return user && { ...user, viaDirectory: false };
}
