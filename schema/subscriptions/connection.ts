import type { ExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import { withCursor } from '#schema/subscriptions/event_stream.ts';
import type { Heartbeat } from '#schema/subscriptions/heartbeat.ts';
import { ServerStops, type Sink } from '#src/domain/live/subscriber.ts';
import type { DomainError } from '#src/platform/errors.ts';
import { countSubscription, subscriptionMessages } from '#src/platform/observability/metrics/subscriptions.ts';

/** Close codes of a connection besides those of the protocol (RFC 6455, 7.4.1). */
export const CLOSES = { slow: 1013, stopping: 1012, idle: 1000 } as const;

/** Milliseconds within which a client must accept the close of its connection. */
const CLOSE_GRACE = 2_000;
/** Milliseconds after which an unused connection is closed. */
const IDLE = 5 * 60_000;

/** A WebSocket with its operations. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #buffer: number;
  readonly #stopHeartbeat: () => void;
  /** The running operations by ID; managed by the protocol's server. */
  operations: Record<string, unknown> = {};
  #isAlive = true;
  #usedAt = performance.now();

  /** @param buffer bytes that may be buffered for the client */
  constructor(socket: WebSocket, { buffer, heartbeat }: { buffer: number; heartbeat: Heartbeat }) {
    this.#socket = socket;
    this.#buffer = buffer;
    this.#stopHeartbeat = heartbeat.add(() => this.#beat());
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.once('close', () => this.#stopHeartbeat());
  }

  send(text: string): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    this.#usedAt = performance.now();
    socket.send(text);
    if (socket.bufferedAmount > this.#buffer) {
      this.close(CLOSES.slow, `More than ${this.#buffer} bytes wait for this client.`);
    }
  }

  /** Records activity of the client. */
  use(): void {
    this.#usedAt = performance.now();
  }

  onClose(listener: () => void): void {
    if (this.#socket.readyState === this.#socket.CLOSED) listener();
    else this.#socket.once('close', listener);
  }

  /** Closes the connection with a reason, whether the client responds or not. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason.slice(0, 120));
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_GRACE).unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** Resolves when the client has read what it was sent, or is gone. */
  ready(): Promise<void> {
    const socket = this.#socket;
    if (socket.bufferedAmount < this.#buffer / 4) return Promise.resolve();
    return new Promise((resolve) => {
      socket.once('close', () => resolve());
      socket.ping(undefined, undefined, () => resolve());
    });
  }

  /** Checks whether the client is still there. */
  #beat(): void {
    const socket = this.#socket;
    const isIdle = Object.keys(this.operations).length === 0 && performance.now() - this.#usedAt > IDLE;
    if (!this.#isAlive) socket.terminate();
    else if (isIdle) this.close(CLOSES.idle, 'Nothing was asked for.');
    else if (socket.readyState === socket.OPEN) {
      this.#isAlive = false;
      socket.ping();
    }
  }
}

/**
 * One subscription of a connection. To the protocol's server it is a stream without results: they are sent directly, as they are
 * the same for many clients.
 */
export class CarriedSubscription implements Sink {
  readonly #connection: Connection;
  readonly #head: string;
  readonly #id: string;
  readonly #over = Promise.withResolvers<IteratorReturnResult<undefined>>();
  #leave: () => void = () => undefined;
  #ended: (reason: string) => void = () => undefined;
  #isOver = false;

  constructor(connection: Connection, id: string) {
    this.#connection = connection;
    this.#id = id;
    this.#head = `{"id":${JSON.stringify(id)},"type":`;
  }

  /**
   * Marks the subscription as open: all later commits are sent.
   *
   * @param leave ends the subscription
   */
  attach(leave: () => void): void {
    this.#leave = leave;
    if (this.#isOver) leave();
    else this.#ended = countSubscription('websocket');
  }

  next(json: string, cursor: string | null): void {
    subscriptionMessages.inc({ transport: 'websocket' });
    this.#connection.send(`${this.#head}"next","payload":${withCursor(json, cursor)}}`);
  }

  end(reason: DomainError | null): void {
    if (reason && !(reason instanceof ServerStops)) {
      const { message, extensions } = reason;
      this.#connection.send(`${this.#head}"error","payload":${JSON.stringify([{ message, extensions }])}}`);
      // Nothing more is sent for it.
      delete this.#connection.operations[this.#id];
    }
    this.#finish(reason instanceof ServerStops ? 'stopping' : (reason?.code ?? 'completed'));
  }

  ready(): Promise<void> {
    return this.#connection.ready();
  }

  /** The stream for the protocol's server. */
  stream(): AsyncGenerator<ExecutionResult, undefined> {
    const stop = async (): Promise<IteratorReturnResult<undefined>> => {
      this.#finish('client');
      return { done: true, value: undefined };
    };
    const stream = { next: () => this.#over.promise, return: stop, throw: stop };
    return Object.assign(stream, {
      [Symbol.asyncIterator]: () => stream as unknown as AsyncGenerator<ExecutionResult, undefined>,
      [Symbol.asyncDispose]: async () => void (await stop()),
    }) as AsyncGenerator<ExecutionResult, undefined>;
  }

  #finish(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended(reason);
    this.#leave();
    this.#over.resolve({ done: true, value: undefined });
  }
}
