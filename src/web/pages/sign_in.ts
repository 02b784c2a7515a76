import { Router } from 'express';
import { DomainError } from '#src/errors.ts';
import { endSession, startSession } from '#src/sessions/session.ts';
import { currentSettings } from '#src/settings/current.ts';
import { signIn } from '#src/users/sign_in.ts';
import { clearCookie, setCookie } from '#src/web/pages/cookies.ts';
import { localPath, type Pages } from '#src/web/pages/page.ts';
import type { Visit } from '#src/web/pages/visit.ts';

/** Signing in and out with a browser. */
export function signInPages({ page, form, own, ownForm }: Pages): Router {
  return Router()
    .get('/users/sign_in', page(showForm))
    .post('/users/sign_in', form(submit))
    .get('/users/sign_out', own(confirmSignOut))
    .post('/users/sign_out', ownForm(signOut));
}

/** Signs a browser in and sends it to where it wanted to go. */
export async function enter(visit: Visit, userId: number, returnTo: unknown): Promise<void> {
  const { context, response, session, secure } = visit;
  const { sessionExpireDelay } = await currentSettings(context.db);
  // Nothing of what the browser had before goes on: a session that somebody else planted is worth nothing.
  if (session) await endSession(context.db, session.id);
  const token = await startSession(context.db, userId);
  setCookie(response, 'gantry_session', token, { secure, maxAge: sessionExpireDelay * 60_000 });
  clearCookie(response, 'gantry_form', secure);
  response.redirect(303, localPath(returnTo, '/'));
}

async function showForm(visit: Visit): Promise<void> {
  const returnTo = localPath(visit.request.query.return_to, '');
  if (visit.session) return visit.response.redirect(303, returnTo || '/');
  await showSignIn(visit, { returnTo });
}

async function submit(visit: Visit): Promise<void> {
  const { context, request } = visit;
  const { login, password, return_to: returnTo } = request.body;
  try {
    const { id } = await signIn(context, text(login), text(password));
    await enter(visit, id, returnTo);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'RATE_LIMITED') throw error;
    const [, reason] = /^401 Unauthorized\. (.+)$/.exec(error.message) ?? [];
    const problem = reason ?? 'The user name, e-mail address or password is wrong.';
    await showSignIn(visit, { returnTo: localPath(returnTo, ''), login: text(login), problem }, 401);
  }
}

/** The form to sign in with; `values` has at least `returnTo`. */
export async function showSignIn(visit: Visit, values: Record<string, unknown>, status = 200): Promise<void> {
  const { signInText } = await currentSettings(visit.context.db);
  visit.show('sign_in', { title: 'Sign in', signInText, login: '', problem: null, ...values }, status);
}

function confirmSignOut(visit: Visit): void {
  visit.show('sign_out', { title: 'Sign out' });
}

async function signOut({ context, session, response, secure }: Visit): Promise<void> {
  if (session) await endSession(context.db, session.id);
  clearCookie(response, 'gantry_session', secure);
  const { afterSignOutPath } = await currentSettings(context.db);
  response.redirect(303, afterSignOutPath || '/users/sign_in');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
