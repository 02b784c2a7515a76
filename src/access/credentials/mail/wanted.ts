declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Sends a mail, if its recipient still exists. */
    'mail.send': MailWanted;
  }
}

/** A queued mail. It holds no token: that is created when the mail is sent. */
export type MailWanted =
  /** To an address that was entered, whether or not an account has it. */
  | { kind: MailKind; email: string }
  /** To the address that a user has, or had until just now. */
  | { kind: Notice; email: string; username: string }
  /** The same, with what is told and where it leads: texts of ours, usernames and paths alone, as mail clients make links of the rest. */
  | {
      kind: Told;
      email: string;
      username: string;
      path: string;
      values: Readonly<Record<string, string | number>>;
      lines?: readonly string[];
    };

/** The subject of a mail: an address to confirm, a new password, a new account for the recipient, or an existing one. */
export type MailKind = 'confirmation' | 'password_reset' | 'welcome' | 'sign_up_again';

/** A change to how a user signs in, or of who may. */
export type Notice =
  | 'password_changed'
  | 'password_reset_done'
  | 'private_token_renewed'
  | 'address_changed'
  | 'two_factor_enabled'
  | 'two_factor_disabled'
  | 'identity_connected'
  | 'passkey_added'
  | 'passkey_removed'
  | 'identity_disconnected'
  | 'approval_wanted'
  | 'account_approved'
  | 'account_rejected';

/** What was asked of a user, was assigned to them, or came of a table that they sent. */
export type Told = 'placeholder_requested' | 'placeholder_assigned' | 'placeholders_reassigned';
