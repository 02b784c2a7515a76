import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { textsFor } from '#src/access/credentials/mail/recipient_texts.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { composeTold } from '#src/domain/notifications/mailing/compose.ts';
import { factsOf } from '#src/domain/notifications/mailing/facts.ts';
import { recipientsOf } from '#src/domain/notifications/mailing/recipients.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { UNSUBSCRIBE_PATH, unsubscribeToken } from '#src/domain/notifications/mailing/unsubscribe.ts';
import { findProjectsByIds } from '#src/domain/projects/find.ts';
import { htmlOfTexts } from '#src/domain/tracking/markdown/of_texts.ts';

/**
 * Sends the mail about an event to one user: once, and only if the user still wants it and may see its record now. Throws errors
 * of the mail server, to be retried later.
 */
export async function sendTold(
  { db, repositories, secret, mailer, baseUrl }: Outgoing & Pick<Context, 'db' | 'repositories' | 'secret'>,
  { happening, userId }: { happening: Keyed; userId: number },
): Promise<void> {
  const where = { key_userId: { key: happening.key, userId } };
  const delivery = await db.mailDelivery.findUnique({ where, select: { sentAt: true } });
  if (delivery?.sentAt !== null) return;
  const [recipient] = (await recipientsOf(db, happening, [userId])).filter((one) => one.userId === userId);
  const texts = await textsFor(db, { id: userId });
  const facts = recipient && (await factsOf(db, happening, texts));
  if (!facts) return;
  const base = await baseUrl();
  const unsubscribe =
    'subject' in happening
      ? `${base}${UNSUBSCRIBE_PATH}?token=${unsubscribeToken(secret, { userId, ...happening.subject })}`
      : null;
  const rendered = await renderedFor(userId, { db, repositories }, base, happening.projectId, facts.texts);
  await mailer.send(composeTold(happening, recipient, facts, rendered, { baseUrl: base, unsubscribe }, texts));
  await db.mailDelivery.updateMany({ where: { key: happening.key, userId }, data: { sentAt: new Date() } });
}

/** Texts as HTML with links to what the user can see, and with the texts of images: loading one would tell who reads the mail. */
async function renderedFor(
  userId: number,
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  baseUrl: string,
  projectId: number,
  texts: readonly string[],
): Promise<string[]> {
  const context = { db, repositories, actor: await activeUser(db, userId), clientAddress: null };
  const wanted = texts.map((text) => ({ text, projectId, flavour: 'gfm' as const }));
  const findProject = async (id: number) => (await findProjectsByIds(context, [id]))[0] ?? null;
  return htmlOfTexts(context, baseUrl, wanted, findProject, { images: false });
}
