import crypto from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_MESSAGE_BYTES } from '#src/domain/mail_in/message.ts';
import { type Receiving, receiveMail } from '#src/domain/mail_in/receive.ts';
import type { Db } from '#src/platform/database/db.ts';
import { type Disposal, readMailbox } from '#src/platform/outbound/mail/imap.ts';

/** Seconds without a sign of life after which the process that reads the mailbox is taken for dead. */
const SILENCE = 60;
/** Milliseconds until a process that does not read the mailbox looks whether it can, or tries again after the first failure. */
const PAUSE = 5_000;
/** The longest pause between two tries. */
const MAX_PAUSE = 5 * 60_000;

export interface Following extends Receiving {
  /** Of the mailbox, with credentials. */
  url: string;
  /** Hears of errors, and of what is not taken from the mailbox. */
  report(error: unknown): void;
  signal: AbortSignal;
}

/**
 * Takes messages from the mailbox of the settings until it is told to stop. Of all processes one does so at a time; another takes over
 * when it ends. A message is deleted from the mailbox once it is stored, and it is handled once even if that fails in between.
 */
export async function followMailbox({ url, report, signal, ...receiving }: Following): Promise<void> {
  const holder = crypto.randomUUID();
  const { db } = receiving;
  const keep = () => hold(db, holder);
  let pause = PAUSE;
  while (!signal.aborted) {
    try {
      if (await keep()) {
        await readMailbox(url, {
          maxBytes: MAX_MESSAGE_BYTES,
          keep,
          receive: (content) => receiveFrom(receiving, content),
          tooLarge: () => report(new Error(`A message of over ${MAX_MESSAGE_BYTES} bytes is left in the mailbox`)),
          signal,
        });
      }
      pause = PAUSE;
    } catch (error) {
      report(error);
      pause = Math.min(2 * pause, MAX_PAUSE);
    }
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
  await db.mailInMailbox.deleteMany({ where: { holder } }).catch(report);
}

/** Messages for nobody here, and those of programs, stay in the mailbox as read: somebody may want to look at them. */
const DISPOSALS: Record<Awaited<ReturnType<typeof receiveMail>>['is'], Disposal> = {
  accepted: 'delete',
  repeated: 'delete',
  dropped: 'leave',
  refused: 'leave',
  later: 'later',
};

async function receiveFrom(receiving: Receiving, content: Uint8Array): Promise<Disposal> {
  const { is } = await receiveMail(receiving, content);
  return DISPOSALS[is];
}

/** Takes the mailbox or keeps it; false if another process has it. */
async function hold(db: Db, holder: string): Promise<boolean> {
  const held = await db.$executeRaw`
    INSERT INTO mail_in_mailboxes AS m (id, holder, held_until) VALUES (1, ${holder}, now() + make_interval(secs => ${SILENCE}))
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
      WHERE m.holder = excluded.holder OR m.held_until < now()`;
  return held > 0;
}
