import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openClient } from './client.ts';
import { START_LOCK } from './lock_names.ts';

/** Milliseconds between two tries to take a lock. */
const PACE = 100;

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
 * @param waiting called once if somebody else has it
 */
export async function lockSession(client: pg.Client, lock: number, waiting?: () => void): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lock]);
    if (rows[0]?.taken) return;
    if (tries === 0) waiting?.();
    await sleep(PACE);
  }
}
