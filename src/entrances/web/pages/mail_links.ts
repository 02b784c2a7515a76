import { Router } from 'express';
import type { AccountTokenHolder } from '#src/access/credentials/account_tokens/use.ts';
import { CONFIRMATION_PATH, RESET_PATH } from '#src/access/credentials/mail/paths.ts';
import { confirmAddress, findConfirmation } from '#src/domain/users/confirm.ts';
import { requestConfirmation, requestPasswordReset } from '#src/domain/users/mail_requests.ts';
import { findPasswordReset, resetPassword } from '#src/domain/users/reset_password.ts';
import { clearCookie, readCookie, setCookie } from '#src/entrances/web/pages/cookies.ts';
import { noticeOf, type Problems, problemsOf, text, withNewPassword } from '#src/entrances/web/pages/fields.ts';
import { leadTo, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

/** Pages to request links by mail, and their targets: confirming an address, and choosing a new password. */
export function mailLinkPages({ page, form }: Pages): Router {
  return Router()
    .get('/users/password/new', page(showAsking('reset')))
    .get('/users/password', leadTo('/users/password/new'))
    .post('/users/password', form(ask('reset')))
    .get('/users/confirmation/new', page(showAsking('confirmation')))
    .post('/users/confirmation/new', form(ask('confirmation')))
    .get(RESET_PATH, page(landing(showReset)))
    .post(RESET_PATH, form(submitReset))
    .get(CONFIRMATION_PATH, page(landing(showConfirmation)))
    .post(CONFIRMATION_PATH, form(submitConfirmation));
}

/** Milliseconds for which the browser keeps the token of a link. */
const KEPT = 60 * 60_000;

const ASKING = {
  reset: {
    title: 'Forgot your password?',
    text: 'Enter the email address of your account and we’ll send you a link to reset your password.',
    without: 'This server does not send email. Ask your administrator for a link to reset your password.',
    action: '/users/password',
    page: '/users/password/new',
    notice: 'reset_requested',
    request: requestPasswordReset,
  },
  confirmation: {
    title: 'Confirm your email address',
    text: 'Enter your email address and we’ll send the confirmation link again.',
    without: 'This server does not send email, so addresses need no confirmation.',
    action: '/users/confirmation/new',
    page: '/users/confirmation/new',
    notice: 'confirmation_requested',
    request: requestConfirmation,
  },
} as const;

type MailPurpose = keyof typeof ASKING;

function showAsking(subject: MailPurpose): (visit: Visit) => void {
  return (visit) => showAskingForm(visit, subject, '', {});
}

function showAskingForm(visit: Visit, subject: MailPurpose, email: string, problems: Problems, status = 200): void {
  const { title, text: said, without, action } = ASKING[subject];
  const values = { text: said, without, action, mail: sendsMail(visit.context.db), notice: noticeOf(visit.request) };
  visit.show('ask_mail', { title, ...values, email, problems }, status);
}

function ask(subject: MailPurpose): (visit: Visit) => Promise<void> {
  const { page, notice, request } = ASKING[subject];
  return async (visit) => {
    const email = text(visit.request.body.email);
    try {
      await request(visit.context, email);
      visit.response.redirect(303, `${page}?notice=${notice}`);
    } catch (error) {
      showAskingForm(visit, subject, email, problemsOf(error), 422);
    }
  };
}

/**
 * Moves the token of a link from the URL into a cookie before anything is shown, so that it is in no history, no log of another
 * server and no `Referer`. Nothing happens until a form is sent, as mail scanners follow links, too.
 */
function landing(show: (visit: Visit) => Promise<void>): (visit: Visit) => Promise<void> {
  return async (visit) => {
    const { request, response, secure } = visit;
    if (request.query.token === undefined) return show(visit);
    const token = text(request.query.token);
    if (/^[\w-]{43}$/.test(token)) setCookie(response, 'gantry_link', token, { secure, maxAge: KEPT });
    else clearCookie(response, 'gantry_link', secure);
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'no-store');
    response.redirect(303, request.path);
  };
}

async function showReset(visit: Visit): Promise<void> {
  await withHolder(visit, findPasswordReset, '/users/password/new', (holder) => showResetForm(visit, holder, {}));
}

async function submitReset(visit: Visit): Promise<void> {
  const { context, request, response, secure } = visit;
  try {
    await withNewPassword(request, (password) => resetPassword(context, tokenOf(visit), password));
  } catch (error) {
    const problems = problemsOf(error, { password: 'new_password' });
    const again = (holder: AccountTokenHolder) => showResetForm(visit, holder, problems, 422);
    return withHolder(visit, findPasswordReset, '/users/password/new', again);
  }
  clearCookie(response, 'gantry_link', secure);
  response.redirect(303, '/users/sign_in?notice=password_reset');
}

function showResetForm(visit: Visit, holder: AccountTokenHolder, problems: Problems, status = 200): void {
  visit.show('reset_password', { title: 'Choose a new password', holder, problems }, status);
}

async function showConfirmation(visit: Visit): Promise<void> {
  await withHolder(visit, findConfirmation, '/users/confirmation/new', (holder) => {
    visit.show('confirm', { title: 'Confirm your email address', holder });
  });
}

async function submitConfirmation(visit: Visit): Promise<void> {
  const { context, response, session, secure } = visit;
  try {
    await confirmAddress(context, tokenOf(visit));
  } catch (error) {
    problemsOf(error);
    return showDead(visit, '/users/confirmation/new');
  }
  clearCookie(response, 'gantry_link', secure);
  response.redirect(303, `${session ? '/profile/account' : '/users/sign_in'}?notice=confirmed`);
}

type Find = (context: Visit['context'], token: string) => Promise<AccountTokenHolder | null>;

async function withHolder(visit: Visit, find: Find, again: string, show: (holder: AccountTokenHolder) => void) {
  const holder = await find(visit.context, tokenOf(visit));
  if (holder) show(holder);
  else showDead(visit, again);
}

function showDead(visit: Visit, again: string): void {
  visit.show('dead_link', { title: 'This link is no longer valid', again }, 404);
}

function tokenOf({ request, secure }: Visit): string {
  return readCookie(request, 'gantry_link', secure) ?? '';
}
