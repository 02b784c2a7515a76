import crypto from 'node:crypto';
import { writeContent } from '#src/domain/mail_in/content.ts';
import type { ReadMail } from '#src/domain/mail_in/message.ts';
import { readMail } from '#src/domain/mail_in/read.ts';
import { addresseeOf, isOneTooMany } from '#src/domain/mail_in/too_many.ts';
import { type IncomingKey, keyIn, readKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';
import { mailInPattern } from '#src/platform/outbound/mail/mail_in.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Handles a message that came in. */
    'mail_in.handle': { messageId: number };
  }
}

/** What receiving needs. */
export interface Receiving {
  db: Db;
  jobs: JobQueue;
  secret: string;
  /** The address from which the server sends mail; null where it sends none. */
  ownAddress: string | null;
}

/**
 * What became of a message: it is stored and will be handled (`accepted`), was received before (`repeated`), was sent by a program
 * (`dropped`), is not for this server or cannot be read (`refused`), or is one too many of its sender for now (`later`).
 */
export interface Received {
  is: 'accepted' | 'repeated' | 'dropped' | 'refused' | 'later';
  /** A sentence for the log. */
  reason: string;
}

/** Messages of one sender, and to the addresses of one user or the one of a service desk, in an hour. */
const MAX_MESSAGES = 100;

/** Stores a message to be handled, once. Throws ThreadLate if the machine is busy, and errors of the database. */
export async function receiveMail({ db, jobs, secret, ownAddress }: Receiving, content: Uint8Array): Promise<Received> {
  const read = await readMail(content);
  if ('refused' in read) return { is: 'refused', reason: read.refused };
  const { mail } = read;
  if (mail.automatic !== null)
    return { is: 'dropped', reason: `The message was sent by a program (${mail.automatic}).` };
  const found = addressedKey(db, secret, mail);
  if (!found) return { is: 'refused', reason: 'The message is for no valid address of this server.' };
  if (mail.from === null) return { is: 'refused', reason: 'The message does not name one sender.' };
  if (isOwn(db, mail.from, ownAddress)) return { is: 'dropped', reason: 'The message was sent by this server.' };
  const digest = digestOf(mail, found.written, content);
  const repeated: Received = { is: 'repeated', reason: 'The message was received before.' };
  if ((await db.mailInMessage.count({ where: { digest } })) > 0) return repeated;
  if (await isOneTooMany(db, 'mail in', { sender: mail.from, addressee: addresseeOf(found.key) }, MAX_MESSAGES)) {
    return { is: 'later', reason: `There were more than ${MAX_MESSAGES} messages in an hour.` };
  }
  const isNew = await db.$transaction(async (tx) => {
    const data = { digest };
    const [row] = await tx.mailInMessage.createManyAndReturn({ data, skipDuplicates: true, select: { id: true } });
    if (!row) return false;
    await writeContent(tx, row.id, content);
    await jobs.enqueue(tx, 'mail_in.handle', { messageId: row.id });
    return true;
  }, STORING);
  return isNew ? { is: 'accepted', reason: 'The message will be handled.' } : repeated;
}

/** Storing a large message may take a while. */
const STORING = { timeout: 60_000 };

/** The key of the first address of this server that a message names, as it is written and what it says; null without any. */
export function addressedKey(
  db: Db,
  secret: string,
  { recipients }: Pick<ReadMail, 'recipients'>,
): { written: string; key: IncomingKey } | null {
  const pattern = mailInPattern(db);
  if (pattern === null) return null;
  for (const address of recipients) {
    const written = keyIn(pattern, address);
    const key = written === null ? null : readKey(secret, written);
    if (written !== null && key) return { written, key };
  }
  return null;
}

/** Mail from the server itself would go round in circles. */
function isOwn(db: Db, from: string, ownAddress: string | null): boolean {
  const pattern = mailInPattern(db);
  return from === ownAddress?.toLowerCase() || (pattern !== null && keyIn(pattern, from) !== null);
}

/** Copies of a message at the same address are one; those without an identifier, if they are the same to the byte. */
function digestOf({ messageId, from }: ReadMail, written: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const hash = crypto.createHash('sha256');
  if (messageId === null) hash.update(content);
  else hash.update(JSON.stringify([messageId, from, written]));
  return new Uint8Array(hash.digest());
}
