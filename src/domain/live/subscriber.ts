import type { Credentials } from '#src/access/credentials/authenticate.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Change } from '#src/domain/live/change.ts';
import { type DomainError, Unavailable } from '#src/platform/errors.ts';

/** Who subscribes, and by what that is asked again. */
export interface LiveCaller {
  /** The same for the same credentials and base URL. */
  readonly key: string;
  readonly credentials: Credentials;
  /** URL of the server as the client used it. */
  readonly baseUrl: string;
  /** As of the last time that it was asked; null for nobody. */
  actor: Actor | null;
  /** When that was, on the clock of `performance`. */
  checkedAt: number;
}

/** What somebody subscribed to. Subscriptions with the same key are read together for one caller. */
export interface LiveOperation {
  readonly key: string;
  /** Reads the record as the caller may see it now; null where they may not, or where there is nothing to tell. */
  read(caller: LiveCaller, change: Change): Promise<Reading | null>;
}

/** An answer about one change. */
export interface Reading {
  /** The result of the operation, as JSON without extensions; empty where there is nothing to send. */
  json: string;
  /** Of traces: where the next part begins, whether there is more already, and whether nothing follows any more. */
  next?: number | undefined;
  hasMore?: boolean | undefined;
  isOver?: boolean | undefined;
}

/** Where answers go: to one client. */
export interface Sink {
  /** Takes an answer, as JSON, and the cursor behind it. It must not throw, and calls the function that `join` gave when it is lost. */
  next(json: string, cursor: string | null): void;
  /** Nothing follows; null when there is nothing more to come, else the reason. */
  end(reason: DomainError | null): void;
  /** When the client has taken what it was sent so far, or is lost. */
  ready(): Promise<void>;
}

/** The server stops: whoever subscribed does so again elsewhere. */
export class ServerStops extends Unavailable {
  constructor() {
    super('The server is restarting. Connect again.', 1);
  }
}
