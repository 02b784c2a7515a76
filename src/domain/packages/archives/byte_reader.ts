import { BadRequest } from '#src/platform/errors.ts';

/** Reads a stream piece by piece, so many bytes of it at most. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #most: number;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, most: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#most = most;
  }

  /** The next bytes; fewer at the end. Throws BadRequest beyond the limit, and what the stream throws. */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > 0 && (await this.#fill())) {
      const part = this.#rest.subarray(0, missing);
      parts.push(part);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** Passes over bytes. Throws as `read`. */
  async skip(size: number): Promise<void> {
    for (let missing = size; missing > 0 && (await this.#fill()); ) {
      const passed = Math.min(missing, this.#rest.length);
      this.#rest = this.#rest.subarray(passed);
      missing -= passed;
    }
  }

  /** Reads no further; the stream is closed. */
  async end(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Whether there is something to take. */
  async #fill(): Promise<boolean> {
    if (this.#rest.length > 0) return true;
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#taken += value.byteLength;
    if (this.#taken > this.#most) throw new BadRequest('The archive holds too much before what is looked for');
    return this.#rest.length > 0 || this.#fill();
  }
}
