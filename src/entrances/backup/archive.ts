import { MANIFEST, type Manifest, Summing } from './manifest.ts';
import { ending, headers, padding } from './tar.ts';

/** Writes the members of a backup as a tar archive, in chunks, and keeps their checksums. */
export class Archive {
  readonly #summing = new Summing();
  readonly #time = Math.floor(Date.now() / 1000);
  readonly #onBytes: (bytes: number) => void;
  #written = 0;

  /** @param onBytes called with every chunk */
  constructor(onBytes: (bytes: number) => void = () => undefined) {
    this.#onBytes = onBytes;
  }

  /** Adds a member of exactly `size` bytes. Throws an Error if its content has another size. */
  async *add(
    path: string,
    size: number,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    tag?: string,
  ): AsyncGenerator<Buffer> {
    yield* this.#member(path, size, content, this.#summing.begin(path, size, tag));
  }

  /** Adds a member that is in memory. */
  async *addBytes(path: string, content: Buffer | string): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(content as string);
    yield* this.add(path, bytes.length, [bytes]);
  }

  /** Adds the manifest and ends the archive. */
  async *finish(rest: Omit<Manifest, 'sums'>): AsyncGenerator<Buffer> {
    const { id, elsewhere, missing } = rest;
    const manifest: Manifest = { id, sums: this.#summing.end(), elsewhere, missing };
    const bytes = Buffer.from(`${JSON.stringify(manifest)}\n`);
    yield* this.#member(MANIFEST, bytes.length, [bytes], null);
    yield ending(this.#written);
  }

  async *#member(
    path: string,
    size: number,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    hash: { update(chunk: Buffer): unknown } | null,
  ): AsyncGenerator<Buffer> {
    for (const block of headers({ path: Buffer.from(path), size, time: this.#time })) yield this.#count(block);
    let rest = size;
    for await (const chunk of content) {
      if (chunk.length === 0) continue;
      rest -= chunk.length;
      if (rest < 0) break;
      hash?.update(chunk);
      yield this.#count(chunk);
    }
    if (rest !== 0) throw new Error(`${path} changed while it was read`);
    yield this.#count(padding(size));
  }

  #count(chunk: Buffer): Buffer {
    this.#written += chunk.length;
    this.#onBytes(chunk.length);
    return chunk;
  }
}
