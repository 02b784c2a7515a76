import type { ExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import { withCursor } from '#schema/subscriptions/event_stream.ts';
import type { Heartbeat } from '#schema/subscriptions/heartbeat.ts';
import { ServerStops, type Sink } from '#src/domain/live/subscriber.ts';
import type { DomainError } from '#src/platform/errors.ts';
import { countSubscription, subscriptionMessages } from '#src/platform/observability/metrics/subscriptions.ts';

/** Why a connection is closed, beside what the protocol says (RFC 6455, 7.4.1). */
export const CLOSES = { slow: 1013, stopping: 1012, idle: 1000 } as const;

/** Milliseconds that a client has to take the end of its connection. */
const CLOSE_GRACE = 2_000;
/** Milliseconds after which a connection is closed that carries nothing. */
const IDLE = 5 * 60_000;

/** A WebSocket with what it carries. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #buffer: number;
  readonly #stopHeartbeat: () => void;
  /** What is under way, by its ID; the protocol's server keeps it. */
  operations: Record<string, unknown> = {};
  #isAlive = true;
  #usedAt = performance.now();

  /** @param buffer bytes that may wait for the client */
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

  /** Notes that the client asked for something. */
  use(): void {
    this.#usedAt = performance.now();
  }

  onClose(listener: () => void): void {
    if (this.#socket.readyState === this.#socket.CLOSED) listener();
    else this.#socket.once('close', listener);
  }

  /** Closes the connection with a reason, whether the client answers or not. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason.slice(0, 120));
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_GRACE).unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** When the client has taken what it was sent, or is lost. */
  ready(): Promise<void> {
    const socket = this.#socket;
    if (socket.bufferedAmount < this.#buffer / 4) return Promise.resolve();
    return new Promise((resolve) => {
      socket.once('close', () => resolve());
      socket.ping(undefined, undefined, () => resolve());
    });
  }

  /** Looks whether the client is there. */
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
 * One subscription of a connection. The protocol's server takes it for a stream of answers that has none: they are sent
 * past it, as they are the same for many clients.
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
   * Counts the subscription as open: whatever is committed from now on is told.
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
      // Nothing more is to be said of it.
      delete this.#connection.operations[this.#id];
    }
    this.#finish(reason instanceof ServerStops ? 'stopping' : (reason?.code ?? 'completed'));
  }

  ready(): Promise<void> {
    return this.#connection.ready();
  }

  /** As the protocol's server sees it. */
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
