import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createProbe, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that accepts connections. */
export interface Listening {
  /** Base URL, with the port that was taken. */
  url: string;
  /** Milliseconds since the last request was answered, or since the beginning; 0 while one is under way. */
  quiet(): number;
  /** Stops accepting, and waits until running requests have been answered; what runs too long then is cut off. */
  close(grace: Grace): Promise<void>;
}

/** Milliseconds that running requests have to come to their end. */
export interface Grace {
  /** Those that may take longer. */
  long: number;
  others: number;
}

export interface ListenOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Whether a request for this path, with its query, has the longer grace. */
  mayTakeLonger?: (url: string) => boolean;
  /** Takes over connections that ask for another protocol. */
  upgrades?: { attach(server: Server): void };
}

/**
 * Listens for HTTP.
 *
 * @throws Error that says which setting to change
 */
export async function listen(
  handler: RequestListener,
  { host, port, mayTakeLonger = () => false, upgrades }: ListenOptions,
): Promise<Listening> {
  const server = createServer(handler);
  upgrades?.attach(server);
  const sockets = watchSockets(server, mayTakeLonger);
  // Longer than the idle time of common proxies, so that it is not the server that closes a connection just being reused.
  server.keepAliveTimeout = 75_000;
  // Pushes may take long; the application limits the time for each kind of request.
  server.requestTimeout = 0;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw explainListening(error as NodeJS.ErrnoException, { host, port }, HTTP_SETTINGS);
  }
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    quiet: watchRequests(server),
    close: (grace) => close(server, sockets, grace),
  };
}

/**
 * Checks that the address can be listened on, before anything is set up.
 *
 * @throws Error that says which setting to change
 */
export async function requireAddress(host: string, port: number, settings = HTTP_SETTINGS): Promise<void> {
  const probe = createProbe((socket) => socket.destroy());
  probe.listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw explainListening(error as NodeJS.ErrnoException, { host, port }, settings);
  }
  probe.close();
  await once(probe, 'close');
}

/** A URL to which people can go: a wildcard is no address of a server. */
export function reachable(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost');
}

function watchRequests(server: Server): () => number {
  let running = 0;
  let last = performance.now();
  server.on('request', (_, response) => {
    running += 1;
    response.once('close', () => {
      running -= 1;
      last = performance.now();
    });
  });
  return () => (running > 0 ? 0 : performance.now() - last);
}

/** Every connection, and whether its request is one of those that may take longer. */
function watchSockets(server: Server, mayTakeLonger: (url: string) => boolean): Map<Socket, boolean> {
  const sockets = new Map<Socket, boolean>();
  server.on('connection', (socket) => {
    sockets.set(socket, false);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', ({ socket, url }, response) => {
    if (!mayTakeLonger(url ?? '')) return;
    sockets.set(socket, true);
    response.once('close', () => sockets.has(socket) && sockets.set(socket, false));
  });
  return sockets;
}

async function close(server: Server, sockets: Map<Socket, boolean>, { long, others }: Grace): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A kept-alive connection becomes idle once its last request has been answered: close it then, not when it times out.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => {
    for (const [socket, isLong] of sockets) if (!isLong) socket.destroy();
  }, others);
  const deadline = new AbortController();
  try {
    await Promise.race([closed, sleep(Math.max(long, others), undefined, { signal: deadline.signal })]);
  } finally {
    deadline.abort();
    clearTimeout(cut);
    clearInterval(sweep);
  }
  server.closeAllConnections();
  await closed;
}

/** The settings behind an address to listen on. */
export interface AddressSettings {
  host: string;
  port: string;
}

const HTTP_SETTINGS: AddressSettings = { host: 'HOST', port: 'PORT' };
export const SSH_SETTINGS: AddressSettings = { host: 'GANTRY_SSH_LISTEN', port: 'GANTRY_SSH_PORT' };

/** The error of listening on an address, in words that name the settings behind it. */
export function explainListening(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  settings: AddressSettings,
): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program. Set ${settings.port} to another one.`,
    EACCES: `Port ${port} on ${host} may not be used by this account. Set ${settings.port} to one above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set ${settings.host} to one that it has.`,
    ENOTFOUND: `There is no host named ${host}. Set ${settings.host} to an address of this machine.`,
  };
  const reason = reasons[error.code ?? ''];
  return reason === undefined ? error : new Error(reason, { cause: error });
}
