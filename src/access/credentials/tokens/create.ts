import { findToken, type TokenRow } from '#src/access/credentials/tokens/list.ts';
import { chooseAccount } from '#src/access/permissions/account.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import type { Db } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { newToken, tokenHash } from '#src/platform/secrets.ts';

/** What a personal access token may be limited to (behaviour.md 4.2). */
export const SCOPES = [
  'api',
  'read_api',
  'read_user',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_metrics',
] as const;

export type TokenScope = (typeof SCOPES)[number];

export interface NewToken {
  /** The purpose of the token, chosen by the user. */
  name: string;
  scopes: readonly string[];
  /** The token is inactive from this day (UTC) on; it never expires when absent. YYYY-MM-DD. */
  expiresAt?: string | null | undefined;
}

/**
 * Creates a personal access token for the actor, whose credential must have full and lasting access: a token never creates one
 * with more access than itself. Throws InsufficientScope, Forbidden, ValidationFailed.
 */
export async function createPersonalAccessToken(context: Context, input: NewToken): Promise<TokenRow> {
  const { id } = requireCredentialManager(context);
  return create(context, id, input, false);
}

/** Creates a token for impersonating a user, for administrators. Throws Forbidden, NotFound, ValidationFailed. */
export async function createImpersonationToken(context: Context, userId: number, input: NewToken): Promise<TokenRow> {
  requireAdmin(context);
  return create(context, await chooseAccount(context, userId), input, true);
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
  checkToken({ name, scopes });
  const values = { name, scopes, expiresAt };
  const { token } = await insert(db, await userNamed(db, user), values, false, input.token);
  return { token };
}

/** For the command line: the ID of the user with that name, ignoring case. Throws NotFound. */
export async function userNamed(db: Db, username: string): Promise<number> {
  const [user] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE lower(username) = lower(${username}) AND NOT ghost`;
  if (!user) throw new NotFound('User', `There is no user ${username}.`);
  return user.id;
}

async function create(context: Context, userId: number, input: NewToken, impersonation: boolean): Promise<TokenRow> {
  checkToken(input);
  const { id, token } = await insert(context.db, userId, input, impersonation);
  return { ...(await findToken(context, userId, id, impersonation)), token };
}

function checkToken({ name, scopes, expiresAt }: NewToken): void {
  const errors: FieldErrors = {};
  if (name.trim() === '') errors.name = ["can't be blank"];
  else if (name.length > 255) errors.name = ['is too long (maximum is 255 characters)'];
  else if (name.includes('\0')) errors.name = ['is invalid'];
  if (scopes.length === 0) errors.scopes = ["can't be blank"];
  else if (!scopes.every((scope) => (SCOPES as readonly string[]).includes(scope))) {
    errors.scopes = ['can only contain API scopes'];
  }
  if (expiresAt != null && !isDay(expiresAt)) errors.expires_at = ['is invalid'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

async function insert(
  db: Db,
  userId: number,
  { name, scopes, expiresAt }: NewToken,
  impersonation: boolean,
  token = newToken('gpat-'),
) {
  const { id } = await db.personalAccessToken.create({
    data: {
      userId,
      name: name.trim(),
      impersonation,
      scopes: [...new Set(scopes)],
      expiresAt: expiresAt == null ? null : new Date(`${expiresAt}T00:00:00Z`),
      tokenHash: tokenHash(token),
    },
    select: { id: true },
  });
  return { id, token };
}
