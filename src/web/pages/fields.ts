import type { Request } from 'express';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** What is wrong with the fields of a form, by their names. */
export type Problems = Record<string, string>;

/** The value of a field that is sent once; empty for one that is missing or sent several times. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What a refusal says of fields; `names` has the fields of the form that are called differently. Throws all other errors. */
export function problemsOf(error: unknown, names: Record<string, string> = {}): Problems {
  if (!(error instanceof ValidationFailed)) throw error;
  return toProblems(error.fields, names);
}

/** A new password that was typed twice, in different ways. Throws ValidationFailed. */
export function newPassword({ body }: Request): string {
  const password = text(body.new_password);
  if (password !== text(body.new_password_again)) {
    throw new ValidationFailed({ new_password_again: ['does not match'] });
  }
  return password;
}

const NOTICES: Record<string, string> = {
  password_changed: 'Your password was changed. You were signed out everywhere else.',
  sessions_ended: 'You were signed out everywhere else.',
  two_factor_disabled: 'Two-factor authentication is disabled.',
  token_revoked: 'The token was revoked.',
  sign_in_again: 'Your sign-in has expired, or your password has changed. Sign in again.',
  password_reset: 'Your password was changed. Sign in with the new one.',
  reset_requested:
    'If an account has this address, we sent a link to reset its password. The link expires in two hours.',
  confirmation_requested: 'If this address is waiting to be confirmed, we sent a new link to it.',
  signed_up: 'Welcome! Confirm your email address with the link that we sent you, then sign in.',
  confirmed: 'Your email address was confirmed.',
};

/** The message for whoever was sent here after a form; addresses name messages, and hold none. */
export function noticeOf({ query }: Request): string | null {
  const name = text(query.notice);
  return Object.hasOwn(NOTICES, name) ? (NOTICES[name] ?? null) : null;
}

function toProblems(fields: FieldErrors, names: Record<string, string>): Problems {
  return Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [names[field] ?? field, messages.join(', ')]),
  );
}
