import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { watchPool } from '#src/platform/observability/metrics/statements.ts';
import { DatabaseUnavailable, isFull, lostConnection } from '../database_unavailable.ts';
import { type ClientSettings, DatabaseClient } from './client.ts';
import { MeteredClient } from './metered_client.ts';
import { type OutageListener, Presence } from './presence.ts';

/** Milliseconds that a statement waits for a database that is away to come back. */
const RECONNECT_TIMEOUT_MS = 2_500;

/** Milliseconds in which a connection has to be made. */
const CONNECTING = 2_000;

/** Milliseconds that a statement waits for a connection of the pool while the others use them all. */
const WAITING = 10_000;

/** Milliseconds after which the database is looked for that has not answered a statement. */
const SILENCE = 1_000;

/** Milliseconds that connections have to end once the pool does. */
const ENDING = 2_000;

/** How often a statement is tried again on its own account. */
const RETRIES = 5;

/**
 * A pool of connections on which an operation's statements count against its budget (MeteredClient), and which outlives
 * outages: statements wait a little for the database to come back, and throw DatabaseUnavailable when it does not. What was sent and
 * got no answer is asked again only if it reads alone, or if it was the loser of a deadlock.
 */
export function meteredPool(config: pg.PoolConfig & ClientSettings, listeners: Listeners = {}): ReadingPool {
  return watchPool(new LastingPool(config, listeners));
}

/** A pool that reads with less to do for each statement than `query`, which promises the same. */
export interface ReadingPool extends pg.Pool {
  read(query: pg.QueryConfig): Promise<pg.QueryResult>;
}

interface Listeners {
  outages?: OutageListener | undefined;
  /** Called with the text of each statement before it runs. */
  heard?: ((statement: string) => void) | undefined;
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void;

class LastingPool extends pg.Pool {
  readonly #presence: Presence;
  readonly #members = new Map<MeteredClient, object | null>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(config: pg.PoolConfig & ClientSettings, { outages, heard }: Listeners) {
    const connecting = { ...config, connectionTimeoutMillis: CONNECTING, keepAlive: true };
    class Member extends MeteredClient {
      constructor() {
        super(connecting, heard);
      }
    }
    super({
      ...config,
      connectionTimeoutMillis: WAITING,
      Client: Member as unknown as pg.PoolConfig['Client'],
    });
    this.#presence = new Presence(() => connectOnce(connecting), outages);
    this.on('connect', (client) => {
      this.#members.set(client as unknown as MeteredClient, null);
      // The statement reports the end of its connection; without a listener it would end the process.
      client.on('error', () => undefined);
    });
    this.on('remove', (client) => this.#members.delete(client as unknown as MeteredClient));
    // Idle connections end a few at a time when the database does: check at once.
    this.on('error', () => this.#presence.suspect());
    this.#heartbeat = setInterval(() => this.#look(), SILENCE).unref();
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) return this.#checkOut();
    // A waiting caller continues in its own async context, not in that of the caller that returned the connection.
    const called = AsyncResource.bind(callback);
    this.#checkOut().then(
      (client) => called(undefined, client, client.release),
      (error) => called(error, undefined, () => undefined),
    );
    return undefined;
  }

  override query(...given: unknown[]): never {
    const ask = () => (super.query as (...args: unknown[]) => Promise<pg.QueryResult>).apply(this, given);
    if (typeof given.at(-1) === 'function') return ask() as never;
    return askAgain(ask, given[0]) as never;
  }

  read(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return askAgain(async () => {
      const client = await this.#checkOut();
      let failure: Error | undefined;
      try {
        return await client.query(query);
      } catch (error) {
        failure = error as Error;
        throw error;
      } finally {
        client.release(failure);
      }
    }, query);
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    clearInterval(this.#heartbeat);
    this.#presence.end();
    // A database that does not answer does not say good-bye either.
    setTimeout(() => {
      for (const client of this.#members.keys()) client.cut();
    }, ENDING).unref();
    return callback ? void super.end(callback) : super.end();
  }

  async #checkOut(): Promise<pg.PoolClient> {
    const until = performance.now() + RECONNECT_TIMEOUT_MS;
    for (;;) {
      if (this.#presence.holds) await this.#presence.there(until);
      try {
        return await super.connect();
      } catch (error) {
        const reason = unreachable(error);
        if (!reason) throw error;
        if (!isFull(error)) this.#presence.suspect();
        if (performance.now() >= until) throw reason;
        await sleep(50);
      }
    }
  }

  /** Looks for the database when a statement got no answer for long, and gives up those that wait for it when it is away. */
  #look(): void {
    for (const [client, before] of this.#members) {
      const { unanswered } = client;
      this.#members.set(client, unanswered);
      if (unanswered === null || unanswered !== before) continue;
      if (this.#presence.isUnavailable) client.cut();
      else this.#presence.wonder();
    }
  }
}

/** Tries a connection. Throws what pg throws. */
async function connectOnce(config: ClientSettings): Promise<void> {
  const client = new DatabaseClient(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
  } finally {
    client.end().catch(() => undefined);
  }
}

/** Why no connection was to be had, if others may be had later. */
function unreachable(error: unknown): DatabaseUnavailable | null {
  const lost = lostConnection(error);
  if (lost) return lost;
  const message = (error as Error | null)?.message ?? '';
  if (isFull(error))
    return new DatabaseUnavailable(`The database takes no more connections: ${message}`, { cause: error, sent: false });
  if (message !== 'timeout exceeded when trying to connect') return null;
  return new DatabaseUnavailable('All connections to the database are in use.', { cause: error, sent: false });
}

/** Statements that change nothing, as far as their words tell: to ask twice is to ask. */
const READS = /^\s*(SELECT|WITH)\b(?!.*\b(INSERT|UPDATE|DELETE|MERGE|SHARE|nextval|setval)\b)/is;

async function askAgain<Result>(ask: () => Promise<Result>, statement: unknown): Promise<Result> {
  const until = performance.now() + RECONNECT_TIMEOUT_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (thrown) {
      // pg's pool throws the error of the connection itself.
      const error = lostConnection(thrown) ?? thrown;
      if (attempt > RETRIES || performance.now() > until || !mayAskAgain(error, statement)) throw error;
      await sleep(attempt * 10 * (1 + Math.random()));
    }
  }
}

function mayAskAgain(error: unknown, statement: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === '40P01' || code === '40001') return true;
  if (!(error instanceof DatabaseUnavailable)) return false;
  const text = typeof statement === 'string' ? statement : String((statement as { text?: unknown } | null)?.text);
  // One that was not sent has waited for the database already.
  return error.sent ? READS.test(text) : /not queryable$/.test(error.message);
}
