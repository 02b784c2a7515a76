import type { Context } from '#src/access/permissions/actor.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import type { Person } from '#src/access/sign_in/providers/person.ts';
import { afterProvider, type NextStep } from '#src/access/sign_in/sign_in_steps.ts';
import { provideMemberships } from '#src/domain/lifecycle/accounts/provided_memberships.ts';
import { freeUsername } from '#src/domain/lifecycle/accounts/username.ts';
import { takenErrors, userErrors } from '#src/domain/users/attributes.ts';
import { createUser } from '#src/domain/users/create.ts';
import { domainErrors } from '#src/domain/users/domains.ts';
import { normaliseAddress } from '#src/domain/users/emails/address.ts';
import { tellAdministrators } from '#src/domain/users/tell_administrators.ts';
import type { ProviderSettings } from '#src/platform/config/sign_in_providers.ts';
import { Conflict, Unauthenticated, ValidationFailed } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What opening an account needs. */
export type Opener = Pick<Context, 'db' | 'secret' | 'jobs' | 'clientAddress'>;

/**
 * The next step for somebody whom an OpenID Connect provider has named: into their account, which is opened at the first sign-in
 * if the provider may do that. `unconfirmed` if they have to follow a link first that was mailed to them. Throws Unauthenticated,
 * with an explanation.
 */
export async function enterFromProvider(
  context: Context,
  settings: ProviderSettings,
  person: Person,
): Promise<NextStep | { step: 'unconfirmed' }> {
  const userId = await accountOf(context, settings, person);
  if (userId === null) return { step: 'unconfirmed' };
  const trustsTwoFactor = settings.type === 'openid' && settings.trustTwoFactor;
  return afterProvider(context, userId, { trustsTwoFactor });
}

/** Like enterFromProvider, for somebody whose password a directory has accepted: the ID of the account. */
export async function enterFromDirectory(context: Opener, settings: ProviderSettings, person: Person): Promise<number> {
  const userId = await accountOf(context, settings, person);
  if (userId === null) throw new Unauthenticated('Confirm your e-mail address first');
  // The directory has them again, before the next synchronization.
  await context.db.user.updateMany({ where: { id: userId, state: 'ldap_blocked' }, data: { state: 'active' } });
  return userId;
}

/**
 * The account that a person is connected to, with the memberships that their groups give; a new one for people who have none, never
 * an existing one of the same address or name, whose owner has to connect it. Null for those who must follow a mailed link.
 */
async function accountOf(context: Opener, settings: ProviderSettings, person: Person): Promise<number | null> {
  const { db } = context;
  const { provider, externUid } = person;
  const where = { provider_externUid: { provider, externUid } };
  const known = await db.identity.findUnique({ where, select: { id: true, userId: true } });
  const opened = known ? null : await openAccount(context, settings, person);
  if (opened === 'unconfirmed') return null;
  const identity = known ?? (await db.identity.findUniqueOrThrow({ where, select: { id: true, userId: true } }));
  await provideMemberships(db, identity, settings.groups, person.groups);
  return identity.userId;
}

/** Throws Unauthenticated, saying why no account was opened. */
async function openAccount(
  context: Opener,
  { label, newUsers }: ProviderSettings,
  { provider, externUid, ...person }: Person,
): Promise<'opened' | 'unconfirmed'> {
  const { db, jobs } = context;
  const refusal = (why: string) => new Unauthenticated(why);
  if (newUsers === 'refuse') {
    throw refusal(
      `No account here is connected to your account at ${label}. Sign in with your password, and connect them on the page of your account.`,
    );
  }
  const email = normaliseAddress(person.email ?? '');
  const values = { email, name: person.name, provider, externUid };
  const [problem] = Object.entries(userErrors(values)).map(([field, messages]) => `${field} ${messages.join(', ')}`);
  if (person.email === null) throw refusal(`${label} did not tell your e-mail address, which an account needs.`);
  if (problem !== undefined) throw refusal(`${label} tells something that no account can have: ${problem}.`);
  if (domainErrors(await currentSettings(db), email).length > 0) {
    throw refusal('Accounts with e-mail addresses of this domain are not accepted.');
  }
  const confirmed = person.emailConfirmed || !sendsMail(db);
  const taken = refusal(
    `There is an account with the address ${email}. Sign in with its password, and connect it to ${label} on its account page.`,
  );
  const isTaken = (await takenErrors(db, { email })).email !== undefined;
  // Somebody who has not shown that the address is theirs is not told whose it is.
  if (isTaken && !confirmed) {
    // Takes as long as opening an account would have.
    await hashPassword(email, context.clientAddress);
    await db.$transaction((tx) => jobs.enqueue(tx, 'mail.send', { kind: 'sign_up_again', email }));
    return 'unconfirmed';
  }
  if (isTaken) throw taken;
  const isPending = newUsers === 'approve';
  const user = { ...values, username: await freeUsername(db, person.username), confirmed, isPending };
  try {
    await createUser(context, user, async (tx) => {
      if (!confirmed) await jobs.enqueue(tx, 'mail.send', { kind: 'confirmation', email });
      if (isPending && sendsMail(db)) await tellAdministrators(jobs, tx);
    });
  } catch (error) {
    // Another request was faster: with the same person, or with the name or address.
    if (!(error instanceof Conflict) && !(error instanceof ValidationFailed)) throw error;
    const now = await db.identity.findUnique({ where: { provider_externUid: { provider, externUid } } });
    if (!now) throw refusal('Your account could not be opened. Start again.');
  }
  return confirmed ? 'opened' : 'unconfirmed';
}
