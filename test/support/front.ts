import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server in front of another one, which passes on what it is asked unless a test interferes. */
export class Front {
  readonly #server: Server;
  /** `host:port` of it. */
  readonly host: string;
  /** The paths that were asked for, in their order. */
  readonly requests: string[] = [];
  /** Answers in its place where it returns true. */
  interfere: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;

  private constructor(server: Server) {
    this.#server = server;
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(url: string): Promise<Front> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const front = new Front(server);
    server.on('request', (asked, answer) => front.#pass(url, asked, answer));
    return front;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass(url: string, asked: IncomingMessage, answer: ServerResponse): void {
    this.requests.push(asked.url ?? '');
    if (this.interfere(asked, answer)) return;
    const { host: _host, ...headers } = asked.headers;
    const passed = request(`${url}${asked.url}`, { method: asked.method ?? 'GET', headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  }
}
