import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2, { type ParsedKey, type ServerConfig } from 'ssh2';
import { ALGORITHMS } from '#src/entrances/ssh/algorithms.ts';
import { announceSignatures } from '#src/entrances/ssh/announce_signatures.ts';
import { Visit } from '#src/entrances/ssh/connection.ts';
import { ConnectionLimiter, type Guest } from '#src/entrances/ssh/connection_limiter.ts';
import type { SshServices } from '#src/entrances/ssh/services.ts';
import { explainListening, SSH_SETTINGS } from '#src/platform/lifecycle/listen.ts';
import { sshConnections } from '#src/platform/observability/metrics/registry.ts';

/** Milliseconds between heartbeats, and how many may go unanswered. */
const KEEP_ALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 4 };

export interface SshListening {
  port: number;
  /** Stops accepting, ends idle connections, and waits so many milliseconds for running commands. */
  close(grace: number): Promise<void>;
}

export interface SshListenOptions {
  host: string;
  /** 0 chooses a free one. */
  port: number;
  /** Private keys in the format of OpenSSH, preferred first. */
  hostKeys: readonly string[];
  services: SshServices;
}

/**
 * Listens for git clients over SSH (docs/security.md, SSH).
 *
 * @throws Error that says which setting to change
 */
export async function listenSsh({ host, port, hostKeys, services }: SshListenOptions): Promise<SshListening> {
  const limiter = new ConnectionLimiter(services.limits);
  const visits = new Map<Guest, Visit>();
  const sockets = new Map<Socket, Guest>();
  const config = configOf(hostKeys);
  let isClosing = false;
  const enter = (socket: Socket) => {
    socket.on('error', () => undefined);
    const end = () => visits.get(guest)?.end() ?? socket.destroy();
    const admitted = isClosing ? null : limiter.admit(socket, () => end());
    if (admitted === null) return void socket.destroy();
    const { guest, wait } = admitted;
    sockets.set(socket, guest);
    sshConnections.inc();
    const turn = setTimeout(() => {
      // Each connection gets its own server object, which never listens: this tells which socket a client uses.
      const server = new ssh2.Server(config, (client) => {
        announceSignatures(client);
        const visit = new Visit(client, socket, { guest, limiter, services });
        visits.set(guest, visit);
        if (isClosing) visit.retire();
      });
      server.on('error', () => socket.destroy());
      server.injectSocket(socket);
    }, wait);
    // Before a client has sent its version, there is no visit that limits it.
    const greeting = setTimeout(() => visits.has(guest) || socket.destroy(), wait + services.limits.login);
    socket.once('close', () => {
      clearTimeout(turn);
      clearTimeout(greeting);
      sockets.delete(socket);
      sshConnections.dec();
      visits.delete(guest);
      limiter.leave(guest);
    });
  };
  const server = createServer({ pauseOnConnect: true, noDelay: true }, enter);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw explainListening(error as NodeJS.ErrnoException, { host, port }, SSH_SETTINGS);
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close(grace) {
      isClosing = true;
      const closed = once(server, 'close');
      server.close();
      for (const [socket, guest] of sockets) {
        const visit = visits.get(guest);
        if (visit) visit.retire();
        else socket.destroy();
      }
      const deadline = new AbortController();
      await Promise.race([closed, sleep(grace, undefined, { signal: deadline.signal })]);
      deadline.abort();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
  };
}

function configOf(hostKeys: readonly string[]): ServerConfig {
  const parsed = hostKeys.map((text) => ssh2.utils.parseKey(text) as ParsedKey).flatMap(signing);
  return {
    // Parsed keys are passed as they are.
    hostKeys: parsed.map((key) => ({ key })) as unknown as ServerConfig['hostKeys'],
    algorithms: ALGORITHMS as unknown as NonNullable<ServerConfig['algorithms']>,
    ident: 'Gantry',
    ...KEEP_ALIVE,
  };
}

/** ssh2 also offers SHA-1 signatures for RSA keys, unless the key is registered under the names of the others. */
function signing(key: ParsedKey): ParsedKey[] {
  if (key.type !== 'ssh-rsa') return [key];
  return ['rsa-sha2-512', 'rsa-sha2-256'].map((type) => Object.create(key, { type: { value: type } }) as ParsedKey);
}
