import { type EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GraphQLContext } from '#schema/context.ts';
import { type Callers, liveCaller } from '#schema/subscriptions/caller.ts';
import { EventStream } from '#schema/subscriptions/event_stream.ts';
import { Heartbeat } from '#schema/subscriptions/heartbeat.ts';
import { type Admitted, admit, asDomainError, type Subscribing } from '#schema/subscriptions/subscribe.ts';

/** Marks the result of an admitted subscription. */
const ADMITTED = Symbol('admitted');

/** Handles a request as yoga does. */
type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<Response>;

export interface EventStreamOptions {
  subscribing: Subscribing;
  callers: Callers;
  /** Bytes that may be buffered per client. */
  buffer: number;
}

/**
 * Subscriptions over Server-Sent Events. Yoga reads, checks and admits the request like any other; events are then sent without
 * yoga, which would keep much more memory per idle connection.
 */
export function serverSentEvents({ subscribing, callers, buffer }: EventStreamOptions) {
  const admitted = new WeakMap<IncomingMessage, Admitted>();
  const heartbeat = new Heartbeat();

  const plugin: Plugin<{ req?: IncomingMessage }> = {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const { req, actor } = args.contextValue as GraphQLContext & { req?: IncomingMessage };
        if (!req || !wantsEvents(req)) throw wrongTransport();
        const caller = liveCaller(callers.credentialsOf(req), actor, callers.baseUrlOf(req));
        const after = req.headers['last-event-id'];
        const lastId = Array.isArray(after) ? after[0] : after;
        admitted.set(req, await admit(args, caller, callers.addressOf(req), subscribing, lastId));
        return { data: null, [ADMITTED]: true };
      });
    },
    onResultProcess({ result, setResultProcessor }) {
      // Yoga would begin a stream of its own.
      if (ADMITTED in result) setResultProcessor((_, { Response }) => new Response(null, {}), 'text/event-stream');
    },
  };

  /** Handles a request that accepts events. */
  const answer = async (handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const forget = listenersSince([request, response, request.socket]);
    const said = await handle(request, response);
    const subscription = admitted.get(request);
    if (!subscription) return send(said, response);
    admitted.delete(request);
    // Listeners would keep all that yoga knows of the request.
    forget();
    // Its duration is not that of a response (src/entrances/web/request_facts.ts).
    Object.assign(request, { routeTemplate: '/graphql subscription' });
    if (response.destroyed) return subscription.release();
    response.once('close', subscription.release);
    said.headers.forEach((value, name) => {
      if (name.startsWith('access-control-')) response.setHeader(name, value);
    });
    const stream = new EventStream(response, { buffer, heartbeat });
    await subscription.start(stream).then(
      (leave) => stream.attach(leave),
      (error) => {
        stream.attach(() => undefined);
        stream.end(asDomainError(error, subscribing.report));
      },
    );
  };
  return { plugin, answer };
}

/** Whether a request accepts Server-Sent Events. */
export function wantsEvents({ headers }: IncomingMessage): boolean {
  return headers.accept?.toLowerCase().includes('text/event-stream') ?? false;
}

/** Returns a function that removes all listeners added from now on. */
function listenersSince(emitters: readonly EventEmitter[]): () => void {
  const events = ['close', 'error', 'finish', 'end', 'aborted'];
  const before = new Set(emitters.flatMap((emitter) => events.flatMap((event) => emitter.rawListeners(event))));
  return () => {
    for (const emitter of emitters) {
      for (const event of events) {
        const added = emitter.rawListeners(event).filter((listener) => !before.has(listener));
        for (const listener of added) emitter.removeListener(event, listener as () => void);
      }
    }
  };
}

async function send(said: Response, response: ServerResponse): Promise<void> {
  response.writeHead(said.status, Object.fromEntries(said.headers));
  // In Node.js a fetch body is iterable, but not declared as such.
  const parts = (said.body ?? []) as unknown as AsyncIterable<Uint8Array>;
  for await (const part of parts) {
    if (response.destroyed) return;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

/** The error for a subscription over a transport without support for them. */
export function wrongTransport(): GraphQLError {
  const message =
    'Subscriptions are answered over WebSocket (graphql-transport-ws) or with `Accept: text/event-stream`.';
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 406 } } });
}
