import fs from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createInflate, inflateSync } from 'node:zlib';
import { isLimit, MissingObject, objectTooLarge } from '../base/errors.ts';
import { isAbsent } from '../base/existence.ts';
import { largestOf } from '../base/limits.ts';
import { isOid, type ObjectType, type Oid } from '../base/model.ts';
import { MAX_ASSEMBLED_BYTES } from './pack_file.ts';
import { Packs } from './packs.ts';
import type { GitObject, ObjectHeader, ObjectStore } from './store.ts';

/** Larger loose objects are not left to isomorphic-git, which unpacks them in this thread; in bytes. */
const MAX_IN_THREAD_BYTES = 64 * 1024;

/** The largest blob that is put together of differences in this process, in bytes. */
const MAX_BLOB_BYTES = 32 * 1024 * 1024;

/**
 * Objects in this process. Loose ones are read by isomorphic-git. Of a packed one it would read the whole pack into memory,
 * and put together the same bases again and again; packs are therefore read here, piece by piece.
 */
export class IsomorphicStore implements ObjectStore {
  readonly #gitdir: string;
  readonly #packs: Packs;
  #idle: NodeJS.Timeout | undefined;
  readonly #idleMs: number;
  readonly #helper: ObjectStore | null;

  /**
   * @param idleMs after how many milliseconds without a read the files of packs are closed
   * @param helper who reads what takes long to put together; without one it is not read
   */
  constructor(
    directory: string,
    { idleMs = 30_000, helper = null }: { idleMs?: number; helper?: ObjectStore | null } = {},
  ) {
    this.#gitdir = directory;
    this.#packs = new Packs(directory, helper === null ? MAX_ASSEMBLED_BYTES.alone : MAX_ASSEMBLED_BYTES.shared);
    this.#idleMs = idleMs;
    this.#helper = helper;
  }

  read(oid: Oid, limitOf = largestOf): Promise<GitObject | null> {
    return this.#helped(
      async () => {
        const packed = this.#packs.find((pack) => pack.read(oid, limitOf));
        // Between the two looks a repack may have moved it from here to there.
        return packed ?? (await this.#readLoose(oid, limitOf)) ?? this.#packs.find((pack) => pack.read(oid, limitOf));
      },
      (helper) => helper.read(oid),
    );
  }

  header(oid: Oid): Promise<ObjectHeader | null> {
    return this.#helped(
      async () => {
        const packed = this.#packs.find((pack) => pack.header(oid));
        return packed ?? (await this.#looseHeader(oid)) ?? this.#packs.find((pack) => pack.header(oid));
      },
      (helper) => helper.header(oid),
    );
  }

