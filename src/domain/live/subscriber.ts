import type { Credentials } from '#src/access/credentials/authenticate.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Change } from '#src/domain/live/change.ts';
import { type DomainError, Unavailable } from '#src/platform/errors.ts';

/** A subscriber, with what is needed to authenticate them again. */
export interface LiveCaller {
  /** The same for equal credentials and base URL. */
  readonly key: string;
  readonly credentials: Credentials;
  /** URL of the server as the client used it. */
  readonly baseUrl: string;
  /** As of the last check; null if anonymous. */
  actor: Actor | null;
  /** When that was, on the clock of `performance`. */
  checkedAt: number;
}

/** The operation of a subscription. Those with the same key are read together for one caller. */
export interface LiveOperation {
  readonly key: string;
  /** Reads the record as the caller may see it now; null if they may not, or if there is nothing to send. */
  read(caller: LiveCaller, change: Change): Promise<Reading | null>;
}

/** The result for one change. */
export interface Reading {
  /** The result of the operation, as JSON without extensions; empty if there is nothing to send. */
  json: string;
  /** For job logs: the offset of the next chunk, whether there is more already, and whether the log is complete. */
  next?: number | undefined;
  hasMore?: boolean | undefined;
  isOver?: boolean | undefined;
}

/** Sends results to one client. */
export interface Sink {
  /**
   * Sends a result, as JSON, with the cursor after it. Must not throw; calls the function passed to `join` if the client is lost.
   */
  next(json: string, cursor: string | null): void;
  /** Ends the stream; null if it is complete, else the reason. */
  end(reason: DomainError | null): void;
  /** Resolves when the client has read what it was sent so far, or is lost. */
  ready(): Promise<void>;
}

/** The server is stopping: clients can subscribe again elsewhere. */
export class ServerStops extends Unavailable {
  constructor() {
    super('The server is restarting. Connect again.', 1);
  }
}
