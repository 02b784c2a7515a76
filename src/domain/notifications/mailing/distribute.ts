import { recipientsFound } from '#src/domain/notifications/mailing/order.ts';
import { type Recipient, recipientsOf } from '#src/domain/notifications/mailing/recipients.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { tellParticipants } from '#src/domain/notifications/mailing/tell_participants.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Recipients per transaction. */
const BATCH_SIZE = 100;

/** Days for which deliveries and events are remembered: longer than any job is retried. */
const KEPT = 7;

/** Enqueues a job for each recipient of mail about an event, with or without an account. When repeated, skips those who have one. */
export async function findRecipients(
  { db, jobs }: { db: Db; jobs: JobQueue },
  happenings: readonly Keyed[],
): Promise<void> {
  for (const happening of happenings) {
    const recipients = await recipientsOf(db, happening);
    for (let at = 0; at < recipients.length; at += BATCH_SIZE) {
      await leave({ db, jobs }, happening, recipients.slice(at, at + BATCH_SIZE));
    }
    await tellParticipants({ db, jobs }, happening);
    await recipientsFound(db, happening);
  }
}

async function leave(
  { db, jobs }: { db: Db; jobs: JobQueue },
  happening: Keyed,
  recipients: readonly Recipient[],
): Promise<void> {
  const data = recipients.map(({ userId }) => ({ key: happening.key, userId }));
  await db.$transaction(
    async (tx) => {
      const added = await tx.mailDelivery.createManyAndReturn({ data, skipDuplicates: true, select: { userId: true } });
      for (const { userId } of added) await jobs.enqueue(tx, 'mail.tell', { happening, userId });
    },
    { timeout: 60_000 },
  );
}

/** Deletes old records of deliveries and events, and of processes that died while they sent. */
export async function forgetDeliveries(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM mail_events WHERE created_at < now() - make_interval(days => ${KEPT})`;
  await db.$executeRaw`DELETE FROM mail_threads WHERE held_until < now() - make_interval(days => ${KEPT})`;
  await db.$executeRaw`DELETE FROM mail_deliveries WHERE created_at < now() - make_interval(days => ${KEPT})`;
}
