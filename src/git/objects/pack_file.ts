import { createReadStream, openSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { constants, createInflate, inflateSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { GitError, LimitExceeded, objectTooLarge } from '../base/errors.ts';
import { largestOf } from '../base/limits.ts';
import type { ObjectType, Oid } from '../base/model.ts';
import { applyDelta, deltaSizes } from './delta.ts';
import { FileReader } from './open_files.ts';
import { PackIndex } from './pack_index.ts';
import { compact, type GitObject, type ObjectHeader } from './store.ts';

const TYPES: Record<number, ObjectType> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };

/** Bytes read first of an object; most objects fit. */
const FIRST_READ = 4096;

/** Objects that others are made of, of all packs together; larger ones are not kept. In bytes. */
const bases = new LRUCache<string, GitObject>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ content }) => content.length + 300,
});
const MAX_CACHED_BASE_BYTES = 512 * 1024;

/** Takes the first read of an object, until the next one. */
const scratch = Buffer.alloc(FIRST_READ);

let packs = 0;

/** How many deltas are followed in this process. */
const MAX_DELTAS = 250;

/** How many bytes may be put together for one object where a git program takes over beyond, and where there is none. */
export const MAX_ASSEMBLED_BYTES = { shared: 32 * 1024 * 1024, alone: 256 * 1024 * 1024 };

/** What the pack holds at an offset: an object, or the difference to a base. */
interface Stored {
  type: ObjectType | null;
  base: number | Oid | null;
  /** Of the content or the difference, in bytes. */
  size: number;
  /** Where the compressed bytes begin. */
  start: number;
  /** The first of the compressed bytes, perhaps all; good until the next object is looked at. */
  bytes: Buffer;
}

/** One pack, which is read piece by piece and never as a whole. */
export class PackFile {
  readonly #index: PackIndex;
  readonly #path: string;
  readonly #file: FileReader;
  readonly #scope = `${++packs} `;
  readonly #mostWork: number;

  /**
   * @param path without `.pack` or `.idx`
   * @param mostWork how many bytes may be put together for one object
   * Throws if there is no index, or one of another version.
   */
  constructor(path: string, mostWork: number) {
    this.#mostWork = mostWork;
    this.#path = `${path}.pack`;
    this.#index = new PackIndex(`${path}.idx`);
    this.#file = new FileReader(this.#path);
  }

  /** Throws LimitExceeded. */
  read(oid: Oid, limitOf = largestOf): GitObject | null {
    const offset = this.#index.offset(oid);
    if (offset === null) return null;
    const { type, size } = this.#headerAt(offset);
    if (size > limitOf(type)) throw objectTooLarge(size, limitOf(type));
    return this.#readAt(offset);
  }

  /** Throws LimitExceeded. */
  header(oid: Oid): ObjectHeader | null {
    const offset = this.#index.offset(oid);
    return offset === null ? null : this.#headerAt(offset);
  }

  /** Type and size without putting anything together: the head of a difference tells the size of the result. */
  #headerAt(offset: number): ObjectHeader {
    let stored = this.#stored(offset);
    if (stored.type !== null) return { type: stored.type, size: stored.size };
    const { result } = deltaSizes(this.#beginning(stored));
    for (let steps = 0; stored.type === null; steps++) {
      if (steps > MAX_DELTAS) throw this.#tooManyDeltas();
      stored = this.#stored(this.#baseOffset(stored));
    }
    return { type: stored.type, size: result };
  }

