import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Takes over a connection; also gets the bytes that followed the request. */
export type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Handles WebSocket requests at the URL of GraphQL. All other requests with `Upgrade` are answered as if they had none, as
 * clients that offer HTTP/2 expect.
 */
export class Upgrades {
  #accept: Accept | undefined;
  readonly #admits: (request: IncomingMessage) => boolean;

  /** @param admits whether a request may take over its connection; others get a normal response */
  constructor(admits: (request: IncomingMessage) => boolean = () => true) {
    this.#admits = admits;
  }

  /** Sets the handler of the connections. */
  serve(accept: Accept): void {
    this.#accept = accept;
  }

  /** Has others serve the connections as these do now. */
  handOver(to: Upgrades): void {
    to.#accept = this.#accept;
  }

  attach(server: Server): void {
    Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => this.#wants(request) });
    server.on('upgrade', (request, socket, head) => {
      // The client may disconnect before it is handled.
      socket.on('error', () => socket.destroy());
      this.#accept?.(request, socket, head);
    });
  }

  #wants(request: IncomingMessage): boolean {
    const { headers, url = '', method } = request;
    const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
    return (
      isWebSocket && this.#accept !== undefined && /^\/(api\/)?graphql\/?(\?|$)/.test(url) && this.#admits(request)
    );
  }
}

/** Hands over connections to a handler that is loaded for the first one. */
export function lazyUpgrade(
  load: () => Promise<{ accept: Accept; stop(): void }>,
  report: (error: unknown) => void,
): { accept: Accept; stop(): void } {
  let loading: ReturnType<typeof load> | undefined;
  let isStopped = false;
  return {
    accept(request, socket, head) {
      loading ??= load();
      const accepted = loading.then((opened) => {
        if (isStopped) socket.destroy();
        else opened.accept(request, socket, head);
      });
      accepted.catch((error) => {
        report(error);
        socket.destroy();
      });
    },
    stop() {
      isStopped = true;
      loading?.then((opened) => opened.stop()).catch(report);
    },
  };
}
