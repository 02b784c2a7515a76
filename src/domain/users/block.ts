import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { type Auditing, BY_SERVER } from '#src/access/audit/record.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import type { UserState } from '#src/generated/prisma/client.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

/**
 * Blocks a user, for administrators: none of the user's credentials work from now on. Returns false if already blocked. Throws
 * Forbidden for the actor's own account and for users controlled by directory synchronization, NotFound.
 */
export async function blockUser(context: Context, id: number): Promise<boolean> {
  const actor = requireAdmin(context);
  if (id === actor.id) throw new Forbidden('Administrators cannot block themselves');
  if (await change(context, id, ['active', 'deactivated', 'blocked_pending_approval'], 'blocked')) return true;
  await refuseDirectory(context.db, id, 'LDAP blocked users cannot be modified by the API');
  return false;
}

/**
 * Unblocks a user, for administrators; those who are banned or wait for approval, too. Returns false if not blocked. Throws as
 * blockUser, and Forbidden for deactivated users.
 */
export async function unblockUser(context: Context, id: number): Promise<boolean> {
  requireAdmin(context);
  if (await change(context, id, ['blocked', 'banned', 'blocked_pending_approval'], 'active')) return true;
  const state = await refuseDirectory(context.db, id, 'LDAP blocked users cannot be unblocked by the API');
  if (state === 'deactivated')
    throw new Forbidden('Deactivated users cannot be unblocked by the API').asWrongState(state);
  return false;
}

/** Whether the user was in one of those states, and is in the other one now. */
function change(
  context: Pick<Context, 'db'> & Auditing,
  id: number,
  from: UserState[],
  state: UserState,
): Promise<boolean> {
  return context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'User', id);
    const { count } = await tx.user.updateMany({ where: { id, ghost: false, state: { in: from } }, data: { state } });
    const target = { type: 'User', id } as const;
    await auditChanges(tx, context, { action: 'user_state_changed', place: { userId: id }, target }, before);
    return count > 0;
  });
}

/** The state of the user, if it is not that of directory synchronization. */
async function refuseDirectory(db: Db, id: number, reason: string): Promise<string> {
  const user = await db.user.findFirst({ where: { id, ghost: false }, select: { state: true } });
  if (!user) throw new NotFound('User');
  if (user.state === 'ldap_blocked') throw new Forbidden(reason).asWrongState(user.state);
  return user.state;
}

/** Options of blocking on the command line. */
export interface BlockingByCommandLine {
  username: string;
  /** On behalf of directory synchronization, which only undoes its own blocks. The API undoes none of those. */
  directory: boolean;
}

/** Implements `gantry user block`; returns whether anything changed. A block by an administrator stays one. Throws NotFound. */
export async function blockFromCommandLine(db: Db, { username, directory }: BlockingByCommandLine): Promise<boolean> {
  return setState(db, username, ['active', 'deactivated'], directory ? 'ldap_blocked' : 'blocked');
}

/** Implements `gantry user unblock`; returns whether anything changed. Throws NotFound. */
export async function unblockFromCommandLine(db: Db, { username, directory }: BlockingByCommandLine): Promise<boolean> {
  return setState(db, username, directory ? ['ldap_blocked'] : ANY_BLOCK, 'active');
}

const ANY_BLOCK: UserState[] = ['blocked', 'ldap_blocked', 'banned', 'blocked_pending_approval', 'deactivated'];

async function setState(db: Db, username: string, from: UserState[], state: UserState): Promise<boolean> {
  const [user] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE lower(username) = lower(${username}) AND NOT ghost`;
  if (!user) throw new NotFound('User', `There is no user ${username}.`);
  return change({ db, ...BY_SERVER }, user.id, from, state);
}