  async stream(oid: Oid): Promise<Readable> {
    this.#touch();
    const packed = this.#packs.find((pack) => pack.stream(oid));
    if (packed !== null) return packed;
    const loose = await this.#openLoose(oid);
    if (loose !== null) {
      const stream = Readable.from(content(loose.file, loose.offset), { objectMode: false });
      // A stream that is destroyed before it was read never enters the generator.
      return stream.once('close', () => void loose.file.close().catch(() => undefined));
    }
    if (this.#helper !== null) return this.#helper.stream(oid);
    const object = await this.read(oid, () => MAX_BLOB_BYTES);
    if (object === null) throw new MissingObject(oid);
    return Readable.from(slices(object.content), { objectMode: false });
  }

  async matching(prefix: string): Promise<Oid[]> {
    this.#touch();
    const folder = path.join(this.#gitdir, 'objects', prefix.slice(0, 2));
    const names = await readdir(folder).catch((error) => {
      if (isAbsent(error)) return [];
      throw error;
    });
    const loose = names.map((name) => prefix.slice(0, 2) + name).filter((oid) => isOid(oid) && oid.startsWith(prefix));
    // Packs last: what a repack moves meanwhile is found there.
    return [...new Set([...loose, ...this.#packs.matching(prefix)])];
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#packs.close();
  }

  async #helped<T>(work: () => Promise<T>, ask: (helper: ObjectStore) => Promise<T>): Promise<T> {
    this.#touch();
    try {
      return await work();
    } catch (error) {
      if (!isLimit(error, 'work') || this.#helper === null) throw error;
      return ask(this.#helper);
    }
  }

  async #readLoose(oid: Oid, limitOf: typeof largestOf): Promise<GitObject | null> {
    // Were it not there, isomorphic-git would go on to load all packs.
    const header = await this.#looseHeader(oid);
    if (header === null) return null;
    if (header.size > limitOf(header.type)) throw objectTooLarge(header.size, limitOf(header.type));
    if (header.size > MAX_IN_THREAD_BYTES) return this.#unpackLoose(oid);
    try {
      // Loaded with the first object: it takes as much memory as a good part of the server.
      const { default: git } = await import('isomorphic-git');
      const found = await git.readObject({ fs: LOOSE_ALONE, gitdir: this.#gitdir, oid, format: 'content', cache: {} });
      if (found.format !== 'content') return null;
      return { type: found.type as ObjectType, content: toBuffer(found.object) };
    } catch (error) {
      // Between the two looks it may have been packed.
      if (['NotFoundError', 'ENOENT'].includes(codeOf(error) ?? '')) return null;
      throw error;
    }
  }

  /** Null if it has been moved to a pack since its header was read. */
  async #unpackLoose(oid: Oid): Promise<GitObject | null> {
    const loose = await this.#openLoose(oid);
    if (loose === null) return null;
    const bytes = Buffer.concat(await Readable.from(content(loose.file, loose.offset)).toArray());
    if (bytes.length !== loose.size) throw new MissingObject(oid);
    return { type: loose.type, content: bytes };
  }

  #touch(): void {
    if (this.#idle === undefined) this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref();
    else this.#idle.refresh();
  }

  #file(oid: Oid): string {
    return path.join(this.#gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
  }

  async #looseHeader(oid: Oid): Promise<ObjectHeader | null> {
    const loose = await this.#openLoose(oid);
    await loose?.file.close();
    return loose === null ? null : { type: loose.type, size: loose.size };
  }

  /**
   * A loose object, whose first bytes tell its type and size; `offset` is where the content begins. It stays open: a repack may
   * remove it from the directory at any time. Null if there is none.
   */
  async #openLoose(oid: Oid): Promise<(ObjectHeader & { offset: number; file: FileHandle }) | null> {
    let file: FileHandle;
    try {
      file = await open(this.#file(oid));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0);
      const start = inflateSync(buffer.subarray(0, bytesRead), { finishFlush: 2 });
      const match = /^(commit|tree|blob|tag) (\d+)\0/.exec(start.toString('latin1', 0, 64));
      if (match === null) throw new MissingObject(oid);
      return { type: match[1] as ObjectType, size: Number(match[2]), offset: match[0].length, file };
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

/** For isomorphic-git, which would load all packs where a loose object has vanished in the meantime. */
const LOOSE_ALONE = { promises: { ...fs.promises, readdir: async () => [] } };

/** The content of a loose object, without the header that precedes it. Closes the file. */
async function* content(file: FileHandle, offset: number): AsyncGenerator<Buffer> {
  let skip = offset;
  const source = file.createReadStream({ start: 0, highWaterMark: 64 * 1024 });
  const inflate = createInflate({ chunkSize: 64 * 1024 });
  source.on('error', (error) => inflate.destroy(error));
  try {
    for await (const chunk of source.pipe(inflate) as AsyncIterable<Buffer>) {
      if (chunk.length > skip) yield chunk.subarray(skip);
      skip = Math.max(0, skip - chunk.length);
    }
  } finally {
    source.destroy();
  }
}

function* slices(bytes: Buffer, size = 64 * 1024): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function toBuffer(bytes: Uint8Array | string): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
