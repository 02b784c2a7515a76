import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { lostConnection } from './lost.ts';

export interface ListenOptions {
  /** URL of the database; the connection lasts, so it leads to no pooler that gives connections away. */
  url: string;
  channel: string;
  /** What the database calls the connection. */
  name: string;
  onNotification(payload: string): void;
  /** Hears of every new connection: what was told before it was made, nobody has heard. */
  onConnected(): void;
  /** Hears once of each outage. */
  report(error: unknown): void;
}

/** Milliseconds until a lost connection is made anew, and until the next try after a failed one at most. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 500;

/** Milliseconds in which the database has to answer, and between two questions whether it still does. */
const DEADLINE = 5_000;
const PULSE = 10_000;

/**
 * Listens to a channel of the database over one connection, which is made anew whenever it is lost.
 *
 * @returns the function that ends it
 * @throws Error when the first connection cannot be made
 */
export async function keepListening(options: ListenOptions): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  let client = await listen(options);
  const keep = async () => {
    while (!stopped.signal.aborted) {
      await lost(client, options.report);
      client = (await connectAgain(options, stopped.signal)) ?? client;
    }
  };
  const kept = keep();
  return async () => {
    stopped.abort();
    await end(client);
    await kept;
  };
}

async function listen({ url, channel, name, onNotification, onConnected }: ListenOptions): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: DEADLINE,
    keepAlive: true,
  });
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  // Errors end the connection, which is what counts; without a listener they would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  } catch (error) {
    await end(client);
    throw error;
  }
  onConnected();
  return client;
}

/** Waits until the connection is at its end, and reports why if it was not ended here. */
async function lost(client: pg.Client, report: (error: unknown) => void): Promise<void> {
  client.once('error', (error) => report(lostConnection(error) ?? error));
  const ended = new Promise((resolve) => client.once('end', resolve));
  const pulse = setInterval(() => ask(client), PULSE).unref();
  await ended;
  clearInterval(pulse);
}

/** Ends the connection if nobody answers at its other end: it would stay as it is for hours. */
function ask(client: pg.Client): void {
  const timer = setTimeout(() => socketOf(client).destroy(), DEADLINE).unref();
  client
    .query('SELECT 1')
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}

/** Another connection, however long that takes; null when the listening ends before. */
async function connectAgain(options: ListenOptions, stopped: AbortSignal): Promise<pg.Client | null> {
  for (let delay = FIRST_DELAY; !stopped.aborted; delay = Math.min(2 * delay, LONGEST_DELAY)) {
    await sleep(delay, undefined, { ref: false, signal: stopped }).catch(() => undefined);
    const client = stopped.aborted ? null : await listen(options).catch(() => null);
    if (client && stopped.aborted) await end(client);
    else if (client) return client;
  }
  return null;
}

/** Ends a connection, even if nobody answers at its other end. */
async function end(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => socketOf(client).destroy(), 1_000).unref();
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

function socketOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
