import type { MailKind, Notice } from '#src/access/credentials/mail/wanted.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';

/** The contents of a message besides its kind. */
export interface Facts {
  username: string;
  /** URL of the button. */
  link: string;
  /** URL of the server. */
  baseUrl: string;
}

interface Words {
  subject: string;
  /** Text before the link. */
  text: string;
  button: string;
  /** Small print after the link. */
  small: string;
}

const IGNORE = 'If you did not request this, you can ignore this email.';

const WORDS: Record<MailKind | Notice, Words> = {
  confirmation: {
    subject: 'Confirm your email address',
    text: 'Please confirm that this is the email address of your account.',
    button: 'Confirm email address',
    small: `The link expires in three days. ${IGNORE}`,
  },
  password_reset: {
    subject: 'Reset your password',
    text: 'Someone asked to reset the password of your account. Follow the link to choose one.',
    button: 'Choose a new password',
    small: `The link expires in two hours and can be used once. ${IGNORE}`,
  },
  welcome: {
    subject: 'Your new account',
    text: 'An account was created for you. Follow the link to choose a password.',
    button: 'Choose a password',
    small: 'The link expires in one day and can be used once. After that, request a new one on the sign-in page.',
  },
  sign_up_again: {
    subject: 'You already have an account',
    text: 'Someone tried to create an account with this email address, but you already have one. Sign in to it instead.',
    button: 'Sign in',
    small: 'If you forgot your password, you can reset it there. If this was not you, you can ignore this email.',
  },
  password_changed: notice('Your password was changed', 'The password of your account was just changed.'),
  password_reset_done: notice(
    'Your password was changed',
    'The password of your account was just changed, and your private token was renewed. Update everything that used the old token.',
  ),
  private_token_renewed: notice(
    'Your private token was renewed',
    'The private token of your account was renewed. Update everything that used the old one.',
  ),
  address_changed: notice('Your email address was changed', 'The email address of your account was changed.'),
  two_factor_enabled: notice(
    'Two-factor authentication is enabled',
    'Signing in now requires a code. Your private token was renewed: update everything that used the old one.',
  ),
  identity_connected: notice(
    'Your account is connected to a sign-in provider',
    'You can sign in with the connected account from now on.',
  ),
  identity_disconnected: notice(
    'Your account is disconnected from a sign-in provider',
    'The other account can no longer be used to sign in.',
  ),
  passkey_added: notice('A passkey was added to your account', 'You can sign in with the new passkey from now on.'),
  passkey_removed: notice('A passkey was removed from your account', 'It can no longer be used to sign in.'),
  two_factor_disabled: notice('Two-factor authentication is disabled', 'Signing in no longer requires a code.'),
  approval_wanted: {
    subject: 'A new user waits for your approval',
    text: 'Somebody signed up, and cannot sign in until an administrator approves. Find those who wait with GET /api/v4/users?state=blocked_pending_approval, and approve or reject them over the API.',
    button: 'Sign in',
    small: 'You get this email because you are an administrator.',
  },
  account_approved: {
    subject: 'Your account was approved',
    text: 'An administrator has approved your account: you can sign in now.',
    button: 'Sign in',
    small: IGNORE,
  },
  account_rejected: {
    subject: 'Your account was not approved',
    text: 'An administrator has rejected your request for an account. The account and everything in it was deleted.',
    button: 'Go to the server',
    small: IGNORE,
  },
};

function notice(subject: string, text: string): Words {
  const small =
    'If this was you, there is nothing to do. If not, reset your password on the sign-in page and tell your administrator.';
  return { subject, text, button: 'Sign in', small };
}

/** A message as text and simple HTML. The only user input in it is the username, whose characters are harmless. */
export function compose(kind: MailKind | Notice, to: string, { username, link, baseUrl }: Facts): Message {
  const { subject, text, button, small } = WORDS[kind];
  const { host } = new URL(baseUrl);
  const lines = [`Hello ${username},`, text, link, small, `Gantry at ${baseUrl}`];
  const html = `<!doctype html>
<html lang="en"><body style="font-family: sans-serif; line-height: 1.5">
<p>Hello ${escapeHtml(username)},</p>
<p>${escapeHtml(text)}</p>
<p><a href="${escapeHtml(link)}">${escapeHtml(button)}</a></p>
<p><small>${escapeHtml(small)}</small></p>
<p><small>Gantry at ${escapeHtml(baseUrl)}</small></p>
</body></html>
`;
  return { to, subject: `${subject} (${host})`, text: `${lines.join('\n\n')}\n`, html };
}
