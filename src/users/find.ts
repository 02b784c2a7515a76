import { type Context, requireAccount } from '#src/access/actor.ts';
import { NotFound, Unauthenticated } from '#src/platform/errors.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { detailedUser, detailsByIds, type UserDetails, type UserRow } from '#src/users/rows.ts';

/** The record of the signed-in (or impersonated) user. */
export async function findViewer(context: Context): Promise<UserRow> {
  const actor = requireAccount(context);
  return findAccount(context, actor.id, actor.impersonator === undefined ? {} : { withToken: {} });
}

/**
 * A user's own record as the user sees it; the caller has made sure that it may be shown. With `withToken` it has the private
 * token, if the password is the named one and enough by itself. Throws NotFound, and Unauthenticated when it is not.
 */
export async function findAccount(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  id: number,
  { withToken }: { withToken?: { passwordHash?: string } },
): Promise<UserRow> {
  const user = await detailedUser(db, id, { id, admin: false });
  if (!user) throw new NotFound('User');
  if (!withToken) return user;
  const { passwordHash } = withToken;
  const found = await db.user.findFirst({
    where: { id, ...(passwordHash === undefined ? {} : { passwordHash, twoFactorEnabled: false }) },
    select: { privateTokenEncrypted: true },
  });
  if (!found) throw new Unauthenticated();
  return { ...user, privateToken: decrypt(found.privateTokenEncrypted, secret) };
}

/** A user with what the actor may see. Throws NotFound. */
export async function findUser(context: Context, id: number): Promise<UserRow> {
  const actor = requireAccount(context);
  const user = await detailedUser(context.db, id, actor);
  if (!user) throw new NotFound('User');
  return user;
}

/** Details by ID as far as the actor may see them, for dataloaders: an error in the place of who is not there. */
export async function findDetails(context: Context, ids: readonly number[]): Promise<(UserDetails | NotFound)[]> {
  const actor = requireAccount(context);
  const found = new Map((await detailsByIds(context.db, ids, actor)).map((details) => [details.id, details]));
  return ids.map((id) => found.get(id) ?? new NotFound('User'));
}
