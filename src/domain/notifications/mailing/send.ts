import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { textsFor } from '#src/access/credentials/mail/recipient_texts.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { composeNotification } from '#src/domain/notifications/mailing/compose.ts';
import { factsOf } from '#src/domain/notifications/mailing/facts.ts';
import { holdThread } from '#src/domain/notifications/mailing/hold.ts';
import { incomingAddress } from '#src/domain/notifications/mailing/incoming_address.ts';
import { firstDue, isOrdered, type Thread } from '#src/domain/notifications/mailing/order.ts';
import { recipientsOf } from '#src/domain/notifications/mailing/recipients.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { UNSUBSCRIBE_PATH, unsubscribeToken } from '#src/domain/notifications/mailing/unsubscribe.ts';
import { findProjectsByIds } from '#src/domain/projects/find.ts';
import { htmlOfTexts } from '#src/domain/tracking/markdown/of_texts.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';
import { mailInPattern } from '#src/platform/outbound/mail/mail_in.ts';

/** What sending needs. */
type Sending = Outgoing & Pick<Context, 'db' | 'repositories' | 'secret'>;

/** Mail about one event to one user. */
interface Told {
  happening: Keyed;
  userId: number;
}

/** Seconds until mail that others hold up is tried again. */
const PAUSE = 2;

/**
 * Sends the mail about an event to one user: once, and only if the user still wants it and may see its record now. Mail about
 * earlier events on the same issue or merge request goes first. Throws errors of the mail server, to be retried later.
 */
export async function sendNotification({ jobs, ...sending }: Sending & { jobs: JobQueue }, told: Told): Promise<void> {
  const { db } = sending;
  const { happening, userId } = told;
  if (!(await isDue(db, told))) return;
  if (!('subject' in happening) || !(await isOrdered(db, happening))) return sendAlone(sending, told);
  const failure = await sendThread(sending, { userId, ...happening.subject }, happening.key);
  if (!(await isDue(db, told))) return;
  if (failure) throw failure.error;
  await db.$transaction((tx) => jobs.enqueue(tx, 'mail.tell', told, { after: PAUSE }));
}

/**
 * Sends what is due in a thread, in order. Does nothing while another process does that.
 *
 * @returns the first failure; null if there was none
 */
async function sendThread(sending: Sending, thread: Thread, own: string): Promise<{ error: unknown } | null> {
  const { db } = sending;
  const failed: string[] = [];
  let failure: { error: unknown } | null = null;
  // What came since the last look may have been left to this process: it looks again once it has let go.
  while (await firstDue(db, thread, own, failed)) {
    const held = await holdThread(db, thread);
    if (!held) return failure;
    try {
      for (;;) {
        const first = (await held.keep()) ? await firstDue(db, thread, own, failed) : null;
        if (!first) break;
        const { happening, isLate } = first;
        try {
          await sendAlone(sending, { happening, userId: thread.userId });
        } catch (error) {
          failure ??= { error };
          if (!isLate) return failure;
          failed.push(happening.key);
        }
      }
    } finally {
      await held.release();
    }
  }
  return failure;
}

async function isDue(db: Db, { happening: { key }, userId }: Told): Promise<boolean> {
  const delivery = await db.mailDelivery.findUnique({
    where: { key_userId: { key, userId } },
    select: { sentAt: true },
  });
  return delivery?.sentAt === null;
}

/** Sends mail, unless the user does not want it any more, and records that it is done. */
async function sendAlone(sending: Sending, { happening, userId }: Told): Promise<void> {
  await sendWanted(sending, { happening, userId });
  await sending.db.mailDelivery.updateMany({ where: { key: happening.key, userId }, data: { sentAt: new Date() } });
}

async function sendWanted(
  { db, repositories, secret, mailer, baseUrl }: Sending,
  { happening, userId }: Told,
): Promise<void> {
  const [recipient] = (await recipientsOf(db, happening, [userId])).filter((one) => one.userId === userId);
  const texts = await textsFor(db, { id: userId });
  const facts = recipient && (await factsOf(db, happening, texts));
  if (!facts) return;
  const base = await baseUrl();
  const unsubscribe =
    'subject' in happening
      ? `${base}${UNSUBSCRIBE_PATH}?token=${unsubscribeToken(secret, { userId, ...happening.subject })}`
      : null;
  const replyTo = await replyAddress(db, secret, userId, happening);
  const rendered = await renderedFor(userId, { db, repositories }, base, happening.projectId, facts.texts);
  await mailer.send(
    composeNotification(happening, recipient, facts, rendered, { baseUrl: base, unsubscribe, replyTo }, texts),
  );
}

/** Where the user can answer by mail; null for pipelines, and where the server receives no mail. */
async function replyAddress(db: Db, secret: string, userId: number, happening: Keyed): Promise<string | null> {
  if (!('subject' in happening) || mailInPattern(db) === null) return null;
  const { mailInVersion: version } = await db.user.findUniqueOrThrow({
    where: { id: userId },
    select: { mailInVersion: true },
  });
  const { subject, noteId = null } = happening;
  const kind = subject.type === 'Issue' ? 'issue' : 'mergeRequest';
  return incomingAddress(db, secret, { kind, userId, version, id: subject.id, noteId });
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
