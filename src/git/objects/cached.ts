import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { isLimit, MissingObject, objectTooLarge } from '../base/errors.ts';
import { largestOf } from '../base/limits.ts';
import { isOid, type Oid } from '../base/model.ts';
import { compact, type GitObject, type ObjectHeader, type ObjectStore } from './store.ts';

/** Objects larger than this are not kept; in bytes. */
const MAX_CACHED_BYTES = 256 * 1024;

/** What all repositories together keep, by its bytes and what the map itself needs. */
const objects = new LRUCache<string, GitObject>({
  maxSize: 24 * 1024 * 1024,
  sizeCalculation: ({ content }) => content.length + 300,
});
const headers = new LRUCache<string, ObjectHeader>({ maxSize: 4 * 1024 * 1024, sizeCalculation: () => 200 });

let scopes = 0;

/** A name for what one reader keeps: nothing of it is ever given to another one. */
export function newScope(): string {
  return `${++scopes} `;
}

/** Keeps the small objects that were read last: objects never change. */
export class CachedStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #scope: string;

  /** @param scope two stores for the same repository may share what they keep */
  constructor(inner: ObjectStore, scope: string) {
    this.#inner = inner;
    this.#scope = scope;
  }

  async read(oid: Oid): Promise<GitObject | null> {
    if (!isOid(oid)) return null;
    const key = this.#scope + oid;
    const known = objects.get(key);
    if (known !== undefined) return known;
    const header = headers.get(key);
    if (header !== undefined && header.size > largestOf(header.type)) {
      throw objectTooLarge(header.size, largestOf(header.type));
    }
    const object = await this.#inner.read(oid).catch(async (error) => {
      // Known from now on, it is not begun to be read again.
      if (isLimit(error, 'size')) await this.header(oid);
      throw error;
    });
    if (object === null || object.content.length > MAX_CACHED_BYTES) return object;
    const kept = compact(object);
    objects.set(key, kept);
    return kept;
  }

  async header(oid: Oid): Promise<ObjectHeader | null> {
    if (!isOid(oid)) return null;
    const key = this.#scope + oid;
    const object = objects.get(key);
    if (object !== undefined) return { type: object.type, size: object.content.length };
    const known = headers.get(key);
    if (known !== undefined) return known;
    const header = await this.#inner.header(oid);
    if (header !== null) headers.set(key, header);
    return header;
  }

  async stream(oid: Oid): Promise<Readable> {
    if (!isOid(oid)) throw new MissingObject(oid);
    return this.#inner.stream(oid);
  }

  matching(prefix: string): Promise<Oid[]> {
    return this.#inner.matching(prefix);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
