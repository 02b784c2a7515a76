import type { Request } from 'express';
import { passwordErrors } from '#src/access/sign_in/password_errors.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

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
  password_changed: 'Your password was changed. You were signed out everywhere else.',
  sessions_ended: 'You were signed out everywhere else.',
  two_factor_required: 'Everyone on this server needs two-factor authentication. Set it up to go on.',
  two_factor_disabled: 'Two-factor authentication is disabled.',
  identity_connected: 'The accounts are connected. You can sign in with either.',
  identity_disconnected: 'The accounts are no longer connected.',
  passkey_added: 'The passkey was added.',
  passkey_removed: 'The passkey was removed.',
  token_revoked: 'The token was revoked.',
  sign_in_again: 'Your sign-in has expired, or your password has changed. Sign in again.',
  password_reset: 'Your password was changed. Sign in with the new one.',
  reset_requested:
    'If an account has this address, we sent a link to reset its password. The link expires in two hours.',
  confirmation_requested: 'If this address is waiting to be confirmed, we sent a new link to it.',
  preferences_saved: 'Your preferences are saved.',
  pending: 'Welcome! You can sign in as soon as an administrator has approved your account.',
  signed_up: 'Welcome! Confirm your email address with the link that we sent you, then sign in.',
  profile_saved: 'Your profile was saved.',
  avatar_saved: 'Your picture was saved.',
  avatar_deleted: 'Your picture was removed.',
  email_added: 'The email address was added.',
  email_added_unconfirmed: 'The email address was added. Follow the link that we sent to it to confirm it.',
  email_deleted: 'The email address was removed.',
  confirmation_sent: 'We sent the confirmation link again.',
  key_added: 'The SSH key was added.',
  key_deleted: 'The SSH key was removed.',
  account_deleted: 'Your account was deleted.',
  confirmed: 'Your email address was confirmed.',
};

/** The message for a visitor who was sent here by a form. URLs only name messages. */
export function noticeOf({ query }: Request): string | null {
  const name = text(query.notice);
  return Object.hasOwn(NOTICES, name) ? (NOTICES[name] ?? null) : null;
}

function toProblems(fields: FieldErrors, names: Record<string, string>): Problems {
  return Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [names[field] ?? field, messages.join(', ')]),
  );
}
