import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerChannel } from 'ssh2';

/** Bytes that may wait in the socket before more is written to a channel. */
const HIGH_WATER = 256 * 1024;

/** Milliseconds between checks whether a key exchange has let the written data through. */
const GLANCE = 20;

/**
 * Input of a channel, of so many bytes at most. After it is destroyed, further input is discarded so that the client can read the
 * response; the channel itself stays open.
 */
export class ChannelInput extends Readable {
  readonly #channel: ServerChannel;
  /** Bytes received. */
  received = 0;
  hasEnded = false;

  constructor(channel: ServerChannel, most: number, refusal: () => Error) {
    super({ highWaterMark: HIGH_WATER });
    this.#channel = channel;
    channel.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      if (this.destroyed) return;
      if (this.received > most) this.destroy(refusal());
      else if (!this.push(chunk)) channel.pause();
    });
    channel.once('end', () => {
      this.hasEnded = true;
      this.push(null);
    });
    channel.pause();
  }

  /** Whether the client is expected to send more. */
  get isAwaited(): boolean {
    return !this.destroyed && !this.hasEnded && this.readableLength === 0 && !this.#channel.isPaused();
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#channel.resume();
    callback(error);
  }
}

/**
 * Writes to a channel no faster than its client reads: neither the window, nor the socket, nor an unfinished key exchange makes
 * the server buffer more than a chunk.
 */
export class ChannelOutput extends Writable {
  readonly #channel: ServerChannel;
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  /** Bytes sent. */
  sent = 0;

  constructor(channel: ServerChannel, socket: Socket, signal: AbortSignal) {
    super({ highWaterMark: HIGH_WATER });
    this.#channel = channel;
    this.#socket = socket;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.destroy(signal.reason), { once: true });
  }

  /** Whether the client still has to read what was written. */
  get isAwaiting(): boolean {
    return this.writableLength > 0 && !this.destroyed;
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#send(chunk).then(
      () => callback(),
      (error) => callback(error),
    );
  }

  async #send(chunk: Buffer): Promise<void> {
    const [channel, socket, signal] = [this.#channel, this.#socket, this.#signal];
    const before = socket.bytesWritten;
    // If the client never reads, this never ends; the stream itself does.
    await new Promise<void>((resolve) => channel.write(chunk, () => resolve()));
    // During a key exchange, written data waits in memory.
    while (socket.bytesWritten - before < chunk.length) await sleep(GLANCE, undefined, { signal });
    while (socket.writableLength > HIGH_WATER) await once(socket, 'drain', { signal });
    this.sent += chunk.length;
  }
}
