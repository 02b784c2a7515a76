import type { MailKind } from '#src/access/credentials/mail/wanted.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { countUses, digest, spaced } from '#src/access/sign_in/attempts.ts';
import { isAddress, normaliseAddress } from '#src/domain/users/emails/address.ts';
import { ValidationFailed, WrongState } from '#src/platform/errors.ts';
import { networkOf } from '#src/platform/limits/network.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

/** How many mails may go to one address, and be requested from one network, in WINDOW. */
export const MAILS = { to: 5, from: 30 } as const;
/** Seconds. */
const WINDOW = 60 * 60;

/**
 * Mails a link to reset the password, if a user has that address. Neither the response nor its timing reveals whether one has.
 * Throws Conflict if the server does not send mail, RateLimited, ValidationFailed.
 */
export function requestPasswordReset(context: Context, email: string): Promise<void> {
  return request(context, 'password_reset', email);
}

/** Resends the link that confirms an address, in the same way. Throws as requestPasswordReset. */
export function requestConfirmation(context: Context, email: string): Promise<void> {
  return request(context, 'confirmation', email);
}

async function request({ db, jobs, clientAddress }: Context, kind: MailKind, given: string): Promise<void> {
  if (!sendsMail(db)) throw new WrongState('This server does not send mail. Ask your administrator');
  const email = normaliseAddress(given);
  if (!isAddress(email)) throw new ValidationFailed({ email: ['is invalid'] });
  await spaced(clientAddress, async () => {
    // As with attempts: a network that is over its limit counts against no address.
    if (clientAddress !== null) await countUses(db, WINDOW, { [`mail from ${networkOf(clientAddress)}`]: MAILS.from });
    await countUses(db, WINDOW, { [`mail to ${digest(email)}`]: MAILS.to });
    await db.$transaction((tx) => jobs.enqueue(tx, 'mail.send', { kind, email }));
  });
}
