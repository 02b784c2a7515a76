import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, GraphQLError, Kind } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { withCode } from '#schema/answer/errors.ts';
import { Invalid } from '#schema/documents.ts';
import { maskError } from '#schema/errors.ts';
import { type Callers, credentialsIn, liveCaller } from '#schema/subscriptions/caller.ts';
import { CarriedSubscription, CLOSES, Connection } from '#schema/subscriptions/connection.ts';
import { Heartbeat } from '#schema/subscriptions/heartbeat.ts';
import type { Prepare, Sent } from '#schema/subscriptions/prepare.ts';
import { type Admitted, admit, asDomainError, type Subscribing } from '#schema/subscriptions/subscribe.ts';
import type { Credentials } from '#src/access/credentials/authenticate.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { type LiveLimits, subscriptionQuota } from '#src/domain/live/subscription_quota.ts';
import { DomainError, RateLimited } from '#src/platform/errors.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { webSockets } from '#src/platform/observability/metrics/subscriptions.ts';

export interface WebSocketOptions {
  subscribing: Subscribing;
  callers: Callers;
  prepare: Prepare;
  /** Executes a query or mutation when the caller's turn comes. */
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
  limits: LiveLimits;
  /** Bytes of the largest accepted message. */
  messageBytes: number;
}

/** Replaces a document that is no longer needed. */
const NOTHING: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** Milliseconds within which a client must authenticate. */
const INIT = 10_000;

/** Facts about a connection: from its request, and the caller once authenticated. */
interface Extra {
  connection: Connection;
  /** Those of the request, until others are sent. */
  credentials: Credentials;
  actor: Actor | null;
  baseUrl: string;
  address: string | null;
  /** Frees the slot of the connection. */
  release(): void;
}

type Ctx = Context<Record<string, unknown> | undefined, Extra>;

/** GraphQL over WebSocket (graphql-transport-ws): subscriptions, queries and mutations. */
export class WebSockets {
  readonly #options: WebSocketOptions;
  readonly #quota: CallerSemaphore;
  readonly #heartbeat = new Heartbeat();
  readonly #connections = new Set<Connection>();
  readonly #admitted = new WeakMap<object, { admitted: Admitted; carried: CarriedSubscription }>();
  readonly #sockets: WebSocketServer;
  readonly #protocol: ReturnType<typeof makeServer<Record<string, unknown> | undefined, Extra>>;

