import { clearCookie, setCookie } from '#pages/engine/cookies.ts';
import { formTokenOf } from '#pages/engine/form_token.ts';
import { localPath } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { endSession, type SessionStart, type Shown, startSession } from '#src/access/credentials/sessions/session.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Signs a browser in and redirects it to the page it came for, if what the user has proved is still enough. */
export async function enter(visit: Visit, userId: number, returnTo: unknown, shown?: Shown): Promise<void> {
  await freshSession(visit, userId, shown);
  clearCookie(visit.response, 'gantry_form', visit.secure);
  visit.response.redirect(303, localPath(returnTo, '/'));
}

/** Starts a new session for the browser; returns the token that its forms must contain. */
export async function freshSession(visit: Visit, userId: number, shown?: Shown): Promise<string> {
  const { context, request } = visit;
  const userAgent = request.headers['user-agent'] ?? null;
  return replaceSession(visit, userId, { shown, address: context.clientAddress, userAgent });
}

/** Ends the session of the browser, if any, and starts another; returns the token that its forms must contain. */
export async function replaceSession(visit: Visit, userId: number, start: SessionStart): Promise<string> {
  const { context, response, session, secure } = visit;
  const { sessionExpireDelay } = await currentSettings(context.db);
  const token = await startSession(context.db, userId, start);
  // Nothing of the browser's previous session carries over, so that a planted session is useless.
  if (session) await endSession(context.db, session.id);
  setCookie(response, 'gantry_session', token, { secure, maxAge: sessionExpireDelay * 60_000 });
  return formTokenOf(context.secret, token);
}
