import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnavailable, lostConnection } from '../database_unavailable.ts';
import { openClient } from './client.ts';

/** Milliseconds until a lost connection is made anew, and until the next try after a failed one at most. */
const FIRST_DELAY = 100;
const MAX_DELAY_MS = 500;

/** Milliseconds between two looks whether the connection still is one, and that its answer may take. */
const HEARTBEAT = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** Milliseconds that the other side has to end a connection in order. */
const CLOSE_GRACE = 1_000;

/** What the database calls the connection (application_name). */
export const LISTENER = 'gantry listener';

/** A subscriber to a channel. */
interface Subscription {
  channel: string;
  heard(payload: string): void;
  connected(): void;
}

/** A connection, and why it ended, once it did. */
interface Connection {
  client: pg.Client;
  ended: Promise<unknown>;
}

/**
 * Receives the notifications of the database for the whole process, over one connection, which is made anew whenever it is lost.
 * It needs a session of its own: not one of a pooler that lends sessions by the transaction.
 */
export class Listener {
  readonly #url: string;
  readonly #report: (error: unknown) => void;
  readonly #stopped = new AbortController();
  readonly #subscriptions = new Set<Subscription>();
  #connection: Connection;
  #kept: Promise<void> | undefined;

  private constructor(url: string, connection: Connection, report: (error: unknown) => void) {
    this.#url = url;
    this.#connection = connection;
    this.#report = report;
  }

  /**
   * Connects. `report` is called once for each outage.
   *
   * @throws Error when the first connection cannot be made
   */
  static async open(url: string, report: (error: unknown) => void): Promise<Listener> {
    const listener = new Listener(url, await connect(url), report);
    listener.#dispatch(listener.#connection.client);
    listener.#kept = listener.#keep();
    return listener;
  }

  /**
   * Receives what is said on a channel. `connected` is called at once, and whenever the connection is made anew: what was said
   * while there was none is lost.
   *
   * @returns the function that ends the subscription
   */
  async subscribe(
    channel: string,
    heard: (payload: string) => void,
    connected: () => void,
  ): Promise<() => Promise<void>> {
    const subscription = { channel, heard, connected };
    this.#subscriptions.add(subscription);
    // Where the connection is just lost, the next one listens to this channel too.
    await listen(this.#connection.client, channel).then(connected, () => undefined);
    return async () => {
      this.#subscriptions.delete(subscription);
      if (this.#channels().has(channel)) return;
      await this.#connection.client.query(`UNLISTEN ${pg.escapeIdentifier(channel)}`).catch(() => undefined);
    };
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await end(this.#connection.client);
    await this.#kept;
  }

  #channels(): Set<string> {
    return new Set([...this.#subscriptions].map(({ channel }) => channel));
  }

  #dispatch(client: pg.Client): void {
    client.on('notification', ({ channel, payload = '' }) => {
      for (const subscription of this.#subscriptions) if (subscription.channel === channel) subscription.heard(payload);
    });
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const reason = await this.#connection.ended;
      if (signal.aborted) return;
      this.#report(lostConnection(reason) ?? reason);
      await this.#connectAgain();
    }
  }

  /** Makes another connection, however long that takes. */
  async #connectAgain(): Promise<void> {
    const { signal } = this.#stopped;
    for (let delay = FIRST_DELAY; !signal.aborted; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
      await sleep(delay, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted || (await this.#listenAnew().catch(() => false))) return;
    }
  }

  /** A new connection that listens to everything; false when the listener was closed meanwhile. */
  async #listenAnew(): Promise<boolean> {
    const connection = await connect(this.#url);
    const { client } = connection;
    const listening = new Set<string>();
    try {
      // Others may subscribe meanwhile.
      for (let next = this.#channelBeyond(listening); next !== undefined; next = this.#channelBeyond(listening)) {
        await listen(client, next);
        listening.add(next);
      }
      if (this.#stopped.signal.aborted) await end(client);
    } catch (error) {
      await end(client);
      throw error;
    }
    if (this.#stopped.signal.aborted) return false;
    this.#dispatch(client);
    this.#connection = connection;
    for (const { connected } of this.#subscriptions) connected();
    return true;
  }

  #channelBeyond(listening: ReadonlySet<string>): string | undefined {
    return [...this.#channels()].find((channel) => !listening.has(channel));
  }
}

/** Connects, and checks that the other side is still there: nothing else notices one that vanished. */
async function connect(connectionString: string): Promise<Connection> {
  const client = await openClient({ connectionString, application_name: LISTENER });
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  client.once('error', resolve);
  const heartbeat = setInterval(async () => {
    const late = sleep(HEARTBEAT_TIMEOUT_MS, 'late', { ref: false });
    const answer = await Promise.race([client.query('SELECT 1').catch(() => undefined), late]);
    if (answer === 'late') destroy(client, unavailable('does not answer'));
  }, HEARTBEAT).unref();
  client.once('end', () => {
    clearInterval(heartbeat);
    resolve(unavailable('was ended'));
  });
  return { client, ended };
}

function unavailable(what: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`The connection that hears notifications ${what}.`, { sent: false });
}

async function listen(client: pg.Client, channel: string): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
}

/** Ends a connection, even if the other side does not respond. */
async function end(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => destroy(client), CLOSE_GRACE).unref();
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** Ends a connection without waiting for the other side. */
function destroy(client: pg.Client, reason?: Error): void {
  const { connection } = client as pg.Client & { connection: { stream: { destroy(reason?: Error): void } } };
  connection.stream.destroy(reason);
}
