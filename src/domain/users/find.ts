import { accountReaderOf, type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { NotFound, Unauthenticated } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';
import { readRow, readRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';
import '#src/domain/users/computed_fields.ts';
import { profileVisible } from '#src/domain/users/private_profile.ts';

const user = alias('User', 'u');

/** Additional fields for users who see their own account, even while the caller is only signing in. */
export interface OwnAccount {
  isOwn: true;
  /** Only if the caller signed in with a password, or an administrator acts as the user by `sudo` (behaviour.md 4.5). */
  privateToken?: string;
}

/** The record of the signed-in (or impersonated) user. */
export async function findViewer<R>(context: Context, selection: Selection<'User', R>): Promise<R & OwnAccount> {
  const { id, impersonator, credential } = requireAccount(context);
  // A session in which somebody acts as the user gives nothing that lasts longer than itself.
  const isSudo = impersonator !== undefined && credential !== 'session';
  return findAccount(context, id, isSudo ? { withToken: {} } : {}, selection);
}

/**
 * A user's own record as the user sees it; the caller must have checked access. With `withToken` it includes the private token,
 * if the password is the given one and sufficient by itself. Throws NotFound, and Unauthenticated if it is not.
 */
export async function findAccount<R>(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  id: number,
  { withToken }: { withToken?: { passwordHash?: string } },
  selection: Selection<'User', R>,
): Promise<R & OwnAccount> {
  const found = await userById(db, id, selection);
  if (!found) throw new NotFound('User');
  const own = { ...found, isOwn: true } as const;
  if (!withToken) return own;
  const { passwordHash } = withToken;
  const holder = await db.user.findFirst({
    where: { id, ...(passwordHash === undefined ? {} : { passwordHash, twoFactorEnabled: false }) },
    select: { privateTokenEncrypted: true },
  });
  if (!holder) throw new Unauthenticated();
  return { ...own, privateToken: decrypt(holder.privateTokenEncrypted, secret) };
}

/** A user; for visitors without an account those whose profile is not private. Throws NotFound. */
export async function findUser<R>(context: Context, id: number, selection: Selection<'User', R>): Promise<R> {
  const [found] = await findUsersByIds(context, [id], selection);
  if (!found) throw new NotFound('User');
  return found;
}

/** Like findUser, by the username, ignoring case. Throws NotFound. */
export async function findUserByName<R>(
  context: Context,
  username: string,
  selection: Selection<'User', R>,
): Promise<R> {
  const seen = profileVisible(accountReaderOf(context), user);
  const where = Prisma.sql`lower(${user.username}) = lower(${username}) AND ${seen}`;
  const found = await readRow(context.db, selection, { rows: user, where });
  if (!found) throw new NotFound('User');
  return found;
}

/** Like findUser, for several, in no particular order. */
export async function findUsersByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'User', R>,
): Promise<R[]> {
  const seen = profileVisible(accountReaderOf(context), user);
  const where = Prisma.sql`${user.id} = ANY(${[...ids]}::int[]) AND ${seen}`;
  return readRows(context.db, selection, { rows: user, where });
}

/** The user with that ID, without permission checks; undefined if there is none. */
export function userById<R>(
  db: Pick<Db, '$queryRaw'>,
  id: number,
  selection: Selection<'User', R>,
): Promise<R | undefined> {
  return readRow(db, selection, { rows: user, where: Prisma.sql`${user.id} = ${id}` });
}
