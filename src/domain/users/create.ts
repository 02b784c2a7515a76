import { audit } from '#src/access/audit/record.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { takePath } from '#src/domain/namespaces/redirects.ts';
import {
  checkUser,
  chosenAddresses,
  identityOf,
  refuseTaken,
  takenMeanwhile,
  type UserValues,
  userErrors,
} from '#src/domain/users/attributes.ts';
import { saveAvatar } from '#src/domain/users/avatar.ts';
import { normaliseAddress } from '#src/domain/users/emails/address.ts';
import type { ServiceAccountKind, User, UserState } from '#src/generated/prisma/client.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { type IncomingPicture, type Picture, readPicture } from '#src/platform/pictures.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What a service account is made for. */
export interface Provision {
  serviceAccount: ServiceAccountKind;
  provisionedByGroupId?: number;
  provisionedByProjectId?: number;
}

export interface NewUser extends UserValues {
  username: string;
  email: string;
  name: string;
  /** Random when absent, or with resetPassword, so that it cannot be used before it is reset. */
  password?: string | null | undefined;
  resetPassword?: boolean | null | undefined;
  admin?: boolean | null | undefined;
  /** External users have no personal projects and create no groups. */
  external?: boolean | null | undefined;
  canCreateGroup?: boolean | null | undefined;
  /** Hash of the password, if it was hashed before. */
  passwordHash?: string;
  /** Generated when absent. */
  privateToken?: string;
  /** Whether an administrator has to approve before the user may sign in; false when absent. */
  isPending?: boolean;
  /** Whether the primary address is known to be theirs; true when absent. */
  confirmed?: boolean;
  /** The user of an access token of a project or group, or a service account. */
  bot?: boolean;
  /** What a service account is made for. */
  serviceAccount?: Provision;
  /** The user who replaces deleted ones. */
  ghost?: boolean;
  /** The administrator who creates the account. */
  createdById?: number;
  picture?: Picture | null;
}

/** The values of a new user, set by an administrator. */
export interface NewUserByAdministrator
  extends Omit<
    NewUser,
    | 'confirmed'
    | 'isPending'
    | 'ghost'
    | 'bot'
    | 'serviceAccount'
    | 'passwordHash'
    | 'privateToken'
    | 'createdById'
    | 'picture'
  > {
  /** Whether the user has to confirm the address; true when absent (rulings.md 35). */
  confirm?: boolean | null | undefined;
  skipConfirmation?: boolean | null | undefined;
  /** A password that nobody knows, as with resetPassword, but without the mail for another. */
  forceRandomPassword?: boolean | null | undefined;
  avatar?: IncomingPicture | null | undefined;
}

/**
 * Like createUser, for an administrator. If the server sends mail, the user gets a link: to choose a password if that is random,
 * else to confirm the address, unless it counts as confirmed. Throws Forbidden, also for OAuth tokens that make an administrator;
 * Conflict, BadRequest, ValidationFailed, RateLimited, Unavailable.
 */
export async function createUserAsAdministrator(
  context: Context,
  given: NewUserByAdministrator,
): Promise<{ id: number }> {
  const { id: createdById } = requireAdmin(context);
  if (given.admin) requireCredentialManager(context);
  const { confirm, skipConfirmation, forceRandomPassword, avatar, ...values } = given;
  const input = forceRandomPassword ? { ...values, password: null } : values;
  if (!input.resetPassword && !forceRandomPassword && input.password == null) {
    const blank = { password: ["can't be blank"] };
    throw new ValidationFailed(blank, { ...userErrors(input), ...blank });
  }
  const picture = avatar ? await readPicture(avatar) : null;
  const { db, jobs } = context;
  const confirmed = skipConfirmation === true || confirm === false || !sendsMail(db);
  const kind = input.resetPassword ? 'welcome' : 'confirmation';
  const { id } = await createUser(context, { ...input, confirmed, createdById, picture }, async (tx, email, userId) => {
    const target = { type: 'User', id: userId } as const;
    await audit(tx, context, { action: 'user_created', place: { userId }, target });
    if (sendsMail(db) && (input.resetPassword || !confirmed)) await jobs.enqueue(tx, 'mail.send', { kind, email });
  });
  return { id };
}

