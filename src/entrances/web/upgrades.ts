import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Takes over a connection. It is called with what came behind the request, too. */
export type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Requests for WebSocket at the address of GraphQL. All other requests with `Upgrade` are answered as if they had none, as
 * clients that offer HTTP/2 expect it.
 */
export class Upgrades {
  #accept: Accept | undefined;
  readonly #admits: (request: IncomingMessage) => boolean;

  /** @param admits whether a request may take over its connection; those that may not are answered as others are */
  constructor(admits: (request: IncomingMessage) => boolean = () => true) {
    this.#admits = admits;
  }

  /** Says who takes over the connections. */
  serve(accept: Accept): void {
    this.#accept = accept;
  }

  attach(server: Server): void {
    Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => this.#wants(request) });
    server.on('upgrade', (request, socket, head) => {
      // A client that is gone before it was heard is nobody's trouble.
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

/** Takes over connections by what is loaded when the first one comes. */
export function openLate(
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
