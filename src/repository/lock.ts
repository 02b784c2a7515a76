import type { Db, Transaction } from '#src/db.ts';

/** Milliseconds that a writer waits for others, and that its own work under the lock may take. */
const PATIENCE = 60_000;

/** Milliseconds that work may take which keeps no writer waiting: jobs end before. */
const LONGEST = 2 * 60 * 60_000;

/** The last of those who wait in this process, by database and repository. */
const queues = new WeakMap<Db, Map<number, Promise<unknown>>>();

/**
 * Runs work while nobody else writes refs of the repository, in this process or another: every change of a ref, whether by
 * the API or by a push, is made under this lock, in the transaction that records it. Within a process writers queue up
 * without a connection each, which others need.
 */
export function withRepositoryLock<T>(db: Db, projectId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const queue = queues.get(db) ?? new Map<number, Promise<unknown>>();
  queues.set(db, queue);
  const before = queue.get(projectId) ?? Promise.resolve();
  const turn = before.then(() => locked(db, projectId, work));
  const done = turn
    .catch(() => undefined)
    .then(() => {
      if (queue.get(projectId) === done) queue.delete(projectId);
    });
  queue.set(projectId, done);
  return turn;
}

/**
 * Runs work that reads objects of the repository to which perhaps no ref leads any more: none is removed meanwhile, by any
 * process of this server. Many may do so at once.
 */
export function whileObjectsStay<T>(db: Db, projectId: number, work: () => Promise<T>): Promise<T> {
  return db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock_shared(hashtextextended('objects ' || ${projectId}::int, 0))::text`;
      return work();
    },
    { timeout: LONGEST, maxWait: PATIENCE },
  );
}

/**
 * Whether objects may be removed until this transaction ends, which holds the repository's lock: nobody is in
 * whileObjectsStay, and no backup is made (src/database/exclude.ts).
 */
export async function mayRemoveObjects(tx: Transaction, projectId: number): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ alone: boolean }[]>`
    SELECT pg_try_advisory_xact_lock_shared(hashtextextended('objects of all repositories', 0))
      AND pg_try_advisory_xact_lock(hashtextextended('objects ' || ${projectId}::int, 0)) AS alone`;
  return row?.alone === true;
}

/** Runs work unless some process of this server is at such work on the repository already. */
export async function unlessMaintained(db: Db, projectId: number, work: () => Promise<void>): Promise<void> {
  await db.$transaction(
    async (tx) => {
      const [row] = await tx.$queryRaw<{ alone: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(hashtextextended('maintenance ' || ${projectId}::int, 0)) AS alone`;
      if (row?.alone === true) await work();
    },
    { timeout: LONGEST, maxWait: PATIENCE },
  );
}

function locked<T>(db: Db, projectId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('repository ' || ${projectId}::int, 0))::text`;
      return work(tx);
    },
    { timeout: PATIENCE, maxWait: PATIENCE },
  );
}