/**
 * Creates a user with the personal namespace. `also` joins the transaction; it gets the address as stored. Throws Conflict,
 * BadRequest, ValidationFailed, RateLimited, Unavailable.
 */
export async function createUser(
  { db, secret, clientAddress }: Creator,
  given: NewUser,
  also?: (tx: Transaction, email: string, id: number) => Promise<void> | undefined,
): Promise<{ id: number; privateToken: string }> {
  const random = given.resetPassword || given.password == null;
  const password = random ? newToken() : (given.password ?? '');
  const input = { ...given, email: normaliseAddress(given.email), password };
  const identity = identityOf(input);
  await refuseTaken(db, input);
  checkUser(input);
  const settings = await currentSettings(db);
  const passwordHash = input.passwordHash ?? (await hashPassword(password, clientAddress));
  const privateToken = input.privateToken ?? newToken();
  const external = input.external ?? (!input.bot && !input.ghost && settings.userDefaultExternal);
  const data = {
    ...profile(input),
    username: input.username,
    name: input.name,
    email: input.email,
    admin: input.admin ?? false,
    external,
    canCreateGroup: !external && (input.canCreateGroup ?? settings.canCreateGroup),
    projectsLimit: external ? 0 : (input.projectsLimit ?? settings.defaultProjectsLimit),
    note: input.note ?? null,
    createdById: input.createdById ?? null,
    ghost: input.ghost ?? false,
    bot: input.bot ?? false,
    ...input.serviceAccount,
    state: stateOf(input),
    passwordHash,
    passwordExpiresAt: random ? new Date() : null,
    privateTokenHash: tokenHash(privateToken),
    privateTokenEncrypted: encrypt(privateToken, secret),
    confirmedAt: (input.confirmed ?? true) ? new Date() : null,
    ...(identity ? { identities: { create: identity } } : {}),
  };
  try {
    const id = await db.$transaction(async (tx) => {
      const user = await tx.user.create({ data, select: { id: true, username: true, name: true } });
      await createNamespace(tx, user);
      const addresses = await chosenAddresses(tx, user.id, input);
      if (Object.values(addresses).some(Boolean)) await tx.user.update({ where: { id: user.id }, data: addresses });
      if (input.picture) await saveAvatar(tx, user.id, input.picture);
      await also?.(tx, input.email, user.id);
      return user.id;
    });
    return { id, privateToken };
  } catch (error) {
    throw takenMeanwhile(error);
  }
}

function stateOf({ ghost, isPending }: NewUser): UserState {
  if (ghost) return 'blocked';
  return isPending ? 'blocked_pending_approval' : 'active';
}

/** What creating a user needs; the server itself has no client address. */
type Creator = Pick<Context, 'db' | 'secret' | 'clientAddress'>;

/** The columns of the profile: null clears what can be empty and leaves the rest, undefined leaves unchanged. */
export function profile({ bio, location, organization, pronouns, ...values }: UserValues) {
  const { skype, linkedin, twitter, websiteUrl, jobTitle, discord, github } = values;
  const { privateProfile, themeId, colorSchemeId, viewDiffsFileByFile } = values;
  const texts = { skype, linkedin, twitter, websiteUrl, jobTitle, discord, github };
  return {
    ...(privateProfile == null ? {} : { privateProfile }),
    ...(themeId == null ? {} : { themeId }),
    ...(colorSchemeId == null ? {} : { colorSchemeId }),
    ...(viewDiffsFileByFile == null ? {} : { viewDiffsFileByFile }),
    ...(pronouns === undefined ? {} : { pronouns }),
    ...(bio === undefined ? {} : { bio }),
    ...(location === undefined ? {} : { location }),
    ...(organization === undefined ? {} : { organization }),
    ...Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text ?? '']])),
    ),
  };
}

async function createNamespace(tx: Transaction, { id, username, name }: Pick<User, 'id' | 'username' | 'name'>) {
  await takePath(tx, username);
  const namespace = await tx.namespace.create({
    data: { kind: 'user', name: username, path: username, fullPath: username, fullName: name, ownerId: id },
    select: { id: true },
  });
  await tx.namespace.update({ where: { id: namespace.id }, data: { lineage: [namespace.id] } });
}
