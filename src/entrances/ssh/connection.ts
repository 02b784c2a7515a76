import type { Socket } from 'node:net';
import type { Connection, ServerChannel, Session } from 'ssh2';
import { Gone } from '#src/domain/repository/remote/failure.ts';
import { Login } from '#src/entrances/ssh/authenticate.ts';
import type { ConnectionLimiter, Guest } from '#src/entrances/ssh/connection_limiter.ts';
import { execute } from '#src/entrances/ssh/execute.ts';
import { MAX_BUFFERED_BYTES } from '#src/entrances/ssh/limits.ts';
import type { SshServices } from '#src/entrances/ssh/services.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** Milliseconds within which a client must close a connection that was ended. */
const CLOSE_GRACE = 2_000;
/** Milliseconds within which a client must read the last response when the server stops. */
const PARTING = 10_000;
const MINUTE = 60_000;

/** The longest git protocol version that a client may name, in characters. */
const MAX_PROTOCOL_LENGTH = 100;

/** One connection: its login, and the commands on its channels. */
export class Visit {
  readonly #client: Connection;
  readonly #socket: Socket;
  readonly #guest: Guest;
  readonly #services: SshServices;
  readonly #login: Login;
  readonly #commands = new Set<AbortController>();
  readonly #channels = new Set<ServerChannel>();
  /** Channels closed by their clients. */
  readonly #left = new WeakSet<AbortController>();
  #sessions = 0;
  #exchanges: number[] = [];
  #idle: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(
    client: Connection,
    socket: Socket,
    { guest, limiter, services }: { guest: Guest; limiter: ConnectionLimiter; services: SshServices },
  ) {
    this.#client = client;
    this.#socket = socket;
    this.#guest = guest;
    this.#services = services;
    this.#login = new Login(services.stores.db, services.limits);
    const deadline = setTimeout(() => this.end(), services.limits.login);
    client.on('error', () => this.end());
    client.on('handshake', () => this.#countExchange());
    client.on('authentication', (context) => {
      this.#login.attempt(context).then(
        (goesOn) => goesOn || this.end(),
        (error) => this.#fail(error),
      );
    });
    client.on('ready', () => {
      clearTimeout(deadline);
      guest.isIn = true;
      this.#rest();
    });
    client.on('session', (accept, reject) => this.#open(accept, reject));
    socket.on('data', () => this.#checkWaiting());
    socket.once('close', () => {
      clearTimeout(deadline);
      clearTimeout(this.#idle);
      if (this.#login.hasFailed) limiter.fail(guest);
      for (const command of this.#commands) command.abort(new Gone('The client is gone.'));
    });
  }

  /** Ends the connection: immediately if it never had a command, else when its client has read the last response. */
  retire(): void {
    this.#isEnding = true;
    if (this.#commands.size > 0) return;
    const timer = setTimeout(() => this.end(), this.#sessions === 0 ? 0 : PARTING);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** Ends the connection, whatever runs on it. */
  end(): void {
    this.#client.end();
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  #fail(error: unknown): void {
    if (!transientFailure(error)) this.#services.report(error);
    this.end();
  }

  #open(accept: () => Session, reject: () => void): void {
    if (this.#sessions >= this.#services.limits.sessions || this.#isEnding) {
      reject();
      return;
    }
    this.#sessions += 1;
    const session = accept();
    const controller = new AbortController();
    let protocol: string | undefined;
    session.on('close', () => {
      this.#sessions -= 1;
      this.#left.add(controller);
      controller.abort(new Gone('The client is gone.'));
      if (this.#isEnding) this.retire();
    });
    session.on('env', (take: (() => void) | undefined, refuse: (() => void) | undefined, { key, val }) => {
      if (key !== 'GIT_PROTOCOL' || val.length > MAX_PROTOCOL_LENGTH) return refuse?.();
      protocol = val;
      take?.();
    });
    const run = (channel: ServerChannel | undefined, command: string | null) => {
      if (channel) this.#run({ channel, command, protocol }, controller).catch((error) => this.#fail(error));
    };
    session.on('exec', (take, _refuse, { command }) => run(take(), command));
    session.on('shell', (take) => run(take(), null));
  }

  async #run(wish: Parameters<typeof execute>[2], controller: AbortController): Promise<void> {
    const { fingerprint } = this.#login;
    if (fingerprint === null) return this.end();
    clearTimeout(this.#idle);
    this.#guest.running += 1;
    this.#commands.add(controller);
    this.#channels.add(wish.channel);
    try {
      const { remoteAddress: address = null } = this.#socket;
      await execute(this.#services, { fingerprint, address, socket: this.#socket }, wish, controller);
    } finally {
      this.#guest.running -= 1;
      this.#commands.delete(controller);
      wish.channel.once('close', () => this.#channels.delete(wish.channel));
      // A client that was too slow does not read the end of its channel either.
      if (controller.signal.aborted && !this.#left.has(controller)) this.end();
      else if (this.#isEnding) this.retire();
      this.#rest();
    }
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#guest.running > 0 || this.#socket.destroyed) return;
    this.#idle = setTimeout(() => this.end(), this.#services.limits.idle);
  }

  /** Ends the connection of a client that starts key exchanges over and over. */
  #countExchange(): void {
    const now = performance.now();
    this.#exchanges = [...this.#exchanges.filter((at) => at > now - MINUTE), now];
    if (this.#exchanges.length > this.#services.limits.rekeys) this.#socket.destroy();
  }

  /** Ends the connection of a client that exceeds its window or reads no responses. */
  #checkWaiting(): void {
    let waiting = this.#socket.writableLength;
    for (const channel of this.#channels) waiting += channel.readableLength;
    if (waiting > MAX_BUFFERED_BYTES) this.#socket.destroy();
  }
}
