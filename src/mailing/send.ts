import type { Outgoing } from '#src/access/mail/deliver.ts';
import { composeTold } from '#src/mailing/compose.ts';
import { factsOf } from '#src/mailing/facts.ts';
import { recipientsOf } from '#src/mailing/recipients.ts';
import { UNSUBSCRIBE_PATH, unsubscribeToken } from '#src/mailing/unsubscribe.ts';
import type { Keyed } from '#src/mailing/want.ts';
import type { Db } from '#src/platform/db.ts';

/**
 * Sends the mail about what happened to one user: once, and only if the user still wants it and may see what it is about at this
 * moment. Throws what the mail server says against it, to be tried again later.
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
