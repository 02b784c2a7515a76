import type { MailKind, Notice, Told } from '#src/access/credentials/mail/wanted.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';
import { label, type Texts } from '#src/platform/texts/texts.ts';

/** The contents of a message besides its kind. */
export interface Facts {
  username: string;
  /** URL of the button. */
  link: string;
  /** URL of the server. */
  baseUrl: string;
  /** Of the language of the recipient. */
  texts: Texts;
  /** What the text is filled with. */
  values?: Readonly<Record<string, string | number>>;
  /** Lines after the text, as they are. */
  lines?: readonly string[] | undefined;
}

/** As `t` takes them. */
interface Words {
  subject: string;
  /** Text before the link. */
  text: string;
  button: string;
  /** Small print after the link. */
  small: string;
}

const IGNORE = label('If you did not request this, you can ignore this email.');

const WORDS: Record<MailKind | Notice | Told, Words> = {
  confirmation: {
    subject: label('Confirm your email address'),
    text: label('Please confirm that this is the email address of your account.'),
    button: label('Confirm email address'),
    small: label('The link expires in three days. If you did not request this, you can ignore this email.'),
  },
  password_reset: {
    subject: label('Reset your password'),
    text: label('Someone asked to reset the password of your account. Follow the link to choose one.'),
    button: label('Choose a new password'),
    small: label(
      'The link expires in two hours and can be used once. If you did not request this, you can ignore this email.',
    ),
  },
  welcome: {
    subject: label('Your new account'),
    text: label('An account was created for you. Follow the link to choose a password.'),
    button: label('Choose a password'),
    small: label(
      'The link expires in one day and can be used once. After that, request a new one on the sign-in page.',
    ),
  },
  sign_up_again: {
    subject: label('You already have an account'),
    text: label(
      'Someone tried to create an account with this email address, but you already have one. Sign in to it instead.',
    ),
    button: label('Sign in'),
    small: label(
      'If you forgot your password, you can reset it there. If this was not you, you can ignore this email.',
    ),
  },
  password_changed: notice(label('Your password was changed'), label('The password of your account was just changed.')),
  password_reset_done: notice(
    label('Your password was changed'),
    label(
      'The password of your account was just changed, and your private token was renewed. Update everything that used the old token.',
    ),
  ),
  private_token_renewed: notice(
    label('Your private token was renewed'),
    label('The private token of your account was renewed. Update everything that used the old one.'),
  ),
  address_changed: notice(
    label('Your email address was changed'),
    label('The email address of your account was changed.'),
  ),
  two_factor_enabled: notice(
    label('Two-factor authentication is enabled'),
    label('Signing in now requires a code. Your private token was renewed: update everything that used the old one.'),
  ),
  identity_connected: notice(
    label('Your account is connected to a sign-in provider'),
    label('You can sign in with the connected account from now on.'),
  ),
  identity_disconnected: notice(
    label('Your account is disconnected from a sign-in provider'),
    label('The other account can no longer be used to sign in.'),
  ),
  passkey_added: notice(
    label('A passkey was added to your account'),
    label('You can sign in with the new passkey from now on.'),
  ),
  passkey_removed: notice(
    label('A passkey was removed from your account'),
    label('It can no longer be used to sign in.'),
  ),
  two_factor_disabled: notice(
    label('Two-factor authentication is disabled'),
    label('Signing in no longer requires a code.'),
  ),
  approval_wanted: {
    subject: label('A new user waits for your approval'),
    text: label('Somebody signed up, and cannot sign in until an administrator approves.'),
    button: label('Show who waits'),
    small: label("You're receiving this because you're an administrator."),
  },
  account_approved: {
    subject: label('Your account was approved'),
    text: label('An administrator has approved your account: you can sign in now.'),
    button: label('Sign in'),
    small: IGNORE,
  },
  account_rejected: {
    subject: label('Your account was not approved'),
    text: label(
      'An administrator has rejected your request for an account. The account and everything in it was deleted.',
    ),
    button: label('Go to the server'),
    small: IGNORE,
  },
  placeholder_requested: {
    subject: label('Are you the author of imported contributions?'),
    text: label(
      '{asker} asks whether you are a user in whose name something was imported into {path}. If you accept, these contributions become yours.',
    ),
    button: label('Review the request'),
    small: label('Accept only if this was you, and if you trust who asks. Otherwise, reject the request.'),
  },
  placeholder_assigned: {
    subject: label('Imported contributions were assigned to you'),
    text: label('An administrator has assigned contributions to you that were imported into {path}.'),
    button: label('Show what was assigned'),
    small: label('If this was not you, tell your administrator.'),
  },
  placeholders_reassigned: {
    subject: label('Your table of placeholders was processed'),
    text: label(
      'The table of placeholders in {path} was processed: {assigned} of {total, plural, one {# row was} other {# rows were}} accepted.',
    ),
    button: label('Show the result'),
    small: label("You're receiving this because you sent the table."),
  },
};

function notice(subject: string, text: string): Words {
  const small = label(
    'If this was you, there is nothing to do. If not, reset your password on the sign-in page and tell your administrator.',
  );
  return { subject, text, button: label('Sign in'), small };
}

/** A message as text and simple HTML. The only user input in it are usernames and paths, whose characters are harmless. */
export function compose(
  kind: MailKind | Notice | Told,
  to: string,
  { username, link, baseUrl, texts, values = {}, lines: told = [] }: Facts,
): Message {
  const { language, t } = texts;
  const words = WORDS[kind];
  const [text, button, small] = [t(words.text, values), t(words.button), t(words.small)];
  const [hello, server] = [t('Hello {username},', { username }), t('Gantry at {url}', { url: baseUrl })];
  const { host } = new URL(baseUrl);
  const lines = [hello, text, ...(told.length > 0 ? [told.join('\n')] : []), link, small, server];
  const html = `<!doctype html>
<html lang="${language}"><body style="font-family: sans-serif; line-height: 1.5">
<p>${escapeHtml(hello)}</p>
<p>${escapeHtml(text)}</p>
${told.length > 0 ? `<ul>${told.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>\n` : ''}<p><a href="${escapeHtml(link)}">${escapeHtml(button)}</a></p>
<p><small>${escapeHtml(small)}</small></p>
<p><small>${escapeHtml(server)}</small></p>
</body></html>
`;
  return { to, subject: `${t(words.subject)} (${host})`, text: `${lines.join('\n\n')}\n`, html };
}
