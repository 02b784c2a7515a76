import { Router } from 'express';
import { clearCookie, readCookie, setCookie } from '#pages/engine/cookies.ts';
import { enter } from '#pages/engine/enter.ts';
import { problemsOf, text, withNewPassword } from '#pages/engine/fields.ts';
import { leadSaying } from '#pages/engine/notices.ts';
import { localPath, type Pages } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { endSession } from '#src/access/credentials/sessions/session.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { offeredProviders } from '#src/access/sign_in/providers/registry.ts';
import { Unconfirmed } from '#src/access/sign_in/sign_in.ts';
import { beginSignIn, type NextStep, proveSecondFactor, renewPassword } from '#src/access/sign_in/sign_in_steps.ts';
import { TICKET_LIFETIME } from '#src/access/sign_in/sign_in_ticket.ts';
import { renderMarkdown } from '#src/domain/tracking/markdown/render.ts';
import { DomainError, Unauthenticated } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { appearanceImagePath, currentAppearance } from '#src/platform/settings/appearance.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Signing in and out with a browser. */
export function signInPages({ page, form, own, ownForm }: Pages): Router {
  return Router()
    .get('/users/sign_in', page(showForm))
    .post('/users/sign_in', form(submit))
    .get('/users/two_factor', page(showCode))
    .post('/users/two_factor', form(submitCode))
    .get('/users/password/renew', page(showRenewal))
    .post('/users/password/renew', form(submitRenewal))
    .get('/users/sign_out', own(confirmSignOut))
    .post('/users/sign_out', ownForm(signOut));
}

async function showForm(visit: Visit): Promise<void> {
  const returnTo = returnPath(visit);
  if (visit.session) return visit.response.redirect(303, returnTo || '/');
  await showSignIn(visit, { returnTo });
}

async function submit(visit: Visit): Promise<void> {
  const { context, request } = visit;
  const { login, password } = request.body;
  try {
    await go(visit, await beginSignIn(context, text(login), text(password)));
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    const problem =
      error.reason === 'explained' ? error.message : 'The username, email address or password is incorrect.';
    const unconfirmed = error instanceof Unconfirmed;
    await showSignIn(visit, { returnTo: returnPath(visit), login: text(login), problem, unconfirmed }, 401);
  }
}

/** Redirects to the next step, or signs in. The ticket is in a cookie, so that no page or URL shows it. */
export async function go(visit: Visit, next: NextStep, returnTo = returnPath(visit)): Promise<void> {
  const { response, secure } = visit;
  if (next.step === 'enter') {
    clearCookie(response, 'gantry_sign_in', secure);
    return enter(visit, next.userId, returnTo, next.shown);
  }
  setCookie(response, 'gantry_sign_in', next.ticket, { secure, maxAge: TICKET_LIFETIME * 1000 });
  const path = next.step === 'new_password' ? '/users/password/renew' : '/users/two_factor';
  response.redirect(303, returnTo ? `${path}?return_to=${encodeURIComponent(returnTo)}` : path);
}

function showCode(visit: Visit): void {
  if (ticketOf(visit) === '') again(visit);
  else showCodeForm(visit, {});
}

/** The form for a code, or for a passkey in its place. */
export function showCodeForm(visit: Visit, problems: Record<string, string>, status = 200): void {
  visit.show(
    'sign_in_code',
    { title: visit.texts.t('Two-factor authentication') },
    { returnTo: returnPath(visit), problems },
    status,
  );
}

async function submitCode(visit: Visit): Promise<void> {
  const { context, request } = visit;
  await stepping(
    visit,
    async () => go(visit, await proveSecondFactor(context, ticketOf(visit), text(request.body.code))),
    (problems) => showCodeForm(visit, problems, 422),
  );
}

function showRenewal(visit: Visit): void {
  if (ticketOf(visit) === '') again(visit);
  else showRenewalForm(visit, {});
}

function showRenewalForm(visit: Visit, problems: Record<string, string>, status = 200): void {
  visit.show(
    'renew_password',
    { title: visit.texts.t('Choose a new password') },
    { returnTo: returnPath(visit), problems },
    status,
  );
}

async function submitRenewal(visit: Visit): Promise<void> {
  await stepping(
    visit,
    async () => {
      const renew = (password: string) => renewPassword(visit.context, ticketOf(visit), password);
      await go(visit, await withNewPassword(visit.request, renew));
    },
    (problems) => showRenewalForm(visit, problems, 422),
  );
}

/** Runs a step; shows its form again for errors that can be fixed there, otherwise starts over. */
async function stepping(visit: Visit, work: () => Promise<void>, retry: (problems: Record<string, string>) => void) {
  try {
    await work();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') again(visit);
    else retry(problemsOf(error, { password: 'new_password' }));
  }
}

/** Forgets the progress of a sign-in, and leads to its beginning. */
export function again(visit: Visit): void {
  const { response, secure } = visit;
  clearCookie(response, 'gantry_sign_in', secure);
  leadSaying(visit, '/users/sign_in', 'sign_in_again');
}

/** The ticket of the step that comes next; empty without one. */
export function ticketOf({ request, secure }: Visit): string {
  return readCookie(request, 'gantry_sign_in', secure) ?? '';
}

/** The path to return to; empty if unknown. */
export function returnPath({ request }: Visit): string {
  return localPath(request.body?.return_to ?? request.query.return_to, '');
}

/** What a sign-in form says of the attempt before it, and where it leads. */
interface SignInValues {
  returnTo: string;
  login?: string;
  problem?: string;
  /** Whether the address of the account has to be confirmed first. */
  unconfirmed?: boolean;
}

/** What the sign-in form shows. */
export type ShownSignIn = Awaited<ReturnType<typeof offeredWays>> & SignInValues;

/** The ways to sign in here. */
async function offeredWays({ context: { db, clientAddress }, baseUrl }: Visit) {
  const { signInText, signupEnabled } = await currentSettings(db);
  const { title, description: text, logoKey } = await currentAppearance(db);
  const how = { text, flavour: 'gfm', links: new Map(), baseUrl, project: null, images: true } as const;
  return {
    ownTitle: title,
    descriptionHtml: await renderMarkdown(callerOf(null, clientAddress), how),
    logo: logoKey === null ? null : appearanceImagePath('logo', logoKey),
    providers: await offeredProviders(db),
    signInText,
    signupEnabled,
    mail: sendsMail(db),
  };
}

/** The sign-in form. */
export async function showSignIn(visit: Visit, values: SignInValues, status = 200): Promise<void> {
  const shown: ShownSignIn = { ...(await offeredWays(visit)), login: '', ...values };
  visit.show('sign_in', { title: visit.texts.t('Sign in') }, { ...shown }, status);
}

function confirmSignOut(visit: Visit): void {
  visit.show('sign_out', { title: visit.texts.t('Sign out') });
}

async function signOut({ context, session, response, secure }: Visit): Promise<void> {
  if (session) await endSession(context.db, session.id);
  clearCookie(response, 'gantry_session', secure);
  const { afterSignOutPath } = await currentSettings(context.db);
  response.redirect(303, afterSignOutPath || '/users/sign_in');
}
