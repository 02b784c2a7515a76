import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { subscriptions, subscriptionsEnded } from '#src/platform/observability/metrics/subscriptions.ts';
import type { Json } from './http.ts';

/** One event of a stream. */
export interface StreamEvent {
  event?: string;
  id?: string;
  data?: Json;
}

/** A stream of events that is read event by event. */
export interface OpenStream {
  status: number;
  response: IncomingMessage;
  /** The next event; fails after twenty seconds. */
  next(): Promise<StreamEvent>;
  /** All that is left, until the end. */
  rest(): Promise<StreamEvent[]>;
  /** The comments so far. */
  comments: string[];
  close(): void;
}

/** Subscribes over Server-Sent Events as a browser's EventSource does, by GET. */
export function openStream(
  url: string,
  query: string,
  {
    variables = {},
    headers = {},
    pause = false,
  }: { variables?: object; headers?: Record<string, string>; pause?: boolean } = {},
): Promise<OpenStream> {
  const address = new URL('/graphql', url);
  address.searchParams.set('query', query);
  address.searchParams.set('variables', JSON.stringify(variables));
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { headers: { Accept: 'text/event-stream', ...headers }, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => resolve(reading(outgoing, response, pause)));
    outgoing.end();
  });
}

function reading(outgoing: ClientRequest, response: IncomingMessage, pause: boolean): OpenStream {
  const inbox = new Inbox<StreamEvent>();
  const comments: string[] = [];
  let text = '';
  response.setEncoding('utf8');
  const read = () =>
    response.on('data', (part: string) => {
      text += part;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block, comments);
        if (event) inbox.put(event);
      }
    });
  if (!pause) read();
  else response.pause();
  response.on('error', () => inbox.end());
  response.on('close', () => inbox.end());
  return {
    status: response.statusCode ?? 0,
    response,
    comments,
    next: () => inbox.take(),
    async rest() {
      if (pause) read().resume();
      return inbox.all();
    },
    close: () => outgoing.destroy(),
  };
}

function parseEvent(block: string, comments: string[]): StreamEvent | null {
  const event: StreamEvent = {};
  for (const line of block.split('\n')) {
    const mark = line.indexOf(':');
    const [name, value] = [line.slice(0, mark), line.slice(mark + 1).trimStart()];
    if (name === '') comments.push(value);
    if (name === 'event') event.event = value;
    if (name === 'id') event.id = value;
    if (name === 'data' && value !== '') event.data = JSON.parse(value);
  }
  return event.event === undefined ? null : event;
}

/** What arrives, in its order. */
export class Inbox<Item> {
  readonly #items: Item[] = [];
  readonly #waiting: ((item: Item | null) => void)[] = [];
  #hasEnded = false;

  put(item: Item): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(item);
    else this.#items.push(item);
  }

  end(): void {
    this.#hasEnded = true;
    for (const waiting of this.#waiting.splice(0)) waiting(null);
  }

  get size(): number {
    return this.#items.length;
  }

  async take(): Promise<Item> {
    const item = await this.#next();
    if (item === null) throw new Error('Nothing more came');
    return item;
  }

  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for (let item = await this.#next(); item !== null; item = await this.#next()) items.push(item);
    return items;
  }

  #next(): Promise<Item | null> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    if (this.#hasEnded) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Nothing came for twenty seconds')), 20_000).unref();
      this.#waiting.push((got) => {
        clearTimeout(timer);
        resolve(got);
      });
    });
  }
}

/** A subscription over WebSocket by the client of graphql-ws. */
export interface Carried {
  inbox: Inbox<Json>;
  /** The error that ended it, once it has. */
  failure: Promise<Json>;
  unsubscribe(): void;
}

/** A client of graphql-ws that does not connect again by itself. */
export function wsClient(
  url: string,
  connectionParams: Record<string, unknown> = {},
  { headers = {}, retryAttempts = 0 }: { headers?: Record<string, string>; retryAttempts?: number } = {},
) {
  class Socket extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols, { headers });
    }
  }
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Socket,
    connectionParams,
    retryAttempts,
    lazy: true,
  });
  return {
    client,
    subscribe(query: string, variables: Record<string, unknown> = {}): Carried {
      const inbox = new Inbox<Json>();
      const failed = Promise.withResolvers<Json>();
      const unsubscribe = client.subscribe(
        { query, variables },
        {
          next: (value) => inbox.put(value),
          error: (error) => {
            failed.resolve(error);
            inbox.end();
          },
          complete: () => {
            failed.resolve(null);
            inbox.end();
          },
        },
      );
      return { inbox, failure: failed.promise, unsubscribe };
    },
  };
}

export const TRANSPORTS = ['Server-Sent Events', 'WebSocket'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** A subscription, whatever carries it. */
export interface Subscribed {
  /** The next answer; fails after twenty seconds, and when nothing more comes. */
  next(): Promise<Json>;
  /** How many answers have come that nobody took. */
  waiting(): number;
  /** Why it ended: the first error, null where it completed. */
  end(): Promise<{ message: string; extensions: Json } | null>;
  close(): Promise<void>;
}

/** How many subscriptions over WebSocket have begun on the servers of this process. */
async function overWebSocket(): Promise<number> {
  const counts = await Promise.all([subscriptions.get(), subscriptionsEnded.get()]);
  const counted = counts.flatMap(({ values }) => values).filter(({ labels }) => labels.transport === 'websocket');
  return counted.reduce((sum, { value }) => sum + value, 0);
}

/** Subscribes over either transport, one after the other, and waits until the server of this process listens. */
export async function subscribe(
  transport: TransportName,
  url: string,
  query: string,
  {
    variables = {},
    token,
    lastEventId,
  }: { variables?: Record<string, unknown>; token?: string; lastEventId?: string } = {},
): Promise<Subscribed> {
  if (transport === 'WebSocket') {
    const after = lastEventId === undefined ? {} : { after: lastEventId };
    const { client, subscribe } = wsClient(url, token ? { Authorization: `Bearer ${token}` } : {});
    const before = await overWebSocket();
    const { inbox, failure } = subscribe(query, { ...variables, ...after });
    let hasEnded = false;
    failure.then(() => {
      hasEnded = true;
    });
    // Over this protocol, clients are not told that they are subscribed.
    for (const patience = Date.now() + 20_000; !hasEnded && (await overWebSocket()) <= before; ) {
      if (Date.now() > patience) throw new Error('No subscription began within twenty seconds');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return {
      next: () => inbox.take(),
      waiting: () => inbox.size,
      end: async () => (await failure)?.[0] ?? null,
      close: async () => void (await client.dispose()),
    };
  }
  const headers = { ...(token && { 'PRIVATE-TOKEN': token }), ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
  const stream = await openStream(url, query, { variables, headers: headers as Record<string, string> });
  let failure: Json = null;
  const inbox = new Inbox<Json>();
  const ended = (async () => {
    for (;;) {
      const { event, data } = await stream.next().catch(() => ({ event: 'complete', data: undefined }));
      if (event === 'complete') break;
      if (data.data === undefined) failure = data.errors[0];
      else inbox.put(data);
    }
    inbox.end();
    return failure;
  })();
  return {
    next: () => inbox.take(),
    waiting: () => inbox.size,
    end: () => ended,
    close: async () => stream.close(),
  };
}
