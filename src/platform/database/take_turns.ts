import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openClient } from './client.ts';
import { START_LOCK } from './lock_names.ts';

/** Milliseconds between two tries to take a lock, and until giving up, so that an administrator can look who holds it. */
const POLL_INTERVAL_MS = 100;
const LOCK_TIMEOUT_MS = 30 * 60_000;

/** Runs work while no other process does such work on the database; the others wait for their turn. */
export async function takeTurns<Result>(
  directUrl: string,
  log: { info(text: string): void },
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await openClient({ connectionString: directUrl, application_name: 'gantry start' });
  try {
    await lockSession(client, START_LOCK, () => log.info('Another process prepares the database: waiting for it'));
    return await work();
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

/**
 * Takes an advisory lock for the session. It asks again and again: a session that waits within a statement would hold up
 * indexes that are built concurrently, which wait for every statement of before.
 *
 * @param waiting called once if another session has it
 * @throws Error that names the session which has had it for half an hour
 */
export async function lockSession(client: pg.Client, lock: number, waiting?: () => void): Promise<void> {
  const until = performance.now() + LOCK_TIMEOUT_MS;
  for (let tries = 0; performance.now() < until; tries += 1) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lock]);
    if (rows[0]?.taken) return;
    if (tries === 0) waiting?.();
    await sleep(POLL_INTERVAL_MS);
  }
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted",
    [lock],
  );
  throw new Error(
    `Another process has been preparing the database for half an hour (session ${rows[0]?.pid ?? 'unknown'}). ` +
      'Wait for it, or end that session, and start again.',
  );
}
