import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { notify } from '#src/access/credentials/mail/notify.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import {
  checkUser,
  chosenAddresses,
  identityOf,
  refuseTaken,
  takenMeanwhile,
  type UserValues,
} from '#src/domain/users/attributes.ts';
import { saveAvatar } from '#src/domain/users/avatar.ts';
import { profile } from '#src/domain/users/create.ts';
import { normaliseAddress } from '#src/domain/users/emails/address.ts';
import { renamePersonalNamespace } from '#src/domain/users/personal_namespace.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { type IncomingPicture, readPicture } from '#src/platform/pictures.ts';

export interface UserChanges extends Omit<UserValues, 'username' | 'email' | 'name'> {
  username?: string | null | undefined;
  email?: string | null | undefined;
  name?: string | null | undefined;
  admin?: boolean | null | undefined;
  external?: boolean | null | undefined;
  canCreateGroup?: boolean | null | undefined;
  /** Null removes it. */
  avatar?: IncomingPicture | null | undefined;
  /** Whether a new address counts as confirmed without a mail to it. */
  skipReconfirmation?: boolean | null | undefined;
}

/**
 * Updates a user, for administrators: unset means unchanged, null clears what can be empty. A new password must be renewed at the
 * next sign-in; the private token stays. Throws Forbidden, also for OAuth tokens that change credentials or make an
 * administrator; NotFound, Conflict, BadRequest, ValidationFailed, RateLimited, Unavailable.
 */
export async function updateUser(context: Context, id: number, changes: UserChanges): Promise<void> {
  requireAdmin(context);
  if (CREDENTIALS.some((name) => changes[name] != null) || changes.admin) requireCredentialManager(context);
  const { db, clientAddress } = context;
  const { avatar, skipReconfirmation, ...given } = changes;
  const values: UserValues = {
    ...given,
    username: changes.username === null ? '' : changes.username,
    name: changes.name === null ? '' : changes.name,
    email: changes.email === undefined ? undefined : normaliseAddress(changes.email ?? ''),
  };
  const identity = identityOf(values);
  const user = await db.user.findFirst({ where: { id, ghost: false }, select: { id: true } });
  if (!user) throw new NotFound('User');
  await refuseTaken(db, values, id);
  checkUser(values);
  const picture = avatar && (await readPicture(avatar));
  const renewed = await newPassword(values.password, clientAddress);
  try {
    await db.$transaction(async (tx) => {
      // Serializes updates of the same user, so that username and path of the namespace agree. References to the user are not
      // locked out: one of them may hold the lock on an address that is needed here.
      const [found] = await tx.$queryRaw<{ email: string; confirmed: boolean }[]>`
        SELECT email, confirmed_at IS NOT NULL AS confirmed FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
      if (!found) throw new NotFound('User');
      const before = await rowBefore(tx, 'User', id);
      if (renewed) await notify(context, tx, id, 'password_changed');
      const { email } = values;
      if (email !== undefined && email !== found.email) {
        await notify(context, tx, id, 'address_changed');
        if (!found.confirmed && !skipReconfirmation && sendsMail(db))
          await context.jobs.enqueue(tx, 'mail.send', { kind: 'confirmation', email });
      }
      await tx.user.update({ where: { id }, data: { ...profile(values), ...columns(changes, values), ...renewed } });
      if (values.username !== undefined || values.name !== undefined) await renamePersonalNamespace(tx, id);
      if (identity) await setIdentity(tx, id, identity);
      const addresses = await chosenAddresses(tx, id, values);
      const confirmedAt = email !== undefined && skipReconfirmation && !found.confirmed ? new Date() : undefined;
      await tx.user.update({ where: { id }, data: { ...addresses, ...(confirmedAt && { confirmedAt }) } });
      if (picture !== undefined) await saveAvatar(tx, id, picture);
      const event = { action: 'user_updated', place: { userId: id }, target: { type: 'User', id } } as const;
      await auditChanges(tx, context, event, before);
      if (identity) await audit(tx, context, { ...event, attribute: 'identity', to: identity.provider });
    });
  } catch (error) {
    throw takenMeanwhile(error);
  }
}

/** The fields of a user that are used to sign in. */
const CREDENTIALS = ['password', 'email', 'provider', 'externUid'] as const;

/** The columns of a password that another person knows; undefined without one. */
async function newPassword(password: string | null | undefined, address: string | null) {
  if (password == null) return undefined;
  return { passwordHash: await hashPassword(password, address), passwordExpiresAt: new Date() };
}

function columns({ admin, external, canCreateGroup, projectsLimit }: UserChanges, values: UserValues) {
  const { username, email, name, note } = values;
  return {
    ...(note === undefined ? {} : { note }),
    ...(username === undefined ? {} : { username }),
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name }),
    ...(admin == null ? {} : { admin }),
    ...(canCreateGroup == null ? {} : { canCreateGroup }),
    ...(projectsLimit == null ? {} : { projectsLimit }),
    ...(external == null ? {} : { external }),
    ...(external ? { canCreateGroup: false, projectsLimit: 0 } : {}),
  };
}

async function setIdentity(tx: Transaction, userId: number, { provider, externUid }: Record<string, string>) {
  await tx.$executeRaw`
    INSERT INTO identities (user_id, provider, extern_uid) VALUES (${userId}, ${provider}, ${externUid})
    ON CONFLICT (user_id, provider) DO UPDATE SET extern_uid = EXCLUDED.extern_uid`;
}
