declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Sends a mail, if there still is somebody who is to get it. */
    'mail.send': MailWanted;
  }
}

/** A mail that somebody is to get, as it waits for being sent. It holds no token: that is made when the mail is. */
export type MailWanted =
  /** To an address that was given, whether or not somebody has it. */
  | { kind: MailKind; email: string }
  /** To the address that a user has, or had until just now. */
  | { kind: Notice; email: string; username: string };

/** What mail is about: an address to be confirmed, a new password, an account that was made for somebody, or one that is there already. */
export type MailKind = 'confirmation' | 'password_reset' | 'welcome' | 'sign_up_again';

/** What has changed of how a user signs in. */
export type Notice =
  | 'password_changed'
  | 'password_reset_done'
  | 'private_token_renewed'
  | 'address_changed'
  | 'two_factor_enabled'
  | 'two_factor_disabled';
