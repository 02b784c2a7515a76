import { label } from '#src/platform/texts/texts.ts';

/** Why a message is refused, as `t` takes it. The sender reads it, and it is recorded in English. */
export const REFUSALS = {
  account: label('Your account is not active.'),
  withdrawn: label('The address is no longer valid because you reset your addresses for incoming mail.'),
  sender: label(
    'The message did not come from a confirmed email address of the account to which the address belongs. Send it from such an address, or add this one to your account.',
  ),
  desk: label('This address is no longer in use.'),
  participant: label(
    'This conversation belongs to another email address. Reply from the address that you first wrote from.',
  ),
  gone: label('What you wrote about no longer exists, or you can no longer see it.'),
  forbidden: label('You do not have permission to do this.'),
  empty: label('There is no text in the message besides what it quotes.'),
  untitled: label('The message has no subject, which becomes the title of the issue.'),
} as const;

export type Refusal = keyof typeof REFUSALS;

/** A message that its sender is told was refused. */
export class MailRefused extends Error {
  override name = 'MailRefused';
  readonly reason: Refusal | { text: string };

  /** @param reason one of the known ones, or what a command said */
  constructor(reason: Refusal | { text: string }) {
    super(typeof reason === 'string' ? REFUSALS[reason] : reason.text);
    this.reason = reason;
  }
}

/** Another process has handled the message meanwhile: nothing of what was done here may remain. */
export class AlreadyHandled extends Error {
  override name = 'AlreadyHandled';
}
