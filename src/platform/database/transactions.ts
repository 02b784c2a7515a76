import { setTimeout as sleep } from 'node:timers/promises';
import type { Prisma, PrismaClient } from '#src/generated/prisma/client.ts';
import { DatabaseUnavailable } from '../database_unavailable.ts';

type Work<Result> = (tx: Prisma.TransactionClient) => Promise<Result>;
type Options = { maxWait?: number; timeout?: number; isolationLevel?: Prisma.TransactionIsolationLevel };
type Run = <Result>(work: Work<Result>, options?: Options) => Promise<Result>;

/** How often work runs that others break off, and milliseconds after the first failure when it is given up. */
const ATTEMPTS = 5;
const RETRY_TIMEOUT_MS = 2_500;

/**
 * The client, on which the work of a transaction runs anew when the transaction is the loser of a deadlock, or when its
 * connection is lost before it is to be committed: nothing of it is in the database then. So the work of a transaction
 * changes nothing but the database. Work that does more gives a `timeout` of its own, and runs once.
 */
export function lastingTransactions(client: PrismaClient, deadlocked: (error: unknown) => boolean): PrismaClient {
  const once = client.$transaction.bind(client) as unknown as Run;
  const run: Run = async (work, options) => {
    if (typeof work !== 'function' || options?.timeout !== undefined) return once(work, options);
    let until = Number.POSITIVE_INFINITY;
    for (let attempt = 1; ; attempt += 1) {
      const progress = { isDone: false };
      try {
        return await once((tx) => noted(work, tx, progress), options);
      } catch (error) {
        until = Math.min(until, performance.now() + RETRY_TIMEOUT_MS);
        const isHarmless = deadlocked(error) || (error instanceof DatabaseUnavailable && !progress.isDone);
        if (!isHarmless || attempt === ATTEMPTS || performance.now() >= until) throw error;
      }
      await sleep(attempt * 20 * Math.random());
    }
  };
  Object.assign(client, { $transaction: run });
  return client;
}

async function noted<Result>(
  work: Work<Result>,
  tx: Prisma.TransactionClient,
  progress: { isDone: boolean },
): Promise<Result> {
  const result = await work(tx);
  progress.isDone = true;
  return result;
}
