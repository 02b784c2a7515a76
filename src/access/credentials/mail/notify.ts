import type { Notice } from '#src/access/credentials/mail/wanted.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

/**
 * Notifies a user by mail of a change to how they sign in, in the same transaction, so that users learn of changes that they did not
 * make. Does nothing if the server does not send mail. The address is the one before the change.
 */
export async function notify(
  { db, jobs }: Pick<Context, 'db' | 'jobs'>,
  tx: Transaction,
  userId: number,
  kind: Notice,
): Promise<void> {
  if (!sendsMail(db)) return;
  const user = await tx.user.findUnique({ where: { id: userId }, select: { email: true, username: true } });
  if (user) await jobs.enqueue(tx, 'mail.send', { kind, ...user });
}
