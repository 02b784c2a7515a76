import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Db } from '#src/db.ts';
import { forgetSettings } from '#src/settings/current.ts';

/** The channel on which a trigger of the database says that the settings changed. */
const CHANNEL = 'gantry_settings';

/** Milliseconds until a lost connection is made anew, and until the next try after a failed one at most. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 500;

/** Milliseconds in which the database has to answer, and between two questions whether it still does. */
const DEADLINE = 5_000;
const PULSE = 10_000;

/**
 * Forgets the kept settings whenever any process changes them, over one connection, which is made anew whenever it is lost.
 *
 * @param report hears once of each outage
 * @returns the function that ends the watch
 * @throws Error when the first connection cannot be made
 */
export async function watchSettings(
  db: Db,
  url: string,
  report: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  let client = await listen(db, url);
  const keep = async () => {
    while (!stopped.signal.aborted) {
      await lost(client, report);
      client = (await connectAgain(db, url, stopped.signal)) ?? client;
    }
  };
  const kept = keep();
  return async () => {
    stopped.abort();
    await client.end();
    await kept;
  };
}

/** A connection that listens. What changed before it did is not told: the settings are read anew. */
async function listen(db: Db, url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'gantry settings',
    connectionTimeoutMillis: DEADLINE,
    keepAlive: true,
  });
  client.on('notification', () => forgetSettings(db));
  // Errors end the connection, which is what counts; without a listener they would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  forgetSettings(db);
  return client;
}

/** Waits until the connection is at its end, and reports why if it was not ended here. */
async function lost(client: pg.Client, report: (error: unknown) => void): Promise<void> {
  client.once('error', report);
  const ended = new Promise((resolve) => client.once('end', resolve));
  const pulse = setInterval(() => ask(client), PULSE).unref();
  await ended;
  clearInterval(pulse);
}

/** Ends the connection if nobody answers at its other end: it would stay as it is for hours. */
function ask(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const timer = setTimeout(() => stream.destroy(), DEADLINE).unref();
  client
    .query('SELECT 1')
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}

/** Another connection, however long that takes; null when the watch ends before. */
async function connectAgain(db: Db, url: string, stopped: AbortSignal): Promise<pg.Client | null> {
  for (let delay = FIRST_DELAY; !stopped.aborted; delay = Math.min(2 * delay, LONGEST_DELAY)) {
    await sleep(delay, undefined, { ref: false, signal: stopped }).catch(() => undefined);
    const client = stopped.aborted ? null : await listen(db, url).catch(() => null);
    if (client && stopped.aborted) await client.end();
    else if (client) return client;
  }
  return null;
}
