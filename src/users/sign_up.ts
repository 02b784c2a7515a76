import type { Context } from '#src/access/actor.ts';
import { countUses, networkOf, spaced } from '#src/access/sign_in/attempts.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { normaliseAddress } from '#src/emails/address.ts';
import type { Transaction } from '#src/platform/db.ts';
import { Conflict, Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/mail/sending.ts';
import { currentSettings } from '#src/platform/settings/current.ts';
import { checkUser, refuseTaken } from '#src/users/attributes.ts';
import { createUser } from '#src/users/create.ts';
import { domainErrors } from '#src/users/domains.ts';

export interface SignUp {
  username: string;
  name: string;
  email: string;
  password: string;
}

/** How many accounts are made from one network in WINDOW. */
export const SIGN_UPS = 20;
/** Seconds. */
const WINDOW = 60 * 60;

/**
 * Creates an account for whoever asks. Where mail is sent, its address is to be confirmed first, and null is returned also
 * when somebody has the address, who is told by mail: the one who asks learns nothing of that. Else the ID of the user, who
 * is confirmed. Throws Forbidden where the setting closes this, RateLimited, ValidationFailed.
 */
export async function signUp(context: Context, given: SignUp): Promise<number | null> {
  const { db, jobs, clientAddress } = context;
  const settings = await currentSettings(db);
  if (!settings.signupEnabled) throw new Forbidden('Creating accounts is switched off');
  const { username, name, password } = given;
  const email = normaliseAddress(given.email);
  checkUser({ username, name, email, password });
  const unwanted = domainErrors(settings, email);
  if (unwanted.length > 0) throw new ValidationFailed({ email: unwanted });
  if (clientAddress !== null) {
    const limit = { [`sign-up ${networkOf(clientAddress)}`]: SIGN_UPS };
    await spaced(clientAddress, () => countUses(db, WINDOW, limit));
  }
  const confirmed = !sendsMail(db);
  const wantMail = (tx: Transaction, kind: 'confirmation' | 'sign_up_again') =>
    jobs.enqueue(tx, 'mail.send', { kind, email });
  try {
    // The name first: what is said of it must not depend on the address.
    await refuseTaken(db, { username });
    // Nobody keeps others out by naming their address as a second one of their own.
    if (!confirmed) await db.email.deleteMany({ where: { email, confirmedAt: null } });
    const user = { username, name, email, password, confirmed };
    const { id } = await createUser(context, user, (tx) => (confirmed ? undefined : wantMail(tx, 'confirmation')));
    return confirmed ? id : null;
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const field = error.message.startsWith('Email') ? 'email' : 'username';
    if (confirmed || field === 'username') throw new ValidationFailed({ [field]: ['has already been taken'] });
    // As long as it would have taken.
    await hashPassword(password, clientAddress);
    await db.$transaction((tx) => wantMail(tx, 'sign_up_again'));
    return null;
  }
}
