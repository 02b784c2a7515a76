import { Router } from 'express';
import { countSessions, endSessions } from '#src/access/credentials/sessions/end.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { listPasskeys } from '#src/access/sign_in/passkeys/manage.ts';
import { offeredProviders } from '#src/access/sign_in/providers/registry.ts';
import { disableTwoFactor } from '#src/access/sign_in/two_factor/disable.ts';
import {
  type Enrolment,
  enableTwoFactor,
  findEnrolment,
  setUpTwoFactor,
} from '#src/access/sign_in/two_factor/enable.ts';
import { usesApp } from '#src/access/sign_in/two_factor/left.ts';
import { qrCode } from '#src/access/sign_in/two_factor/qr_code.ts';
import { countRecoveryCodes } from '#src/access/sign_in/two_factor/recovery_codes.ts';
import { renewRecoveryCodes } from '#src/access/sign_in/two_factor/renew_codes.ts';
import { changePassword, passwordChangeErrors } from '#src/domain/users/change_password.ts';
import { findViewer } from '#src/domain/users/find.ts';
import { hasConfirmed } from '#src/entrances/web/pages/asking.ts';
import { freshSession } from '#src/entrances/web/pages/enter.ts';
import { type Problems, problemsOf, text, withNewPassword } from '#src/entrances/web/pages/fields.ts';
import { leadSaying } from '#src/entrances/web/pages/notices.ts';
import { leadTo, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { DomainError, type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** The account of the signed-in user: password and two-factor authentication. */
export function accountPages({ own, ownForm }: Pages): Router {
  return Router()
    .get(
      '/profile/account',
      own((visit) => showAccount(visit, {})),
    )
    .get('/profile/account/password', leadTo('/profile/account'))
    .post('/profile/account/password', ownForm(submitPassword))
    .get('/profile/account/sessions', leadTo('/profile/account'))
    .post('/profile/account/sessions', ownForm(endOthers))
    .get('/profile/two_factor/setup', leadTo('/profile/account'))
    .post('/profile/two_factor/setup', ownForm(setUp))
    .get('/profile/two_factor', leadTo('/profile/account'))
    .post('/profile/two_factor', ownForm(enable))
    .get('/profile/two_factor/recovery_codes', leadTo('/profile/account'))
    .post('/profile/two_factor/recovery_codes', ownForm(renewCodes))
    .get('/profile/two_factor/disable', leadTo('/profile/account'))
    .post('/profile/two_factor/disable', ownForm(disable));
}

const SHOWN = select('User', {
  id: true,
  name: true,
  email: true,
  twoFactorEnabled: true,
  identities: { provider: true, externUid: true },
});

/** What the page of the account shows. */
export type ShownAccount = Awaited<ReturnType<typeof shownAccount>> & { problems: Problems; values: Values };

/** What was typed into a form of the account and is no secret, by field. */
type Values = Partial<Record<'passkey_name' | 'directory_login', string>>;

/** Shows the page of the account, with the problems of a form that was sent from it, and what was typed into that. */
export async function showAccount(visit: Visit, problems: Problems, status = 200, values: Values = {}): Promise<void> {
  const shown: ShownAccount = { ...(await shownAccount(visit)), problems, values };
  visit.show('account', { title: visit.texts.t('Account') }, { ...shown }, status);
}

async function shownAccount({ context }: Visit) {
  const { id, ...user } = await findViewer(context, SHOWN);
  const recoveryCodes = await countRecoveryCodes(context.db, id);
  const others = ((await countSessions(context, id)) ?? 1) - 1;
  const providers = await offeredProviders(context.db);
  const passkeys = await listPasskeys(context);
  const hasApp = await usesApp(context.db, id);
  return { user, providers, passkeys, hasApp, recoveryCodes, others };
}

async function submitPassword(visit: Visit): Promise<void> {
  const { context, request } = visit;
  const { current_password: currentPassword, password_code: code } = request.body;
  const changeTo = (newPassword: string) => ({ currentPassword: text(currentPassword), newPassword, code: text(code) });
  const change = async (newPassword: string) => {
    refuseWith(await passwordChangeErrors(context, changeTo(newPassword), { more: false }));
    return changePassword(context, changeTo(newPassword));
  };
  const check = (newPassword: string) => passwordChangeErrors(context, changeTo(newPassword), { more: true });
  try {
    const { id } = await withNewPassword(request, change, check);
    await freshSession(visit, id);
    leadSaying(visit, '/profile/account', 'password_changed');
  } catch (error) {
    if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') {
      await showAccount(visit, { current_password: 'is wrong' }, 422);
    } else await showAccount(visit, problemsOf(error, { password: 'new_password', code: 'password_code' }), 422);
  }
}

/** Throws ValidationFailed if there are errors. */
function refuseWith(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

async function endOthers(visit: Visit): Promise<void> {
  const { context, session } = visit;
  const { t } = visit.texts;
  const question = {
    heading: t('Sign out everywhere else?'),
    says: [t('All other browsers have to sign in again.')],
    button: t('Sign out everywhere else'),
    back: '/profile/account',
  };
  if (!hasConfirmed(visit, question)) return;
  await endSessions(context, session?.id);
  leadSaying(visit, '/profile/account', 'sessions_ended');
}

async function setUp(visit: Visit): Promise<void> {
  showSetup(visit, await setUpTwoFactor(visit.context), {});
}

async function enable(visit: Visit): Promise<void> {
  const { context, request } = visit;
  try {
    const { recoveryCodes } = await enableTwoFactor(context, text(request.body.code));
    const csrf = await freshSession(visit, requireActor(context).id);
    showCodes(visit, recoveryCodes, visit.texts.t('Two-factor authentication is enabled.'), { csrf, renewed: true });
  } catch (error) {
    const problems = problemsOf(error);
    showSetup(visit, await findEnrolment(context), problems, 422);
  }
}

function showSetup(visit: Visit, { secret, uri }: Enrolment, problems: Problems, status = 200): void {
  const title = visit.texts.t('Set up two-factor authentication');
  const readable = secret.replace(/.{4}(?=.)/g, '$& ');
  visit.show('two_factor_setup', { title }, { picture: qrCode(uri), secret: readable, problems }, status);
}

async function renewCodes(visit: Visit): Promise<void> {
  await proving(visit, async (proof) => {
    const codes = await renewRecoveryCodes(visit.context, proof);
    const message = visit.texts.t('Your former recovery codes no longer work.');
    showCodes(visit, codes, message, { csrf: visit.csrf, renewed: false });
  });
}

async function disable(visit: Visit): Promise<void> {
  await proving(visit, async (proof) => {
    await disableTwoFactor(visit.context, proof);
    leadSaying(visit, '/profile/account', 'two_factor_disabled');
  });
}

async function proving(visit: Visit, work: (proof: { password: string; code: string }) => Promise<void>) {
  const { password, code } = visit.request.body;
  try {
    await work({ password: text(password), code: text(code) });
  } catch (error) {
    await showAccount(visit, problemsOf(error), 422);
  }
}

/** `renewed` says whether the private token was replaced, too. */
export function showCodes(
  visit: Visit,
  codes: string[],
  message: string,
  { csrf, renewed }: { csrf: string; renewed: boolean },
): void {
  visit.show('recovery_codes', { title: visit.texts.t('Recovery codes'), csrf }, { codes, message, renewed });
}
