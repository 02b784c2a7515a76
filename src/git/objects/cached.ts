import type { Readable } from 'node:stream';
import type { Oid } from '../model.ts';
import { Lru } from './lru.ts';
import type { GitObject, ObjectHeader, ObjectStore } from './store.ts';

/** Objects larger than this are not kept; in bytes. */
const LARGEST = 256 * 1024;

/** Keeps the small objects of one repository that were read last: objects never change. */
export class CachedStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #objects: Lru<GitObject>;
  readonly #headers = new Lru<ObjectHeader>(5_000);

  /** @param limit how much to keep, in bytes */
  constructor(inner: ObjectStore, limit = 8 * 1024 * 1024) {
    this.#inner = inner;
    this.#objects = new Lru(limit, ({ content }) => content.length + 200);
  }

  async read(oid: Oid): Promise<GitObject | null> {
    const known = this.#objects.get(oid);
    if (known !== undefined) return known;
    const object = await this.#inner.read(oid);
    if (object !== null && object.content.length <= LARGEST) this.#objects.set(oid, object);
    return object;
  }

  async header(oid: Oid): Promise<ObjectHeader | null> {
    const object = this.#objects.get(oid);
    if (object !== undefined) return { type: object.type, size: object.content.length };
    const known = this.#headers.get(oid);
    if (known !== undefined) return known;
    const header = await this.#inner.header(oid);
    if (header !== null) this.#headers.set(oid, header);
    return header;
  }

  stream(oid: Oid): Promise<Readable> {
    return this.#inner.stream(oid);
  }

  matching(prefix: string): Promise<Oid[]> {
    return this.#inner.matching(prefix);
  }

  close(): Promise<void> {
    this.#objects.clear();
    this.#headers.clear();
    return this.#inner.close();
  }
}
