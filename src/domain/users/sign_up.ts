import type { Context } from '#src/access/permissions/actor.ts';
import { countUses, spaced } from '#src/access/sign_in/attempts.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { takenErrors, userErrors } from '#src/domain/users/attributes.ts';
import { createUser } from '#src/domain/users/create.ts';
import { domainErrors } from '#src/domain/users/domains.ts';
import { normaliseAddress } from '#src/domain/users/emails/address.ts';
import { tellAdministrators } from '#src/domain/users/tell_administrators.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Conflict, type FieldErrors, Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { networkOf } from '#src/platform/limits/network.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface SignUp {
  username: string;
  name: string;
  email: string;
  password: string;
}

/** The ID of the user, null until the address is confirmed; and whether an administrator has to approve. */
export interface SignedUp {
  userId: number | null;
  isPending: boolean;
}

/** How many accounts one network can create in WINDOW, and how many invalid forms it can send. */
export const SIGN_UPS = 20;
export const MISTAKES = 100;
/** Seconds. */
const WINDOW = 60 * 60;

/**
 * Creates an account. If the server sends mail, the address must be confirmed first, and there is no ID even if the address is
 * taken: its owner is notified by mail, and the response does not reveal it. An address that is proven, by the link of an invitation
 * that was mailed there, needs no confirmation. Otherwise returns the ID of the user, who is
 * confirmed. Where the settings ask for it, the user waits until an administrator approves; administrators are told by mail. Throws Forbidden if sign-up is disabled, RateLimited, ValidationFailed with all mistakes.
 */
export async function signUp(context: Context, given: SignUp, proven?: string): Promise<SignedUp> {
  const { db, jobs, clientAddress } = context;
  await refuseClosed(context);
  const values = { ...given, email: normaliseAddress(given.email) };
  const mistakes = await mistakesIn(context, values);
  if (Object.keys(mistakes).length > 0) throw await refusal(context, values, mistakes, proven);
  await count(context, 'sign-up', SIGN_UPS);
  const { email, password } = values;
  const confirmed = !sendsMail(db) || email === proven;
  const { requireAdminApprovalAfterUserSignup: isPending } = await currentSettings(db);
  const enqueueMail = (tx: Transaction, kind: 'confirmation' | 'sign_up_again') =>
    jobs.enqueue(tx, 'mail.send', { kind, email });
  try {
    // The name first: its errors must not depend on the address.
    const taken = await takenErrors(db, shownAsTaken(context, values, proven));
    if (Object.keys(taken).length > 0) throw new ValidationFailed(taken).asExisting();
    // Unconfirmed secondary addresses must not keep their real owners from signing up.
    if (sendsMail(db)) await db.email.deleteMany({ where: { email, confirmedAt: null } });
    const user = { ...values, confirmed, isPending };
    const { id } = await createUser(context, user, async (tx) => {
      if (!confirmed) await enqueueMail(tx, 'confirmation');
      if (isPending && sendsMail(db)) await tellAdministrators(jobs, tx);
    });
    return { userId: confirmed ? id : null, isPending };
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const taken = error.extensions.about as FieldErrors;
    const field = taken.email ? 'email' : 'username';
    if (confirmed || field === 'username')
      throw new ValidationFailed({ [field]: ['has already been taken'] }).asExisting();
    // Takes as long as creating the account would have.
    await hashPassword(password, clientAddress);
    await db.$transaction((tx) => enqueueMail(tx, 'sign_up_again'));
    return { userId: null, isPending };
  }
}

/** All errors of a sign-up, by field, if the form has other errors. Creates nothing. Throws Forbidden, RateLimited. */
export async function signUpErrors(context: Context, given: SignUp, proven?: string): Promise<FieldErrors> {
  await refuseClosed(context);
  const values = { ...given, email: normaliseAddress(given.email) };
  return (await refusal(context, values, await mistakesIn(context, values), proven)).fields;
}

async function refuseClosed({ db }: Context): Promise<void> {
  const { signupEnabled } = await currentSettings(db);
  if (!signupEnabled) throw new Forbidden('Sign-up is disabled');
}

/** The errors that do not depend on other users. */
async function mistakesIn({ db }: Context, { username, name, email, password }: SignUp): Promise<FieldErrors> {
  const errors = userErrors({ username, name, email, password });
  const unwanted = domainErrors(await currentSettings(db), email);
  return errors.email || unwanted.length === 0 ? errors : { ...errors, email: unwanted };
}

/** The error for a form with these errors, including taken names; such attempts are counted. */
async function refusal(
  context: Context,
  values: SignUp,
  mistakes: FieldErrors,
  proven?: string,
): Promise<ValidationFailed> {
  await count(context, 'sign-up mistakes', MISTAKES);
  const wellFormed = Object.entries(shownAsTaken(context, values, proven)).filter(([field]) => !mistakes[field]);
  const taken = await takenErrors(context.db, Object.fromEntries(wellFormed));
  return new ValidationFailed({ ...taken, ...mistakes });
}

/** If the server sends mail, the owner of an address is not revealed, other than to whoever gets its mail. */
function shownAsTaken({ db }: Context, { username, email }: SignUp, proven?: string): Partial<SignUp> {
  return sendsMail(db) && email !== proven ? { username } : { username, email };
}

async function count({ db, clientAddress }: Context, what: string, limit: number): Promise<void> {
  if (clientAddress === null) return;
  await spaced(clientAddress, () => countUses(db, WINDOW, { [`${what} ${networkOf(clientAddress)}`]: limit }));
}
