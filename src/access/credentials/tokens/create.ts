import { audit } from '#src/access/audit/record.ts';
import { findTokenOf, type MadeToken } from '#src/access/credentials/tokens/list.ts';
import { chooseAccount } from '#src/access/permissions/account.ts';
import { type Actor, type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { TOKEN_SCOPES, tokenScopesOf } from '#src/access/permissions/scopes.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { newToken, tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface NewToken {
  /** The purpose of the token, chosen by the user. */
  name: string;
  description?: string | null | undefined;
  scopes: readonly string[];
  /** The token is inactive from this day (UTC) on; it never expires when absent. YYYY-MM-DD. */
  expiresAt?: string | null | undefined;
}

const MAX_NAME_LENGTH = 255;
const TOO_LONG = `is too long (maximum is ${MAX_NAME_LENGTH} characters)`;

/**
 * Creates a personal access token for the actor, whose credential must have full and lasting access: a token never creates one
 * with more access than itself. Throws InsufficientScope, Forbidden, ValidationFailed.
 */
export async function createPersonalAccessToken<R>(
  context: Context,
  input: NewToken,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const actor = requireCredentialManager(context);
  return create(context, actor, input, false, selection);
}

/** Creates a token of another user, for administrators. Throws Forbidden, NotFound, ValidationFailed. */
export async function createTokenOfUser<R>(
  context: Context,
  userId: number,
  input: NewToken,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  requireAdmin(context);
  return create(context, await userOf(context, userId), input, false, selection);
}

/** Creates a token for impersonating a user, for administrators. Throws Forbidden, NotFound, ValidationFailed. */
export async function createImpersonationToken<R>(
  context: Context,
  userId: number,
  input: NewToken,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  requireAdmin(context);
  return create(context, await userOf(context, userId), input, true, selection);
}

async function userOf(context: Context, userId: number): Promise<Pick<Actor, 'id' | 'admin'>> {
  const id = await chooseAccount(context, userId);
  const user = await context.db.user.findUnique({ where: { id }, select: { id: true, admin: true } });
  if (!user) throw new NotFound('User');
  return user;
}

export interface NewTokenOfCommand {
  /** Username. */
  user: string;
  name?: string | undefined;
  scopes: string[];
  expiresAt?: Date | undefined;
  /** The token itself; random when absent, which is required where others can reach the server. */
  token?: string | undefined;
}

/** Implements `gantry token create`: the token is shown once, only its hash is stored. Throws NotFound, ValidationFailed. */
export async function createTokenFromCommandLine(db: Db, input: NewTokenOfCommand): Promise<{ token: string }> {
  const expiresAt = input.expiresAt?.toISOString().slice(0, 10);
  const { name = 'Command line', scopes, user } = input;
  const values = { name, scopes, expiresAt };
  checkToken(values, TOKEN_SCOPES);
  const { token } = await insertToken(
    db,
    { userId: await userNamed(db, user), impersonation: false },
    values,
    input.token,
  );
  return { token };
}

/** For the command line: the ID of the user with that name, ignoring case. Throws NotFound. */
export async function userNamed(db: Db, username: string): Promise<number> {
  const [user] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE lower(username) = lower(${username}) AND NOT ghost`;
  if (!user) throw new NotFound('User', `There is no user ${username}.`);
  return user.id;
}

async function create<R>(
  context: Context,
  user: Pick<Actor, 'id' | 'admin'>,
  input: NewToken,
  impersonation: boolean,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  await requireExpiry(context.db, input.expiresAt);
  checkToken(input, tokenScopesOf(user));
  const { id, token } = await context.db.$transaction(async (tx) => {
    const createdById = impersonation ? (context.actor?.id ?? null) : null;
    const made = await insertToken(tx, { userId: user.id, impersonation, createdById }, input);
    const action = impersonation ? 'impersonation_token_created' : 'access_token_created';
    const target = { type: 'AccessToken', id: made.id, name: input.name.trim() } as const;
    await audit(tx, context, { action, place: { userId: user.id }, target });
    return made;
  });
  return { ...(await findTokenOf(context, user.id, id, impersonation, selection)), token };
}

/** Throws ValidationFailed for a token without an end where the settings require one. */
export async function requireExpiry(db: Db, expiresAt: string | null | undefined): Promise<void> {
  const { requirePersonalAccessTokenExpiry } = await currentSettings(db);
  if (requirePersonalAccessTokenExpiry && expiresAt == null) {
    throw new ValidationFailed({ expires_at: ["can't be blank"] });
  }
}

function checkToken(input: NewToken, allowed: readonly string[]): void {
  const errors = tokenErrors(input, allowed);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** What is wrong with the values of a new token. */
export function tokenErrors(
  { name, description, scopes, expiresAt }: NewToken,
  allowed: readonly string[],
): FieldErrors {
  const errors: FieldErrors = {};
  if (name.trim() === '') errors.name = ["can't be blank"];
  else if (name.length > MAX_NAME_LENGTH) errors.name = [TOO_LONG];
  else if (name.includes('\0')) errors.name = ['is invalid'];
  if (description && description.length > MAX_NAME_LENGTH) errors.description = [TOO_LONG];
  if (scopes.length === 0) errors.scopes = ["can't be blank"];
  else if (!scopes.every((scope) => allowed.includes(scope))) errors.scopes = ['can only contain API scopes'];
  const wrongDay = expiresAt == null ? null : expiryError(expiresAt);
  if (wrongDay) errors.expires_at = [wrongDay];
  return errors;
}

/** What is wrong with the day on which a token is to expire; null if nothing is. Today's is no error: such a token is inactive at once. */
export function expiryError(day: string): string | null {
  const date = new Date(`${day}T00:00:00Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
  if (!isDay) return 'is invalid';
  return day < today() ? 'must be in the future' : null;
}

/** The day in UTC, a number of days from now: YYYY-MM-DD. */
export function today(later = 0): string {
  return new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
}

/** Whose a token is, what kind it is, and which tokens it takes the place of. */
export interface TokenPlace {
  userId: number;
  impersonation: boolean;
  /** The administrator who made it, for impersonation. */
  createdById?: number | null;
  /** The project, or group, that it is for, if the user is a bot. */
  projectId?: number | null;
  namespaceId?: number | null;
  /** The first of the tokens that each took the place of the one before; absent for a first one. */
  familyId?: number;
}

/** Stores a new token by its hash. */
export async function insertToken(
  db: Db | Transaction,
  place: TokenPlace,
  { name, description, scopes, expiresAt }: NewToken,
  given?: string,
): Promise<{ id: number; token: string }> {
  const token = given ?? newToken((await currentSettings(db as Db)).personalAccessTokenPrefix);
  const { id } = await db.personalAccessToken.create({
    data: {
      ...place,
      name: name.trim(),
      description: description || null,
      scopes: [...new Set(scopes)],
      expiresAt: expiresAt == null ? null : new Date(`${expiresAt}T00:00:00Z`),
      tokenHash: tokenHash(token),
    },
    select: { id: true },
  });
  return { id, token };
}
