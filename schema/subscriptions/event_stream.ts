import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Heartbeat } from '#schema/subscriptions/heartbeat.ts';
import { ServerStops, type Sink } from '#src/domain/live/subscriber.ts';
import { type DomainError, Unavailable } from '#src/platform/errors.ts';
import { countSubscription, subscriptionMessages } from '#src/platform/observability/metrics/subscriptions.ts';

/** Milliseconds within which a client must accept the end of its stream. */
const CLOSE_GRACE = 5_000;

/** A response that stays open and sends events, in the distinct connections mode of graphql-sse. */
export class EventStream implements Sink {
  readonly #response: ServerResponse;
  readonly #buffer: number;
  readonly #heartbeat: Heartbeat;
  #stopHeartbeat: () => void = () => undefined;
  #isOpen = false;
  #leave: () => void = () => undefined;
  #ended: (reason: string) => void = () => undefined;

  /** @param buffer bytes that may be buffered for the client */
  constructor(response: ServerResponse, { buffer, heartbeat }: { buffer: number; heartbeat: Heartbeat }) {
    this.#response = response;
    this.#buffer = buffer;
    this.#heartbeat = heartbeat;
    response.once('close', () => this.#close('client'));
  }

  /**
   * Confirms the subscription to the client: all later commits are sent.
   *
   * @param leave ends the subscription
   */
  attach(leave: () => void): void {
    this.#leave = leave;
    if (this.#response.writableEnded || this.#response.destroyed) leave();
    else {
      this.#ended = countSubscription('sse');
      this.#open();
    }
  }

  next(json: string, cursor: string | null): void {
    const id = cursor === null ? '' : `id: ${cursor}\n`;
    subscriptionMessages.inc({ transport: 'sse' });
    this.#write(`${id}event: next\ndata: ${withCursor(json, cursor)}\n\n`);
  }

  end(reason: DomainError | null): void {
    if (reason instanceof ServerStops) this.#finish(`: ${reason.message}\nretry: 1000\n\n`, 'stopping');
    else this.#finish(`${reason ? errorEvent(reason) : ''}event: complete\ndata:\n\n`, reason?.code ?? 'completed');
  }

  async ready(): Promise<void> {
    const response = this.#response;
    if (!response.writableNeedDrain || response.destroyed) return;
    const closed = new AbortController();
    const { signal } = closed;
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
    closed.abort();
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache',
      // Keeps proxies like nginx from buffering.
      'X-Accel-Buffering': 'no',
    });
    // Some browsers report the headers only with the first bytes.
    this.#response.write(':\n\n');
    this.#stopHeartbeat = this.#heartbeat.add(() => this.#write(':\n\n'));
  }

  #write(text: string): void {
    const response = this.#response;
    if (response.writableEnded || response.destroyed) return;
    this.#open();
    response.write(text);
    if (response.writableLength <= this.#buffer) return;
    this.#leave();
    const slow = new Unavailable(`More than ${this.#buffer} bytes wait for this client, which takes them too slowly.`);
    this.#finish(`${errorEvent(slow)}event: complete\ndata:\n\n`, 'slow');
  }

  #finish(text: string, reason: string): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#open();
    this.#close(reason);
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.end(text);
    const timer = setTimeout(() => this.#response.destroy(), CLOSE_GRACE).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  #close(reason: string): void {
    this.#ended(reason);
    this.#stopHeartbeat();
    this.#leave();
  }
}

/** A result with its cursor appended. */
export function withCursor(json: string, cursor: string | null): string {
  return cursor === null ? json : `${json.slice(0, -1)},"extensions":{"cursor":${JSON.stringify(cursor)}}}`;
}

function errorEvent({ message, extensions }: DomainError): string {
  return `event: next\ndata: ${JSON.stringify({ errors: [{ message, extensions }] })}\n\n`;
}
