import type { Readable } from 'node:stream';
import { InvalidRequest } from './invalid_request.ts';

/** Reads a stream piece by piece, no further than it is asked to, so that its writer has to wait. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next bytes, exactly so many; null if the stream ends before the first of them. Throws InvalidRequest. */
  async exactly(length: number): Promise<Buffer | null> {
    const parts = [this.#rest];
    let size = this.#rest.length;
    while (size < length) {
      const chunk = await this.#next();
      if (chunk === null) break;
      parts.push(chunk);
      size += chunk.length;
    }
    const bytes = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    if (size === 0 && length > 0) return null;
    if (size < length) throw new InvalidRequest('The request ends too early');
    this.#rest = bytes.subarray(length);
    return bytes.subarray(0, length);
  }

  /** Everything that is left, in the pieces in which it comes. */
  async *remaining(): AsyncGenerator<Buffer> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) yield rest;
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) yield chunk;
  }

  async #next(): Promise<Buffer | null> {
    if (this.#ended) return null;
    const { done, value } = await this.#chunks.next();
    if (!done) return value;
    this.#ended = true;
    return null;
  }
}
