import type { Context } from '#src/access/permissions/actor.ts';
import type { ReadMail } from '#src/domain/mail_in/message.ts';
import { AlreadyHandled, type MailRefused } from '#src/domain/mail_in/refusal.ts';
import { addresseeOf } from '#src/domain/mail_in/too_many.ts';
import type { IncomingKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Tells the sender of a message why it was refused. */
    'mail_in.answer': RefusedMail;
  }
}

/** A refused message, and whom to tell. */
export interface RefusedMail {
  messageId: string | null;
  subject: string;
  /** The address of the sender. */
  email: string;
  /** Whose address it went to, as messages are counted; absent from jobs of the version before, which have the user. */
  addressee?: string;
  userId?: number;
  /** A known reason, or a text. */
  reason: MailRefused['reason'];
}

/** Days for which messages are remembered. */
const KEPT = 30;

/** Records what became of a message. Throws AlreadyHandled if it was handled meanwhile, so that the transaction comes to nothing. */
export async function settle(
  tx: Transaction,
  id: number,
  outcome: 'accepted' | 'refused' | 'dropped',
  reason: string | null,
): Promise<void> {
  const data = { outcome, reason, handledAt: new Date() };
  const { count } = await tx.mailInMessage.updateMany({ where: { id, handledAt: null }, data });
  if (count === 0) throw new AlreadyHandled();
  await tx.mailInPart.deleteMany({ where: { messageId: id } });
}

/** Has the sender told that a message was refused, where the server sends mail. */
export async function answerTo(
  tx: Transaction,
  { db, jobs }: Pick<Context, 'db' | 'jobs'>,
  { messageId, subject, from }: ReadMail,
  key: IncomingKey,
  { reason }: MailRefused,
): Promise<void> {
  if (from === null || !sendsMail(db)) return;
  await jobs.enqueue(tx, 'mail_in.answer', { messageId, subject, email: from, addressee: addresseeOf(key), reason });
}

/** Deletes the records of messages that were handled some weeks ago. */
export async function forgetMailIn(db: Db): Promise<void> {
  await db.$executeRaw`
    DELETE FROM mail_in_messages WHERE handled_at IS NOT NULL AND received_at < now() - make_interval(days => ${KEPT})`;
}
