/**
 * A mail that somebody is to get, as it waits for being sent. It names the address that was given, whether or not somebody
 * has it, and no token: that is made when the mail is.
 */
export interface MailWanted {
  kind: MailKind;
  email: string;
}

/** What mail is about: an address to be confirmed, a new password, an account that was made for somebody, or one that is there already. */
export type MailKind = 'confirmation' | 'password_reset' | 'welcome' | 'sign_up_again';
