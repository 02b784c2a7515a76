import type { Shown } from '#src/access/credentials/sessions/session.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { beginAttempt, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import { hashPassword, verifyPassword } from '#src/access/sign_in/hash_password.ts';
import type { Options, Site } from '#src/access/sign_in/passkeys/ceremony.ts';
import { secondFactorOptions, verifyPasskey } from '#src/access/sign_in/passkeys/verify.ts';
import { passwordErrors } from '#src/access/sign_in/password_errors.ts';
import { replacePassword } from '#src/access/sign_in/replace_password.ts';
import { PENDING, refuseClosed, Unconfirmed, verifyLogin } from '#src/access/sign_in/sign_in.ts';
import { issueTicket, readTicket, type Step, type TicketHolder } from '#src/access/sign_in/sign_in_ticket.ts';
import { verifySecondFactor } from '#src/access/sign_in/two_factor/verify.ts';
import { Unauthenticated, ValidationFailed } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

/** The next step of a sign-in with a browser: signed in, or another step that takes the ticket. */
export type NextStep = { step: 'enter'; userId: number; shown: Shown } | { step: Step; ticket: string };

/** The first step: username or e-mail, and password. Throws RateLimited, Unauthenticated as signIn does, Unconfirmed. */
export async function beginSignIn(context: Context, login: string, password: string): Promise<NextStep> {
  const user = await verifyLogin(context, login, password, { reactivates: true });
  if (user.viaDirectory) return user.twoFactorEnabled ? next(context, user, 'last_factor') : entered(user);
  await refuseClosed(context.db, user, 'web');
  return user.twoFactorEnabled ? next(context, user, 'second_factor') : afterFactors(context, user);
}

/**
 * The step after a provider has said who somebody is; `trustsTwoFactor` says that its own second factor is enough. Throws
 * Unauthenticated, with an explanation, unless the user may enter.
 */
export async function afterProvider(
  context: Context,
  userId: number,
  { trustsTwoFactor }: { trustsTwoFactor: boolean },
): Promise<NextStep> {
  const user = await context.db.user.findUnique({
    where: { id: userId, bot: false },
    select: { id: true, passwordHash: true, twoFactorEnabled: true, state: true, confirmedAt: true },
  });
  if (user?.state === 'blocked_pending_approval') throw new Unauthenticated(PENDING);
  if (!user || !['active', 'deactivated'].includes(user.state)) throw new Unauthenticated('Your account is blocked');
  if (user.confirmedAt === null && sendsMail(context.db)) throw new Unconfirmed();
  const holder = { ...user, passwordExpired: false };
  return user.twoFactorEnabled && !trustsTwoFactor ? next(context, holder, 'last_factor') : entered(holder);
}

/** What to ask a browser for whose second factor can be a passkey. Throws Unauthenticated without a ticket for it. */
export async function passkeyFactorOptions(context: Context, site: Site, ticket: string): Promise<Options> {
  const { user } = await readFactorTicket(context, ticket);
  return secondFactorOptions(context, site, user.id);
}

/** The second step, with a passkey. Throws Unauthenticated without a ticket for it, RateLimited, ValidationFailed. */
export async function provePasskey(context: Context, site: Site, ticket: string, answer: string): Promise<NextStep> {
  const { user, isLast } = await readFactorTicket(context, ticket);
  await verifyPasskey(context, site, answer, { purpose: 'second_factor', userId: user.id });
  return isLast ? entered(user) : afterFactors(context, user);
}

/**
 * A sign-in with a passkey alone, whose authenticator has verified its user: that is two factors. Throws Unauthenticated, with an
 * explanation, unless the user may enter; RateLimited, ValidationFailed.
 */
export async function signInByPasskey(context: Context, site: Site, answer: string): Promise<NextStep> {
  const userId = await verifyPasskey(context, site, answer, { purpose: 'sign_in' });
  return afterProvider(context, userId, { trustsTwoFactor: true });
}

/** The second step, with a second factor. Throws Unauthenticated without a ticket for it, RateLimited, ValidationFailed. */
export async function proveSecondFactor(context: Context, ticket: string, code: string): Promise<NextStep> {
  const { user, isLast } = await readFactorTicket(context, ticket);
  await verifySecondFactor(context, user.id, code);
  return isLast ? entered(user) : afterFactors(context, user);
}

/** Whose second factor is awaited, and whether nothing comes behind it. Throws Unauthenticated. */
async function readFactorTicket(context: Context, ticket: string): Promise<{ user: TicketHolder; isLast: boolean }> {
  const last = await readTicket(context, ticket, 'last_factor');
  const user = last ?? (await readTicket(context, ticket, 'second_factor'));
  // Disabled in the meantime: the first step decides anew.
  if (!user?.twoFactorEnabled) throw new Unauthenticated();
  return { user, isLast: last !== null };
}

/**
 * The last step, for users whose password must be renewed because others may know it. Everything that was signed in with it ends.
 * Throws Unauthenticated without a ticket for it, RateLimited, Unavailable, ValidationFailed.
 */
export async function renewPassword(context: Context, ticket: string, password: string): Promise<NextStep> {
  const user = await readTicket(context, ticket, 'new_password');
  if (!user) throw new Unauthenticated();
  const errors = passwordErrors(password);
  if (errors.length > 0) throw new ValidationFailed({ password: errors });
  const { db, clientAddress: address } = context;
  const attempt = { account: user.id, address };
  await spaced(address, () => beginAttempt(db, attempt));
  if (await verifyPassword(password, user.passwordHash, address)) {
    throw new ValidationFailed({ password: ['must differ from the current one'] });
  }
  const passwordHash = await hashPassword(password, address);
  await replacePassword(context, user, passwordHash);
  await succeeded(db, attempt);
  return { step: 'enter', userId: user.id, shown: { passwordHash, twoFactorEnabled: user.twoFactorEnabled } };
}

function afterFactors(context: Context, user: TicketHolder): NextStep {
  return user.passwordExpired ? next(context, user, 'new_password') : entered(user);
}

function entered({ id, passwordHash, twoFactorEnabled }: TicketHolder): NextStep {
  return { step: 'enter', userId: id, shown: { passwordHash, twoFactorEnabled } };
}

function next(context: Context, user: TicketHolder, step: Step): NextStep {
  return { step, ticket: issueTicket(context.secret, user, step) };
}
