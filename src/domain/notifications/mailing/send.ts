import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { composeTold } from '#src/domain/notifications/mailing/compose.ts';
import { factsOf } from '#src/domain/notifications/mailing/facts.ts';
import { recipientsOf } from '#src/domain/notifications/mailing/recipients.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { UNSUBSCRIBE_PATH, unsubscribeToken } from '#src/domain/notifications/mailing/unsubscribe.ts';
import type { Db } from '#src/platform/database/db.ts';

/**
 * Sends the mail about an event to one user: once, and only if the user still wants it and may see its record now. Throws errors
 * of the mail server, to be retried later.
 */
export async function sendTold(
  { db, secret, mailer, baseUrl }: Outgoing & { db: Db; secret: string },
  { happening, userId }: { happening: Keyed; userId: number },
): Promise<void> {
  const where = { key_userId: { key: happening.key, userId } };
  const delivery = await db.mailDelivery.findUnique({ where, select: { sentAt: true } });
  if (delivery?.sentAt !== null) return;
  const [recipient] = (await recipientsOf(db, happening, [userId])).filter((one) => one.userId === userId);
  const facts = recipient && (await factsOf(db, happening));
  if (!facts) return;
  const base = await baseUrl();
  const unsubscribe =
    'subject' in happening
      ? `${base}${UNSUBSCRIBE_PATH}?token=${unsubscribeToken(secret, { userId, ...happening.subject })}`
      : null;
  await mailer.send(composeTold(happening, recipient, facts, { baseUrl: base, unsubscribe }));
  await db.mailDelivery.updateMany({ where: { key: happening.key, userId }, data: { sentAt: new Date() } });
}
