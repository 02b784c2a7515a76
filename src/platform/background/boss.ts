import { PgBoss } from 'pg-boss';
import { queueDatabase } from '#src/platform/background/database.ts';
import { type JobName, type JobQueue, prepareQueues, queueOf } from '#src/platform/background/queue.ts';

/**
 * Runs work on the job queue of a database, and does no jobs itself. Creates the tables of the queue if needed.
 *
 * @param url of the database, not of a pooler that lends sessions by the transaction; it may name several hosts
 */
export async function withBoss<Result>(url: string, work: (boss: PgBoss) => Promise<Result>): Promise<Result> {
  const database = queueDatabase(url);
  const boss = new PgBoss({ db: database, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  try {
    await boss.start();
    return await work(boss);
  } finally {
    await boss.stop({ graceful: false }).finally(() => database.close());
  }
}

/** Runs work that leaves jobs of these names for others, and does none itself. */
export function withQueue<Result>(
  url: string,
  names: readonly JobName[],
  work: (jobs: JobQueue) => Promise<Result>,
): Promise<Result> {
  return withBoss(url, async (boss) => {
    await prepareQueues(boss, names);
    return work(queueOf(boss));
  });
}