  /** The content in chunks, if it is in the pack as such; null if it has to be put together. */
  stream(oid: Oid): Readable | null {
    const offset = this.#index.offset(oid);
    const stored = offset === null ? null : this.#stored(offset);
    if (stored === null || stored.type === null) return null;
    const end = stored.start + compressedBound(stored.size);
    const inflate = createInflate({ chunkSize: 64 * 1024 });
    // With a descriptor of its own: that of the pack may be closed before the stream has ended.
    const source = createReadStream(this.#path, { fd: openSync(this.#path, 'r'), start: stored.start, end });
    pipeline(source, inflate, () => undefined);
    return inflate;
  }

  matching(prefix: string): Oid[] {
    return this.#index.matching(prefix);
  }

  close(): void {
    this.#index.close();
    this.#file.close();
  }

  /** Follows the differences down to an object that is there, and puts them together again. */
  #readAt(offset: number): GitObject {
    const differences: { offset: number; delta: Buffer }[] = [];
    let object: GitObject | undefined;
    let work = 0;
    for (let at = offset; object === undefined; ) {
      object = bases.get(this.#scope + at);
      if (object !== undefined) break;
      const stored = this.#stored(at);
      work += stored.size + (stored.type === null ? deltaSizes(this.#beginning(stored)).result : 0);
      if (work > this.#mostWork || differences.length > MAX_DELTAS) throw this.#tooManyDeltas();
      const content = this.#inflate(stored);
      if (stored.type === null) {
        differences.push({ offset: at, delta: content });
        at = this.#baseOffset(stored);
      } else {
        object = this.#keep(at, { type: stored.type, content }, differences.length > 0);
      }
    }
    for (const { offset: at, delta } of differences.reverse())
      object = this.#keep(at, { type: object.type, content: applyDelta(object.content, delta) }, true);
    return object;
  }

  #tooManyDeltas(): LimitExceeded {
    const limits = `${MAX_DELTAS} deltas, or of more than ${this.#mostWork} bytes of them`;
    return new LimitExceeded('work', `an object is made of more than ${limits}`);
  }

  #keep(offset: number, object: GitObject, isBase: boolean): GitObject {
    if (!isBase || object.content.length > MAX_CACHED_BASE_BYTES) return object;
    const kept = compact(object);
    bases.set(this.#scope + offset, kept);
    return kept;
  }

  /** Reads the head of an object: type and size in groups of seven bits, then what it is based on. */
  #stored(offset: number): Stored {
    if (offset < 0 || !Number.isSafeInteger(offset))
      throw new GitError(`${this.#path} is damaged: there is no ${offset}`);
    const bytes = this.#file.read(offset, FIRST_READ, scratch);
    let at = 0;
    const next = () => {
      const byte = bytes[at++];
      if (byte === undefined) throw new GitError(`${this.#path} is cut off at ${offset}`);
      return byte;
    };
    let byte = next();
    const kind = (byte >> 4) & 7;
    let size = byte & 15;
    for (let scale = 16; byte >= 128; scale *= 128) {
      byte = next();
      size += (byte & 127) * scale;
    }
    let base: number | Oid | null = null;
    if (kind === 6) {
      byte = next();
      let distance = byte & 127;
      while (byte >= 128) {
        byte = next();
        distance = (distance + 1) * 128 + (byte & 127);
      }
      base = offset - distance;
    } else if (kind === 7) {
      base = bytes.toString('hex', at, at + 20);
      at += 20;
    }
    const type = TYPES[kind] ?? null;
    if (type === null && base === null) throw new GitError(`${this.#path} is damaged at ${offset}`);
    return { type, base, size, start: offset + at, bytes: bytes.subarray(at) };
  }

  #baseOffset({ base }: Stored): number {
    const offset = typeof base === 'string' ? this.#index.offset(base) : base;
    if (offset === null) throw new GitError(`${this.#path} has no base ${base}`);
    return offset;
  }

  #inflate({ bytes, start, size }: Stored): Buffer {
    const bound = compressedBound(size);
    const input = bytes.length >= bound ? bytes : (this.#tryShort(bytes, size) ?? this.#file.read(start, bound));
    const content = inflateSync(input, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: chunkFor(size) });
    if (content.length !== size) throw new GitError(`${this.#path} is damaged at ${start}`);
    return content;
  }

  /** The bytes that were read already, if they are likely to be the whole object. */
  #tryShort(bytes: Buffer, size: number): Buffer | null {
    if (size > FIRST_READ * 2) return null;
    const content = inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: chunkFor(size) });
    return content.length === size ? bytes : null;
  }

  /** The first bytes of a content. */
  #beginning({ bytes }: Stored): Buffer {
    return inflateSync(bytes.subarray(0, 256), { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 1024 });
  }
}

/** How long compressed content can be: a little longer than the content, at worst. */
function compressedBound(size: number): number {
  return size + Math.ceil(size / 1000) + 64;
}

function chunkFor(size: number): number {
  return Math.max(64, Math.min(size + 64, 1024 * 1024));
}
