import { accountReaderOf, type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { activityVisible } from '#src/domain/users/private_profile.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const user = alias('User', 'fu');

/** Users that one user can follow. */
export const MAX_FOLLOWED_USERS = 300;

/** Follows a user, or no longer. Returns false if that is the case already. Throws NotFound, BadRequest above the limit. */
export async function followUser(context: Context, userId: number, follows: boolean): Promise<boolean> {
  const { id } = requireAccount(context);
  const found = await context.db.user.findFirst({ where: { id: userId, ghost: false }, select: { id: true } });
  if (!found) throw new NotFound('User');
  // Nobody follows themself.
  if (userId === id) return false;
  const changed = await context.db.$transaction(async (tx) => {
    if (!follows) {
      return (await tx.userFollow.deleteMany({ where: { followerId: id, followedId: userId } })).count;
    }
    // One at a time of each follower, so that the limit holds.
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
    const created = await tx.$executeRaw`
      INSERT INTO user_follows (follower_id, followed_id) VALUES (${id}, ${userId}) ON CONFLICT DO NOTHING`;
    if (created > 0 && (await tx.userFollow.count({ where: { followerId: id } })) > MAX_FOLLOWED_USERS) {
      throw new BadRequest(`You can follow ${MAX_FOLLOWED_USERS} users at most`).as('limitReached');
    }
    return created;
  });
  return changed > 0;
}

/** Whether the caller follows these users, in their order. */
export async function followsThem(context: Context, userIds: readonly number[]): Promise<boolean[]> {
  const reader = accountReaderOf(context);
  if (!reader) return userIds.map(() => false);
  const rows = await context.db.userFollow.findMany({
    where: { followerId: reader.id, followedId: { in: [...userIds] } },
    select: { followedId: true },
  });
  const followed = new Set(rows.map(({ followedId }) => followedId));
  return userIds.map((one) => followed.has(one));
}

/**
 * The users who follow each user, or whom each follows, by ID, the newest first, in one statement; none for a private profile.
 * Throws InsufficientScope.
 */
export function listFollows<R>(
  context: Context,
  userIds: readonly number[],
  which: 'followers' | 'following',
  page: PageRequest,
  selection: Selection<'User', R>,
): Promise<Page<R>[]> {
  const actor = accountReaderOf(context);
  const pageOf = ({ user: parent }: Asked<{ user: number }>) => {
    const of =
      which === 'followers'
        ? sql`SELECT uf.follower_id FROM user_follows uf WHERE uf.followed_id = ${parent}`
        : sql`SELECT uf.followed_id FROM user_follows uf WHERE uf.follower_id = ${parent}`;
    const where = all([sql`${user.id} IN (${of})`, activityVisible(actor, sql`${parent}`)]);
    return pageOfRows(selection, { rows: user, where, order: order('User', ['id'], 'desc') }, page);
  };
  const parents = userIds.map((id) => ({ user: id }));
  return readPages(context.db, page, perParent(parents, { user: 'int' }, pageOf));
}
