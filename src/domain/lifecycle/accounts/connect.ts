import { audit } from '#src/access/audit/record.ts';
import { notify } from '#src/access/credentials/mail/notify.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { beginAttempt, spaced, succeeded } from '#src/access/sign_in/attempts.ts';
import type { Person } from '#src/access/sign_in/providers/person.ts';
import { enabledProviders } from '#src/access/sign_in/providers/registry.ts';
import { endProvidedMemberships, provideMemberships } from '#src/domain/lifecycle/accounts/provided_memberships.ts';
import type { ProviderSettings } from '#src/platform/config/sign_in_providers.ts';
import { violates } from '#src/platform/database/db.ts';
import { AlreadyExists, Forbidden, NotFound, ValidationFailed, WrongState } from '#src/platform/errors.ts';

/** Connects the actor's account to a person whom a provider has named to the actor's browser. Throws Forbidden, Conflict. */
export async function connectIdentity(context: Context, settings: ProviderSettings, person: Person): Promise<void> {
  const { id: userId } = requireOwnAccount(context);
  const { db } = context;
  const { provider, externUid } = person;
  try {
    const identity = await db.$transaction(async (tx) => {
      const had = await tx.identity.findUnique({ where: { userId_provider: { userId, provider } } });
      if (had?.externUid === externUid) return had;
      if (had)
        throw new WrongState(`Your account is connected to another one at ${settings.label}. Disconnect that first`);
      const made = await tx.identity.create({ data: { userId, provider, externUid } });
      await notify(context, tx, userId, 'identity_connected');
      return made;
    });
    await provideMemberships(db, identity, settings.groups, person.groups);
  } catch (error) {
    if (!violates(error, 'identities')) throw error;
    throw new AlreadyExists(`That account at ${settings.label} is connected to another account here`);
  }
}

/**
 * Connects the actor's account to that of a directory, which the name and password there prove. Counts as an attempt to sign in.
 * Throws NotFound for the directory, ValidationFailed for a wrong name or password, RateLimited, Unavailable, Conflict, Forbidden.
 */
export async function connectDirectory(
  context: Context,
  name: string,
  { login, password }: { login: string; password: string },
): Promise<void> {
  const { id } = requireOwnAccount(context);
  const { db, clientAddress } = context;
  const { directories } = await enabledProviders(db);
  const directory = directories.find(({ settings }) => settings.name === name);
  if (!directory) throw new NotFound('Provider');
  const attempt = { account: id, address: clientAddress };
  const person = await spaced(clientAddress, async () => {
    await beginAttempt(db, attempt);
    return directory.authenticate(login.trim(), password);
  });
  if (!person) throw new ValidationFailed({ directory_password: ['is wrong, or the username is'] });
  await succeeded(db, attempt);
  await connectIdentity(context, directory.settings, person);
}

/**
 * Disconnects the actor's account from a provider, and ends the memberships that it gave. Throws NotFound, and Forbidden if there
 * would be no way to sign in left.
 */
export async function disconnectIdentity(context: Context, provider: string): Promise<void> {
  const { id: userId } = requireOwnAccount(context);
  await context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
    const user = await tx.user.findUniqueOrThrow({
      where: { id: userId },
      select: {
        passwordExpiresAt: true,
        identities: { select: { id: true, provider: true } },
        _count: { select: { passkeys: true } },
      },
    });
    const identity = user.identities.find((one) => one.provider === provider);
    if (!identity) throw new NotFound('Identity');
    if (user.passwordExpiresAt !== null && user.identities.length + user._count.passkeys === 1) {
      throw new Forbidden(
        'This is the only way to sign in to your account. Choose a password first, with the link for a forgotten one',
      ).asWrongState();
    }
    await endProvidedMemberships(tx, identity.id);
    await tx.identity.delete({ where: { id: identity.id } });
    await notify(context, tx, userId, 'identity_disconnected');
  });
}

/** Disconnects the account of a user from a provider, for administrators. Throws NotFound for user and identity, Forbidden. */
export async function deleteIdentityOf(context: Context, userId: number, provider: string): Promise<void> {
  requireAdmin(context);
  requireCredentialManager(context);
  const { db } = context;
  const user = await db.user.findFirst({ where: { id: userId, ghost: false }, select: { id: true } });
  if (!user) throw new NotFound('User');
  await db.$transaction(async (tx) => {
    const identity = await tx.identity.findUnique({ where: { userId_provider: { userId, provider } } });
    if (!identity) throw new NotFound('Identity');
    await endProvidedMemberships(tx, identity.id);
    await tx.identity.deleteMany({ where: { id: identity.id } });
    const event = { action: 'identity_deleted', place: { userId }, target: { type: 'User', id: userId } } as const;
    await audit(tx, context, { ...event, attribute: 'provider', from: provider });
    await notify(context, tx, userId, 'identity_disconnected');
  });
}

/** The actor in person: administrators who use sudo connect nothing for others. */
function requireOwnAccount(context: Context) {
  const actor = requireCredentialManager(context);
  if (actor.impersonator !== undefined) throw new Forbidden('Only users themselves can connect their accounts');
  return actor;
}
