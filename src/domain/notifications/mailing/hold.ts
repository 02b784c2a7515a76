import crypto from 'node:crypto';
import type { Thread } from '#src/domain/notifications/mailing/order.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Seconds without a sign of life after which a holder is taken for dead. */
const SILENCE = 30;
/** Milliseconds between two signs of life. */
const HEARTBEAT = 10_000;

/** A thread that one process sends mail of. */
export interface Held {
  /** Whether it is still held; extends that. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
}

/** Takes a thread; null if another process has it, or the user is gone. */
export async function holdThread(db: Db, { userId, type, id }: Thread): Promise<Held | null> {
  const holder = crypto.randomUUID();
  const taken = await db.$executeRaw`
    INSERT INTO mail_threads (user_id, subject_type, subject_id, holder, held_until)
    SELECT id, ${type}, ${id}, ${holder}, now() + make_interval(secs => ${SILENCE}) FROM users WHERE id = ${userId}
    ON CONFLICT (user_id, subject_type, subject_id)
      DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until WHERE mail_threads.held_until < now()`;
  if (taken === 0) return null;
  const mine = { userId, subjectType: type, subjectId: id, holder };
  const keep = async () => {
    const kept = await db.$executeRaw`
      UPDATE mail_threads SET held_until = now() + make_interval(secs => ${SILENCE})
      WHERE user_id = ${userId} AND subject_type = ${type} AND subject_id = ${id} AND holder = ${holder}`;
    return kept > 0;
  };
  // Whoever sends finds out before the next message, from `keep`, that the thread is lost.
  const heartbeat = setInterval(() => void keep().catch(() => undefined), HEARTBEAT);
  heartbeat.unref();
  return {
    keep,
    async release() {
      clearInterval(heartbeat);
      await db.mailThread.deleteMany({ where: mine });
    },
  };
}
