import type { MailKind, Notice } from '#src/access/mail/wanted.ts';
import type { Message } from '#src/platform/mail/mailer.ts';

/** What a message tells, beside its kind. */
export interface Facts {
  username: string;
  /** Where its button leads. */
  link: string;
  /** Of the server. */
  baseUrl: string;
}

interface Words {
  subject: string;
  /** Before the link. */
  text: string;
  button: string;
  /** Behind the link. */
  small: string;
}

const IGNORE = 'If you did not ask for this, do nothing: nobody but you got this link.';

const WORDS: Record<MailKind | Notice, Words> = {
  confirmation: {
    subject: 'Confirm your e-mail address',
    text: 'this address was given for your account. Follow the link to confirm that it is yours.',
    button: 'Confirm this address',
    small: `The link is good for three days. ${IGNORE}`,
  },
  password_reset: {
    subject: 'A new password for your account',
    text: 'somebody asked for a new password for your account. Follow the link to choose one.',
    button: 'Choose a new password',
    small: `The link is good for two hours, and once. ${IGNORE}`,
  },
  welcome: {
    subject: 'Your new account',
    text: 'an account was made for you. Follow the link to choose a password.',
    button: 'Choose a password',
    small: 'The link is good for a day, and once. After that, ask for another one where you sign in.',
  },
  sign_up_again: {
    subject: 'You have an account already',
    text: 'somebody wanted to create an account with this address, but you have one already. Sign in with it.',
    button: 'Sign in',
    small: 'If you forgot your password, ask for a new one there. If it was not you, do nothing.',
  },
  password_changed: notice('Your password was changed', 'the password of your account was changed just now.'),
  password_reset_done: notice(
    'Your password was changed',
    'the password of your account was changed just now, and your private token with it. Programs that used the token need the new one.',
  ),
  private_token_renewed: notice(
    'Your private token was renewed',
    'your account has another private token from now on. Programs that used the former one need the new one.',
  ),
  address_changed: notice('Your e-mail address was changed', 'your account has another e-mail address from now on.'),
  two_factor_enabled: notice(
    'Two-factor authentication is enabled',
    'signing in takes a code from now on. Your private token was renewed: programs that used the former one need the new one.',
  ),
  two_factor_disabled: notice('Two-factor authentication is disabled', 'signing in takes no code any more.'),
};

function notice(subject: string, text: string): Words {
  const small =
    'If that was you, nothing is left to do. If it was not, ask for a new password there, and tell your administrator.';
  return { subject, text, button: 'Sign in', small };
}

/** A message in words and as simple HTML. What it says of people is their user name alone, whose letters are harmless. */
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
