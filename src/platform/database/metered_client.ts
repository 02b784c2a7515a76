import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type pg from 'pg';
import { type Budget, currentBudget } from '#src/platform/limits/budget.ts';
import { observeStatement } from '#src/platform/observability/metrics/statements.ts';
import { lostConnection } from '../database_unavailable.ts';
import { type ClientSettings, DatabaseClient } from './client.ts';

type Done = (error: Error | null, result?: pg.QueryResult) => void;

/** What ends a transaction is never refused, and nothing is gained by refusing to begin one. */
const TRANSACTION = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/i;

/**
 * A connection on which an operation's statements count against its budget. A statement that runs when the budget ends is
 * cancelled on the server, so that the connection is soon free for others. Throws DatabaseUnavailable where the connection is lost.
 */
export class MeteredClient extends DatabaseClient {
  readonly #heard: ((statement: string) => void) | undefined;

  constructor(settings: ClientSettings, heard?: (statement: string) => void) {
    super(settings);
    this.#heard = heard;
  }

  override query(...given: unknown[]): never {
    const budget = currentBudget();
    const last = given.at(-1);
    const done = typeof last === 'function' ? (last as Done) : null;
    const args = done ? given.slice(0, -1) : given;
    const text = textOf(given[0]);
    const run = () => {
      this.#heard?.(text);
      return (super.query as (...args: unknown[]) => Promise<pg.QueryResult>).apply(this, args);
    };
    const bare = () => (budget ? metered(budget, this, run) : run());
    const result = (TRANSACTION.test(text) ? run() : observeStatement(text, bare)).catch(translate);
    if (!done) return result as never;
    result.then(
      (rows) => done(null, rows),
      (error) => done(error),
    );
    return undefined as never;
  }

  /** What the server has been asked and has not answered. */
  get unanswered(): object | null {
    return (this as unknown as { _activeQuery?: object | null })._activeQuery ?? null;
  }

  /** Ends the connection without asking the server, which would not answer. */
  cut(): void {
    (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  }
}

function translate(error: unknown): never {
  // The stack of what pg throws leads to its socket; this one leads to the caller.
  if (error instanceof Error) Error.captureStackTrace(error);
  throw lostConnection(error) ?? error;
}

function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : String((statement as { text?: unknown } | null)?.text);
}

async function metered(budget: Budget, client: pg.Client, run: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
  budget.spendStatement();
  let cancelled: Promise<void> | undefined;
  const onAbort = () => {
    cancelled = cancel(client).catch(() => undefined);
  };
  budget.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await run();
    budget.spendRows(result.rows.length);
    return result;
  } finally {
    budget.signal.removeEventListener('abort', onAbort);
    // Until the server has taken the request, it could end the statement that comes next on this connection.
    await cancelled;
  }
}

/** The code of a request to cancel, in the place of a version of the protocol (PostgreSQL, message formats). */
const CANCEL_REQUEST = 80877102;

/** Asks the server to end what runs on a connection, and waits until it has taken notice, five seconds at most. */
async function cancel(client: pg.Client): Promise<void> {
  const { processID, secretKey } = client as pg.Client & { processID: number; secretKey: number };
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = open(client);
  try {
    socket.end(request);
    await once(socket.resume(), 'close', { signal: AbortSignal.timeout(5_000) });
  } finally {
    socket.destroy();
  }
}

function open({ host, port }: pg.Client): Socket {
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
}
