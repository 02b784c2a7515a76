import { once } from 'node:events';
import type { Server } from 'node:http';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';

export interface Balancer {
  url: string;
  /** Stops. */
  close(): Promise<void>;
}

/** Milliseconds between two looks at the readiness of a server. */
const PACE = 250;

/**
 * A small balancer in front of servers: each gets requests while it says that it is ready, in turns, over connections that
 * are kept. A request is tried on another server only if the first let nobody connect; what breaks later is 502, as real
 * balancers have it.
 */
export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const ready = new Map(servers.map((url) => [url, false]));
  let turn = 0;
  const next = (tried: ReadonlySet<string>) => {
    const able = servers.filter((url) => ready.get(url) === true && !tried.has(url));
    turn += 1;
    return able[turn % Math.max(1, able.length)];
  };
  const look = async (url: string) => {
    const answer = await fetch(`${url}/-/readiness`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    await answer?.arrayBuffer().catch(() => undefined);
    ready.set(url, answer?.status === 200);
  };
  const heartbeat = setInterval(() => servers.forEach((url) => void look(url)), PACE);
  const pass = (request: IncomingMessage, response: ServerResponse, tried: Set<string>): void => {
    const server = next(tried);
    if (server === undefined) return void response.writeHead(503).end('no server is ready');
    tried.add(server);
    const { method, url = '/', headers } = request;
    const onward = send(new URL(url, server), { agent, method, headers: { ...headers, connection: 'keep-alive' } });
    onward.once('response', (answer) => {
      const { connection: _, 'keep-alive': __, ...kept } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, kept);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    onward.once('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy();
      else if (error.code === 'ECONNREFUSED') pass(request, response, tried);
      else response.writeHead(502).end(`${error.code} ${error.message}`);
    });
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  };
  const server = createServer((request, response) => pass(request, response, new Set()));
  server.requestTimeout = 0;
  await Promise.all(servers.map(look));
  const url = await listen(server);
  return {
    url,
    async close() {
      clearInterval(heartbeat);
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The balancer has no port');
  return `http://127.0.0.1:${address.port}`;
}
