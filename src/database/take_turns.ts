import { openClient } from './client.ts';

/** The number of the advisory lock under which processes prepare what they share at their start. */
const START = 72_707_370;

/** Runs work while no other process does such work on the database; the others wait for their turn. */
export async function takeTurns<Result>(
  directUrl: string,
  log: { info(text: string): void },
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await openClient({ connectionString: directUrl, application_name: 'gantry start' });
  try {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [START]);
    if (!rows[0]?.taken) {
      log.info('Another process prepares the database: waiting for it');
      await client.query('SELECT pg_advisory_lock($1)', [START]);
    }
    return await work();
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}
