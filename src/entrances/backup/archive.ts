import { once } from 'node:events';
import { pack } from 'tar-stream';
import { fillEntry } from '#src/git/archive/fill_entry.ts';
import { MANIFEST, type Manifest, Summing } from './manifest.ts';

/** Writes the members of a backup as a tar archive, in chunks, and keeps their checksums. */
export class Archive {
  readonly #summing = new Summing();
  readonly #pack = pack();
  readonly #time = new Date();
  readonly #onBytes: (bytes: number) => void;

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
    this.#pack.finalize();
    for await (const chunk of this.#pack) yield this.#count(chunk as Buffer);
  }

  async *#member(
    path: string,
    size: number,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    hash: { update(chunk: Buffer): unknown } | null,
  ): AsyncGenerator<Buffer> {
    const entry = this.#pack.entry({ name: path, size, mode: 0o600, mtime: this.#time, uname: 'root', gname: 'root' });
    const filled = fillEntry(entry, exactly(path, size, content, hash)).then(() => true);
    let isFilled = false;
    try {
      while (!isFilled) {
        isFilled = await Promise.race([filled, once(this.#pack, 'readable').then(() => false)]);
        for (let chunk = this.#pack.read(); chunk !== null; chunk = this.#pack.read()) yield this.#count(chunk);
      }
    } finally {
      // Closes the content if the consumer stops early.
      if (!isFilled) this.#pack.destroy();
    }
  }

  #count(chunk: Buffer): Buffer {
    this.#onBytes(chunk.length);
    return chunk;
  }
}

/** Yields a content and updates its checksum. Throws an Error if it has another size. */
async function* exactly(
  path: string,
  size: number,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
  hash: { update(chunk: Buffer): unknown } | null,
): AsyncGenerator<Buffer> {
  let rest = size;
  for await (const chunk of content) {
    rest -= chunk.length;
    if (rest < 0) break;
    hash?.update(chunk);
    yield chunk;
  }
  if (rest !== 0) throw new Error(`${path} changed while it was read`);
}
