import { type Context, requireAccount } from '#src/access/actor.ts';
import { NotFound } from '#src/errors.ts';
import type { User } from '#src/generated/prisma/client.ts';
import { decrypt } from '#src/secrets.ts';
import { type UserRow, usersByIds } from '#src/users/rows.ts';

/** A user's own record, without what only the server needs. */
export type Account = Omit<User, 'passwordHash' | 'privateTokenHash' | 'privateTokenEncrypted'> & {
  /** Only where the caller signed in with a password, or an administrator acts as the user (behaviour.md 4.5). */
  privateToken: string | null;
};

/** The record of the signed-in (or impersonated) user. */
export async function findViewer(context: Context): Promise<Account> {
  const actor = requireAccount(context);
  return findAccount(context, actor.id, actor.impersonator !== undefined);
}

/** A user's own record; the caller has made sure that it may be shown. Throws NotFound. */
export async function findAccount(context: Context, id: number, withToken: boolean): Promise<Account> {
  const user = await context.db.user.findUnique({ where: { id } });
  if (!user) throw new NotFound('User');
  const { passwordHash: _, privateTokenHash: __, privateTokenEncrypted, ...account } = user;
  return { ...account, privateToken: withToken ? decrypt(privateTokenEncrypted, context.secret) : null };
}

/** A user as everybody sees them. Throws NotFound. */
export async function findUser(context: Context, id: number): Promise<UserRow> {
  requireAccount(context);
  const [user] = await usersByIds(context.db, [id]);
  if (!user) throw new NotFound('User');
  return user;
}
