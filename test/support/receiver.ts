import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { Json } from './http.ts';

/** A request that a webhook made. */
export interface Told {
  path: string;
  headers: IncomingHttpHeaders;
  /** As it came. */
  text: string;
  body: Json;
  /** When it came, in milliseconds since 1970. */
  at: number;
}

/** How a receiver answers; a status alone, or whatever it likes. */
export type Answering = number | ((told: Told, response: ServerResponse, request: IncomingMessage) => void);

/** A receiver of webhooks on this machine, with as many URLs as a test wants. It goes with the test file. */
export class Receiver {
  readonly told: Told[] = [];
  port = 0;
  readonly #answers = new Map<string, Answering>();

  /** A URL of its own below this path. */
  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** How the requests to a path are answered from now on; with 200 where nothing is said. */
  answer(path: string, answering: Answering): void {
    this.#answers.set(path, answering);
  }

  at(path: string): Told[] {
    return this.told.filter((one) => one.path === path);
  }

  /** The first request to a path that meets the condition; fails after most of the time that a test may take. */
  async next(path: string, is: (told: Told) => boolean = () => true): Promise<Told> {
    return (await this.some(path, 1, is))[0] as Told;
  }

  /** The first requests to a path that meet the condition, as soon as there are so many. */
  async some(path: string, count: number, is: (told: Told) => boolean = () => true): Promise<Told[]> {
    const patience = Date.now() + 50_000;
    for (;;) {
      const found = this.at(path).filter(is);
      if (found.length >= count) return found.slice(0, count);
      if (Date.now() > patience)
        throw new Error(`waited in vain for ${count} requests to ${path}: ${found.length} came`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const path = request.url ?? '';
    // An archive is no JSON.
    const isJson = text !== '' && request.headers['content-type'] !== 'application/gzip';
    const told = { path, headers: request.headers, text, body: isJson ? JSON.parse(text) : null, at: Date.now() };
    this.told.push(told);
    const answering = this.#answers.get(path) ?? 200;
    if (typeof answering === 'function') answering(told, response, request);
    else response.writeHead(answering, { 'Content-Type': 'text/plain' }).end(`answer ${answering}`);
  }
}

/** Starts a receiver for the test file that calls it. */
export async function startReceiver(): Promise<Receiver> {
  const receiver = new Receiver();
  const server = createServer((request, response) => {
    receiver.serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.port = (server.address() as AddressInfo).port;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}
