import type { Outcome } from '#src/domain/webhooks/send.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Finds the users to notify of a disabled hook, and enqueues a mail for each. */
    'hooks.disabled': { hookId: number };
  }
}

/** Seconds until the next attempt, by the number of consecutive failures; the last one applies to all further ones. */
const DELAYS = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600];
/** Hours for which a delivery is retried, and days without a success until a hook is disabled. */
export const TRIED = 24;
export const MAX_FAILING_DAYS = 3;
/** Maximum number of pending deliveries of a hook; beyond it the oldest are dropped. */
export const MAX_PENDING_DELIVERIES = 10_000;

/** An attempt and its outcome. */
export interface Attempt {
  hookId: number;
  deliveryId: number;
  /** The headers sent, without secrets. */
  headers: Record<string, string> | null;
  outcome: Outcome;
}

/** The state after an attempt. */
export interface Settled {
  /** Milliseconds until the next attempt; null if there is none to wait for. */
  retryIn: number | null;
  /** Whether the process that made it still holds the lease. */
  isHeld: boolean;
}

/** The process that made the attempt, and whether it was its last for now: then a success releases the hook. */
export interface Holder {
  worker: string;
  isLast: boolean;
}

/** Records the outcome of an attempt, and when the hook is tried again. */
export async function settleAttempt(
  { db, jobs }: { db: Db; jobs: JobQueue },
  attempt: Attempt,
  { worker, isLast }: Holder,
): Promise<Settled> {
  if (attempt.outcome.succeeded) {
    const { isEmpty = false } = attempt.outcome;
    const held = await db.$queryRaw<unknown[]>`
      WITH delivery AS (${attempt.outcome.isEmpty ? forgotten(attempt) : noted(attempt, sql`'delivered'`)})
      UPDATE hooks SET failures = CASE WHEN ${isEmpty}::boolean THEN failures ELSE 0 END,
        failing_since = CASE WHEN ${isEmpty}::boolean THEN failing_since END, retry_at = NULL,
        leased_by = CASE WHEN NOT ${isLast}::boolean THEN leased_by END,
        leased_until = CASE WHEN NOT ${isLast}::boolean THEN leased_until END
      WHERE id = ${attempt.hookId} AND leased_by = ${worker}::uuid RETURNING id`;
    return { retryIn: null, isHeld: held.length > 0 && !isLast };
  }
  return db.$transaction(async (tx) => {
    const hook = await countFailure(tx, attempt);
    if (!hook) return { retryIn: null, isHeld: false };
    if (hook.isGivenUp) await switchOff(tx, jobs, attempt.hookId);
    return { retryIn: hook.isGivenUp ? null : hook.delay * 1000, isHeld: false };
  });
}

async function countFailure(tx: Transaction, attempt: Attempt): Promise<{ delay: number; isGivenUp: boolean } | null> {
  const { hookId } = attempt;
  const over = sql`CASE WHEN COALESCE(first_attempt_at, now()) <= now() - make_interval(hours => ${TRIED})
    THEN 'failed' ELSE 'waiting' END`;
  await tx.$executeRaw`${noted(attempt, over)}`;
  const [hook] = await tx.$queryRaw<{ failures: number; isGivenUp: boolean }[]>`
    UPDATE hooks SET failures = failures + 1, failing_since = COALESCE(failing_since, now()),
      retry_at = now() + make_interval(secs => (${DELAYS}::int[])[LEAST(failures + 1, ${DELAYS.length})])
    WHERE id = ${hookId} AND disabled_at IS NULL
    RETURNING failures, failing_since <= now() - make_interval(days => ${MAX_FAILING_DAYS}) AS "isGivenUp"`;
  if (!hook) return null;
  await dropOldest(tx, hookId);
  return { delay: DELAYS[Math.min(hook.failures, DELAYS.length) - 1] ?? 0, isGivenUp: hook.isGivenUp };
}

/** A DELETE of a delivery that had nothing to tell, which says nothing of its receiver. */
function forgotten({ deliveryId }: Attempt): Prisma.Sql {
  return sql`DELETE FROM hook_deliveries WHERE id = ${deliveryId}`;
}

/** An UPDATE that records the attempt with its delivery. */
function noted({ deliveryId, headers, outcome }: Attempt, state: Prisma.Sql): Prisma.Sql {
  return sql`UPDATE hook_deliveries SET state = ${state}, attempts = attempts + 1,
    first_attempt_at = COALESCE(first_attempt_at, now()), attempted_at = now(), request_headers = ${JSON.stringify(headers)}::jsonb,
    response_status = ${outcome.status}::int, response_headers = ${outcome.headers && JSON.stringify(outcome.headers)}::jsonb,
    response_body = ${outcome.body}, error = ${outcome.error}, duration = ${outcome.duration}::int WHERE id = ${deliveryId}`;
}

/** Records the outcome of a redelivery: a success completes the delivery if it was pending, and enables the hook again. */
export async function settleAgain(db: Db, attempt: Attempt): Promise<void> {
  const { hookId, outcome } = attempt;
  await db.$executeRaw`
    WITH delivery AS (${noted(attempt, outcome.succeeded ? sql`'delivered'` : sql`state`)})
    UPDATE hooks SET failures = 0, failing_since = NULL, retry_at = NULL
    WHERE id = ${hookId} AND ${outcome.succeeded}::boolean AND failures > 0`;
}

/** Drops the oldest deliveries beyond the limit: a receiver that recovers gets the latest, and the number of missing ones. */
async function dropOldest(tx: Transaction, hookId: number): Promise<void> {
  const dropped = await tx.$executeRaw`
    DELETE FROM hook_deliveries WHERE hook_id = ${hookId} AND state = 'waiting' AND id <= (
      SELECT id FROM hook_deliveries WHERE hook_id = ${hookId} AND state = 'waiting' ORDER BY id DESC OFFSET ${MAX_PENDING_DELIVERIES} LIMIT 1)`;
  if (dropped > 0) await tx.$executeRaw`UPDATE hooks SET dropped = dropped + ${dropped} WHERE id = ${hookId}`;
}

/** Disables the hook: nothing is sent until it is enabled again. */
async function switchOff(tx: Transaction, jobs: JobQueue, hookId: number): Promise<void> {
  await tx.$executeRaw`UPDATE hooks SET disabled_at = now(), retry_at = NULL WHERE id = ${hookId}`;
  await tx.$executeRaw`
    UPDATE hook_deliveries SET state = 'failed', error = COALESCE(error, 'The webhook was switched off.')
    WHERE hook_id = ${hookId} AND state = 'waiting'`;
  await jobs.enqueue(tx, 'hooks.disabled', { hookId });
}
