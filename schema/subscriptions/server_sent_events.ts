import { type EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GraphQLContext } from '#schema/context.ts';
import { type Callers, liveCaller } from '#schema/subscriptions/caller.ts';
import { EventStream } from '#schema/subscriptions/event_stream.ts';
import { Heartbeat } from '#schema/subscriptions/heartbeat.ts';
import { type Admitted, admit, asDomainError, type Subscribing } from '#schema/subscriptions/subscribe.ts';

/** Marks the result that stands for a subscription. */
const ADMITTED = Symbol('admitted');

/** Answers a request of a server of yoga. */
type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<Response>;

export interface EventStreamOptions {
  subscribing: Subscribing;
  callers: Callers;
  /** Bytes that may wait for one client. */
  buffer: number;
}

/**
 * Subscriptions over Server-Sent Events. Yoga reads, checks and admits the request as any other; what is admitted is then
 * sent without it, as it would keep much more for a connection that is idle.
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

  /** Answers a request that takes events. */
  const answer = async (handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const forget = listenersSince([request, response, request.socket]);
    const said = await handle(request, response);
    const subscription = admitted.get(request);
    if (!subscription) return send(said, response);
    admitted.delete(request);
    // They would keep all that yoga knows of the request.
    forget();
    // Its duration is none of an answer (src/entrances/web/request_facts.ts).
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

/** Whether a request takes Server-Sent Events. */
export function wantsEvents({ headers }: IncomingMessage): boolean {
  return headers.accept?.toLowerCase().includes('text/event-stream') ?? false;
}

/** Gives what removes the listeners that are added from now on. */
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
  // A body of fetch is one of parts, as Node.js has it, but not declared as such.
  const parts = (said.body ?? []) as unknown as AsyncIterable<Uint8Array>;
  for await (const part of parts) {
    if (response.destroyed) return;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

/** Refuses a subscription that comes by a way that carries none. */
export function wrongTransport(): GraphQLError {
  const message =
    'Subscriptions are answered over WebSocket (graphql-transport-ws) or with `Accept: text/event-stream`.';
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 406 } } });
}
