import { Router } from 'express';
import { clearCookie, readCookie } from '#pages/engine/cookies.ts';
import { type Problems, problemsOf, text, withNewPassword } from '#pages/engine/fields.ts';
import { leadSaying } from '#pages/engine/notices.ts';
import { leadTo, type Pages } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import type { AccountTokenHolder } from '#src/access/credentials/account_tokens/use.ts';
import { CONFIRMATION_PATH, RESET_PATH } from '#src/access/credentials/mail/paths.ts';
import { confirmAddress, findConfirmation } from '#src/domain/users/confirm.ts';
import { requestConfirmation, requestPasswordReset } from '#src/domain/users/mail_requests.ts';
import { findPasswordReset, resetPassword } from '#src/domain/users/reset_password.ts';
import { landing } from '#src/entrances/web/pages/landing.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Pages to request links by mail, and their targets: confirming an address, and choosing a new password. */
export function mailLinkPages({ page, form }: Pages): Router {
  return Router()
    .get('/users/password/new', page(showAsking('reset')))
    .get('/users/password', leadTo('/users/password/new'))
    .post('/users/password', form(ask('reset')))
    .get('/users/confirmation/new', page(showAsking('confirmation')))
    .post('/users/confirmation/new', form(ask('confirmation')))
    .get(RESET_PATH, page(landing('gantry_link', showReset)))
    .post(RESET_PATH, form(submitReset))
    .get(CONFIRMATION_PATH, page(landing('gantry_link', showConfirmation)))
    .post(CONFIRMATION_PATH, form(submitConfirmation));
}

const ASKING = {
  reset: {
    title: label('Forgot your password?'),
    text: label('Enter the email address of your account and we’ll send you a link to reset your password.'),
    without: label('This server does not send email. Ask your administrator for a link to reset your password.'),
    action: '/users/password',
    page: '/users/password/new',
    notice: 'reset_requested',
    request: requestPasswordReset,
  },
  confirmation: {
    title: label('Confirm your email address'),
    text: label('Enter your email address and we’ll send the confirmation link again.'),
    without: label('This server does not send email, so addresses need no confirmation.'),
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
  const { t } = visit.texts;
  const values = {
    text: t(said),
    without: t(without),
    action,
    mail: sendsMail(visit.context.db),
  };
  visit.show('ask_mail', { title: t(title) }, { ...values, email, problems }, status);
}

function ask(subject: MailPurpose): (visit: Visit) => Promise<void> {
  const { page, notice, request } = ASKING[subject];
  return async (visit) => {
    const email = text(visit.request.body.email);
    try {
      await request(visit.context, email);
      leadSaying(visit, page, notice);
    } catch (error) {
      showAskingForm(visit, subject, email, problemsOf(error), 422);
    }
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
  leadSaying(visit, '/users/sign_in', 'password_reset');
}

function showResetForm(visit: Visit, holder: AccountTokenHolder, problems: Problems, status = 200): void {
  visit.show('reset_password', { title: visit.texts.t('Choose a new password') }, { holder, problems }, status);
}

async function showConfirmation(visit: Visit): Promise<void> {
  await withHolder(visit, findConfirmation, '/users/confirmation/new', (holder) => {
    visit.show('confirm', { title: visit.texts.t('Confirm your email address') }, { holder });
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
  leadSaying(visit, session ? '/profile/account' : '/users/sign_in', 'confirmed');
}

type Find = (context: Visit['context'], token: string) => Promise<AccountTokenHolder | null>;

async function withHolder(visit: Visit, find: Find, again: string, show: (holder: AccountTokenHolder) => void) {
  const holder = await find(visit.context, tokenOf(visit));
  if (holder) show(holder);
  else showDead(visit, again);
}

function showDead(visit: Visit, again: string): void {
  visit.show('dead_link', { title: visit.texts.t('This link is no longer valid') }, { again }, 404);
}

function tokenOf({ request, secure }: Visit): string {
  return readCookie(request, 'gantry_link', secure) ?? '';
}
