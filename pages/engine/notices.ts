import type { Visit } from '#pages/engine/visit.ts';
import { label } from '#src/platform/texts/texts.ts';

const NOTICES = {
  two_factor_required: label('Everyone on this server needs two-factor authentication. Set it up to go on.'),
  identity_connected: label('The accounts are connected. You can sign in with either.'),
  passkey_added: label('The passkey was added.'),
  sign_in_again: label('Your sign-in has expired, or your password has changed. Sign in again.'),
  password_reset: label('Your password was changed. Sign in with the new one.'),
  reset_requested: label(
    'If an account has this address, we sent a link to reset its password. The link expires in two hours.',
  ),
  confirmation_requested: label('If this address is waiting to be confirmed, we sent a new link to it.'),
  pending: label('Welcome! You can sign in as soon as an administrator has approved your account.'),
  signed_up: label('Welcome! Confirm your email address with the link that we sent you, then sign in.'),
  confirmed: label('Your email address was confirmed.'),
  invitation_accepted: label('You are a member now.'),
} as const;

/** What forms of these pages have done. */
export type Notice = keyof typeof NOTICES;

/** Sends the browser to a path, whose page says what was done. */
export function leadSaying(visit: Visit, path: string, notice: Notice): void {
  visit.say(NOTICES[notice]);
  visit.response.redirect(303, path);
}
