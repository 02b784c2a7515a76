import { notify } from '#src/access/credentials/mail/notify.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { removeUser } from '#src/domain/lifecycle/delete_user.ts';
import { ghostId } from '#src/domain/users/ghost.ts';
import { NotFound, WrongState } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/**
 * Deletes the account of a user who signed up and waits for approval, and tells them by mail. For administrators. Throws Forbidden,
 * NotFound, and Conflict for users who do not wait.
 */
export async function rejectUser(context: Context & ChangeContext, id: number): Promise<void> {
  requireAdmin(context);
  const { db, secret } = context;
  const ghost = await ghostId(db, secret);
  await db.$transaction(async (tx) => {
    const [user] = await tx.$queryRaw<{ state: string }[]>`
      SELECT state::text FROM users WHERE id = ${id} AND NOT ghost FOR NO KEY UPDATE`;
    if (!user) throw new NotFound('User');
    if (user.state !== 'blocked_pending_approval')
      throw new WrongState('User does not have a pending request', user.state);
    // From here on nobody else approves or rejects.
    await tx.user.update({ where: { id }, data: { state: 'blocked' } });
    await notify(context, tx, id, 'account_rejected');
  });
  await removeUser(context, { id, ghost }, select('User', { id: true }));
}
