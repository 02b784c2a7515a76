import { passwordErrors } from '#src/access/sign_in/password_errors.ts';
import { normalExternUid } from '#src/access/sign_in/providers/distinguished_name.ts';
import { groupPathErrors } from '#src/domain/namespaces/group_path.ts';
import { isAddress } from '#src/domain/users/emails/address.ts';
import { type Db, violates } from '#src/platform/database/db.ts';
import { AlreadyExists, BadRequest, type Existing, type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { isWebUrl } from '#src/platform/web_url.ts';

/** The public profile of users, at most 255 characters each. Null clears. */
export interface Profile {
  bio?: string | null | undefined;
  location?: string | null | undefined;
  skype?: string | null | undefined;
  linkedin?: string | null | undefined;
  twitter?: string | null | undefined;
  websiteUrl?: string | null | undefined;
  organization?: string | null | undefined;
  /** One of the user's confirmed addresses; null for none. */
  publicEmail?: string | null | undefined;
  /** One of the user's confirmed addresses for commits over the web and the API; null for the primary one. */
  commitEmail?: string | null | undefined;
  pronouns?: string | null | undefined;
  jobTitle?: string | null | undefined;
  discord?: string | null | undefined;
  github?: string | null | undefined;
  /** Whether others see nothing of the profile and of what the user does. */
  privateProfile?: boolean | null | undefined;
  /** Numbers of colours: of pages from 1 to 11, of code from 1 to 6. */
  themeId?: number | null | undefined;
  colorSchemeId?: number | null | undefined;
  viewDiffsFileByFile?: boolean | null | undefined;
}

/** Values of a user, at creation and later. */
export interface UserValues extends Profile {
  username?: string | undefined;
  email?: string | undefined;
  name?: string | undefined;
  password?: string | null | undefined;
  projectsLimit?: number | null | undefined;
  /** What administrators remember of the user. */
  note?: string | null | undefined;
  /** Name of an external identity provider, and the user's ID there: both or neither. */
  provider?: string | null | undefined;
  externUid?: string | null | undefined;
}

const TEXTS = {
  bio: 'bio',
  location: 'location',
  skype: 'skype',
  linkedin: 'linkedin',
  twitter: 'twitter',
  websiteUrl: 'website_url',
  organization: 'organization',
  publicEmail: 'public_email',
  commitEmail: 'commit_email',
  pronouns: 'pronouns',
  jobTitle: 'job_title',
  discord: 'discord',
  github: 'github',
  provider: 'provider',
  externUid: 'extern_uid',
} as const;

/** Rejects invalid values; undefined ones are not checked. Throws ValidationFailed. */
export function checkUser(values: UserValues): void {
  const errors = userErrors(values);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** The errors of the values, by field; undefined ones are not checked. */
export function userErrors(values: UserValues): FieldErrors {
  const { username, email, name, password, projectsLimit } = values;
  const errors: FieldErrors = {};
  if (email !== undefined && !isAddress(email)) errors.email = ['is invalid'];
  if (name !== undefined) set(errors, 'name', nameErrors(name));
  if (username !== undefined) set(errors, 'username', username === '' ? ["can't be blank"] : groupPathErrors(username));
  if (password != null) set(errors, 'password', passwordErrors(password));
  if (projectsLimit != null && projectsLimit < 0) errors.projects_limit = ['must be greater than or equal to 0'];
  for (const [name, field] of Object.entries(TEXTS)) {
    const text = values[name as keyof typeof TEXTS] ?? '';
    if (text.length > 255) errors[field] = ['is too long (maximum is 255 characters)'];
    else if (text.includes('\0')) errors[field] = ['is invalid'];
  }
  const { note, themeId, colorSchemeId } = values;
  if (note != null && note.length > MAX_NOTE_LENGTH)
    errors.note = [`is too long (maximum is ${MAX_NOTE_LENGTH} characters)`];
  else if (note?.includes('\0')) errors.note = ['is invalid'];
  if (themeId != null && !(themeId >= 1 && themeId <= THEMES)) errors.theme_id = ['is not included in the list'];
  if (colorSchemeId != null && !(colorSchemeId >= 1 && colorSchemeId <= SCHEMES)) {
    errors.color_scheme_id = ['is not included in the list'];
  }
  const { websiteUrl } = values;
  if (websiteUrl && !errors.website_url && !isWebUrl(websiteUrl)) {
    errors.website_url = ['must be a URL that begins with http:// or https://'];
  }
  return errors;
}

const [THEMES, SCHEMES, MAX_NOTE_LENGTH] = [11, 6, 10_000];

/**
 * The addresses that the user chose for everyone to know, and for commits, as they are stored: null for none, absent unless they
 * change. Throws ValidationFailed for one that the user has not confirmed.
 */
export async function chosenAddresses(
  tx: Pick<Db, '$queryRaw'>,
  userId: number,
  { publicEmail, commitEmail }: Profile,
): Promise<{ publicEmail?: string | null; commitEmail?: string | null }> {
  return {
    ...(publicEmail === undefined ? {} : { publicEmail: await ownAddress(tx, userId, publicEmail, 'public_email') }),
    ...(commitEmail === undefined ? {} : { commitEmail: await ownAddress(tx, userId, commitEmail, 'commit_email') }),
  };
}

async function ownAddress(
  tx: Pick<Db, '$queryRaw'>,
  userId: number,
  given: string | null,
  field: string,
): Promise<string | null> {
  const email = given?.trim().toLowerCase() ?? '';
  if (email === '') return null;
  const [own] = await tx.$queryRaw<object[]>`
    SELECT id FROM users WHERE id = ${userId} AND lower(email) = ${email} AND confirmed_at IS NOT NULL
    UNION ALL SELECT id FROM emails WHERE user_id = ${userId} AND lower(email) = ${email} AND confirmed_at IS NOT NULL`;
  if (!own) throw new ValidationFailed({ [field]: ['is not an email you own'] });
  return email;
}

const TAKEN = 'has already been taken';

/** The external identity in the values; null without one. Throws BadRequest if half of it is missing. */
export function identityOf({ provider, externUid }: UserValues): { provider: string; externUid: string } | null {
  if (Boolean(provider) !== Boolean(externUid)) {
    throw new BadRequest(
      'An identity provider and the ID of the user there must be given together',
      provider ? 'extern_uid' : 'provider',
      'incompleteIdentity',
    );
  }
  return provider && externUid ? { provider, externUid: normalExternUid(provider, externUid) } : null;
}

/** Rejects an address or username of another user, the address first (behaviour.md 1.4). Throws Conflict. */
export async function refuseTaken(db: Pick<Db, '$queryRaw'>, values: UserValues, userId = 0): Promise<void> {
  const all = await takenErrors(db, values, userId);
  const existing = all.username ? await userNamed(db, values.username ?? '', userId) : null;
  if (all.email) throw new AlreadyExists('Email has already been taken', existing, all);
  if (all.username) throw new AlreadyExists('Username has already been taken', existing, all);
}

/** The other user who has the username. Whose an address is nobody is told. */
async function userNamed(db: Pick<Db, '$queryRaw'>, username: string, userId: number): Promise<Existing | null> {
  const [user] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE lower(username) = lower(${username}) AND id <> ${userId}`;
  return user ? { type: 'User', where: { id: user.id } } : null;
}

/** Which of address and username are taken, by field. */
export async function takenErrors(
  db: Pick<Db, '$queryRaw'>,
  { email, username }: UserValues,
  userId = 0,
): Promise<FieldErrors> {
  const [taken] = await db.$queryRaw<[{ email: boolean; username: boolean }]>`
    SELECT EXISTS (SELECT 1 FROM users WHERE lower(email) = lower(${email ?? ''}) AND id <> ${userId})
      OR EXISTS (SELECT 1 FROM emails WHERE lower(email) = lower(${email ?? ''})) AS email,
      EXISTS (SELECT 1 FROM users WHERE lower(username) = lower(${username ?? ''}) AND id <> ${userId})
      OR EXISTS (SELECT 1 FROM namespaces WHERE lower(full_path) = lower(${username ?? ''}) AND deleted_at IS NULL
        AND owner_id IS DISTINCT FROM ${userId}) AS username`;
  const all: FieldErrors = {};
  for (const field of ['email', 'username'] as const) if (taken[field]) all[field] = [TAKEN];
  return all;
}

/** The error if another request has taken a value in the meantime; other errors unchanged. */
export function takenMeanwhile(error: unknown): unknown {
  if (!violates(error)) return error;
  if (violates(error, 'users_email_lower'))
    return new AlreadyExists('Email has already been taken', null, { email: [TAKEN] });
  if (violates(error, 'identities')) return new ValidationFailed({ extern_uid: [TAKEN] }).asExisting();
  if (violates(error, 'users_username_lower') || violates(error, 'namespaces_full_path_lower')) {
    return new AlreadyExists('Username has already been taken', null, { username: [TAKEN] });
  }
  return error;
}

function nameErrors(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  if (name.length > 255) return ['is too long (maximum is 255 characters)'];
  return /\p{Cc}/u.test(name) ? ['is invalid'] : [];
}

function set(errors: FieldErrors, field: string, messages: string[]): void {
  if (messages.length > 0) errors[field] = messages;
}
