import type { Db, Transaction } from '#src/db.ts';

/** Milliseconds that a writer waits for others, and that its own work under the lock may take. */
const PATIENCE = 60_000;

/**
 * Runs work while nobody else writes refs of the repository, in this process or another: every change of a ref, whether by
 * the API or by a push, is made under this lock, in the transaction that records it.
 */
export function withRepositoryLock<T>(db: Db, projectId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('repository ' || ${projectId}::int, 0))::text`;
      return work(tx);
    },
    { timeout: PATIENCE, maxWait: PATIENCE },
  );
}