  constructor(options: WebSocketOptions) {
    this.#options = options;
    this.#quota = subscriptionQuota('connections', options.limits);
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.messageBytes,
      handleProtocols,
    });
    this.#protocol = makeServer<Record<string, unknown> | undefined, Extra>({
      connectionInitWaitTimeout: INIT,
      onConnect: (ctx) => this.#connect(ctx),
      onSubscribe: (ctx, id, payload) => this.#prepare(ctx, id, payload),
      execute: (args) => this.#execute(args),
      subscribe: (args) => this.#subscribe(args),
    });
  }

  /** Takes over the connection of a WebSocket request. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { callers } = this.#options;
    const address = callers.addressOf(request);
    let release: () => void;
    try {
      release = this.#quota.takeNow(callerOf(null, address));
    } catch (error) {
      refuse(socket, error);
      return;
    }
    socket.once('close', release);
    socket.once('error', release);
    // Only the needed facts are copied: the request would be kept as long as the connection.
    const facts = {
      credentials: callers.credentialsOf(request),
      baseUrl: callers.baseUrlOf(request),
      address,
      release,
    };
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#open(webSocket, facts));
  }

  /** Closes all connections: clients reconnect elsewhere. */
  stop(): void {
    for (const connection of this.#connections) connection.close(CLOSES.stopping, 'The server is restarting.');
    this.#heartbeat[Symbol.dispose]();
  }

  #open(socket: WebSocket, facts: Pick<Extra, 'credentials' | 'baseUrl' | 'address' | 'release'>): void {
    const { limits, subscribing } = this.#options;
    const connection = new Connection(socket, { buffer: limits.buffer, heartbeat: this.#heartbeat });
    this.#connections.add(connection);
    webSockets.inc();
    let hear: (text: string) => Promise<void> = async () => undefined;
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => connection.send(text),
        close: (code = 1000, reason = '') => connection.close(code, reason),
        onMessage: (heard) => {
          hear = heard;
        },
      },
      { ...facts, connection, actor: null },
    );
    socket.on('message', (data) => {
      connection.use();
      hear(String(data)).catch((error) => {
        subscribing.report(error);
        connection.close(CloseCode.InternalServerError, 'Unexpected error.');
      });
    });
    // The socket itself closes protocol errors, such as a message that is too large, with their code.
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => {
      webSockets.dec();
      facts.release();
      this.#connections.delete(connection);
      closed(code, String(reason)).catch(subscribing.report);
    });
  }

  /** Authenticates the client. An invalid credential closes the connection. */
  async #connect({ extra, connectionParams, subscriptions }: Ctx): Promise<boolean> {
    const { subscribing } = this.#options;
    extra.connection.operations = subscriptions;
    extra.credentials = credentialsIn(connectionParams) ?? extra.credentials;
    try {
      extra.actor = await this.#options.callers.authenticate(extra.credentials);
      if (extra.actor) {
        const release = this.#quota.takeNow(callerOf(extra.actor, null));
        extra.release();
        extra.connection.onClose(release);
      }
      return true;
    } catch (error) {
      const { code, message } = asDomainError(error, subscribing.report);
      const isCredential = code === 'UNAUTHENTICATED' || code === 'FORBIDDEN' || code === 'NOT_FOUND';
      extra.connection.close(isCredential ? CloseCode.Unauthorized : CLOSES.slow, message);
      return false;
    }
  }

  /** Prepares an operation of the client. Connections whose credentials are no longer valid are closed. */
  async #prepare(
    { extra, subscriptions }: Ctx,
    id: string,
    sent: Sent,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { limits, callers, prepare, subscribing } = this.#options;
    const { credentials, baseUrl, address, connection } = extra;
    try {
      const { perConnection } = limits;
      if (Object.keys(subscriptions).length > perConnection) {
        throw new RateLimited(1, `A connection can run at most ${perConnection} operations at once.`);
      }
      const before = extra.actor;
      extra.actor = before && (await callers.authenticate(credentials));
      const caller = liveCaller(credentials, extra.actor, baseUrl);
      const prepared = await prepare(sent, await callers.contextFor(caller, address));
      if (prepared.isSubscription) {
        const admitted = await admit(prepared.args, caller, address, subscribing);
        this.#admitted.set(prepared.args, { admitted, carried: new CarriedSubscription(connection, id) });
      }
      return prepared.args;
    } catch (error) {
      if (error instanceof Invalid) return error.errors.map(withoutStatus);
      const { code, message } = error as Partial<DomainError>;
      if (code === 'UNAUTHENTICATED' && error instanceof DomainError) {
        connection.close(CloseCode.Unauthorized, message ?? '');
      }
      return [withoutStatus(maskError(error, subscribing.report))];
    }
  }

  async #execute(args: ExecutionArgs) {
    const result = await this.#options.execute(args);
    return result.errors ? { ...result, errors: result.errors.map(withoutStatus) } : result;
  }

  async #subscribe(args: ExecutionArgs) {
    const found = this.#admitted.get(args);
    if (!found) throw new Error('The subscription was not admitted');
    const { admitted, carried } = found;
    // The protocol's server holds these as long as the subscription, though they are no longer needed.
    Object.assign(args, { document: NOTHING, contextValue: null, variableValues: null });
    try {
      const leave = await admitted.start(carried);
      carried.attach(() => {
        leave();
        admitted.release();
      });
    } catch (error) {
      carried.attach(admitted.release);
      carried.end(asDomainError(error, this.#options.subscribing.report));
    }
    return carried.stream();
  }
}

/** An error with its code, but without the HTTP status. */
function withoutStatus(error: GraphQLError): GraphQLError {
  const { nodes, path, message } = error;
  const { http: _, ...extensions } = withCode(error).extensions;
  return new GraphQLError(message, { nodes: nodes ?? null, path: path ?? null, extensions });
}

/** Rejects a connection request. */
function refuse(socket: Duplex, error: unknown): void {
  const isMany = error instanceof RateLimited;
  const [status, message] = isMany ? [429, error.message] : [503, 'The server has no room for more connections.'];
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Retry-After: 5',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(message)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${message}`);
}
