import type { Request } from 'express';
import { passwordErrors } from '#src/access/sign_in/password_errors.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The errors of a form, by field name. */
export type Problems = Record<string, string>;

/** The value of a field, the last one if it is repeated; empty if missing. */
export function text(value: unknown): string {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : '';
}

/** The errors of a ValidationFailed; `names` maps fields that have other names in the form. Rethrows all other errors. */
export function problemsOf(error: unknown, names: Record<string, string> = {}): Problems {
  if (!(error instanceof ValidationFailed)) throw error;
  return toProblems(error.fields, names);
}

/**
 * Runs `work` with the new password of a form. If the two passwords do not match, nothing is done, and that is reported together
 * with the errors that `check` finds. Throws ValidationFailed, and what `work` and `check` throw.
 */
export async function withNewPassword<Result>(
  { body }: Request,
  work: (password: string) => Promise<Result>,
  check: (password: string) => FieldErrors | Promise<FieldErrors> = passwordOnly,
): Promise<Result> {
  const password = text(body.new_password);
  if (password === text(body.new_password_again)) return work(password);
  throw new ValidationFailed({ ...(await check(password)), new_password_again: ['Passwords do not match'] });
}

function passwordOnly(password: string): FieldErrors {
  const errors = passwordErrors(password);
  return errors.length > 0 ? { password: errors } : {};
}

const NOTICES: Record<string, string> = {
  password_changed: label('Your password was changed. You were signed out everywhere else.'),
  sessions_ended: label('You were signed out everywhere else.'),
  two_factor_required: label('Everyone on this server needs two-factor authentication. Set it up to go on.'),
  two_factor_disabled: label('Two-factor authentication is disabled.'),
  identity_connected: label('The accounts are connected. You can sign in with either.'),
  identity_disconnected: label('The accounts are no longer connected.'),
  passkey_added: label('The passkey was added.'),
  passkey_removed: label('The passkey was removed.'),
  token_revoked: label('The token was revoked.'),
  sign_in_again: label('Your sign-in has expired, or your password has changed. Sign in again.'),
  password_reset: label('Your password was changed. Sign in with the new one.'),
  reset_requested: label(
    'If an account has this address, we sent a link to reset its password. The link expires in two hours.',
  ),
  confirmation_requested: label('If this address is waiting to be confirmed, we sent a new link to it.'),
  preferences_saved: label('Your preferences are saved.'),
  pending: label('Welcome! You can sign in as soon as an administrator has approved your account.'),
  signed_up: label('Welcome! Confirm your email address with the link that we sent you, then sign in.'),
  profile_saved: label('Your profile was saved.'),
  avatar_saved: label('Your picture was saved.'),
  avatar_deleted: label('Your picture was removed.'),
  email_added: label('The email address was added.'),
  email_added_unconfirmed: label('The email address was added. Follow the link that we sent to it to confirm it.'),
  email_deleted: label('The email address was removed.'),
  confirmation_sent: label('We sent the confirmation link again.'),
  key_added: label('The SSH key was added.'),
  key_deleted: label('The SSH key was removed.'),
  account_deleted: label('Your account was deleted.'),
  confirmed: label('Your email address was confirmed.'),
};

/** The message for a visitor who was sent here by a form. URLs only name messages. */
export function noticeOf({ request, texts }: Visit, notices = NOTICES): string | null {
  const notice = Object.entries(notices).find(([name]) => name === text(request.query.notice))?.[1];
  return notice === undefined ? null : texts.t(notice);
}

function toProblems(fields: FieldErrors, names: Record<string, string>): Problems {
  return Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [names[field] ?? field, messages.join(', ')]),
  );
}
