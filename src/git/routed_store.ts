import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Oid } from './base/model.ts';
import { IsomorphicStore } from './objects/isomorphic.ts';
import type { GitObject, ObjectHeader, ObjectStore } from './objects/store.ts';
import { ProgramStore } from './program/store.ts';

/**
 * Packs that are larger in sum are left to the git program, in bytes: in process their pieces are read one at a time by
 * the thread that serves requests, which must not wait for a disk.
 */
const LARGE_PACKS = 32 * 1024 * 1024;

/** How often the size of the packs is looked at, in milliseconds. */
const LOOK_AGAIN = 10_000;

/** Contents from this size on come from the program: putting them together here would keep others waiting. In bytes. */
const LARGE_CONTENT = 1024 * 1024;

/**
 * Objects in this process, which takes a tenth of the time of a new program, but for those of large packs and large contents, which
 * come from the git program.
 */
export class RoutedStore implements ObjectStore {
  readonly #near: ObjectStore;
  readonly #far: ObjectStore;
  readonly #isLarge: () => boolean;
  #large = false;
  #looked = -Infinity;

  /** @param isLarge tells whether all objects are better read by the program */
  constructor(directory: string, isLarge = () => packSize(directory) > LARGE_PACKS) {
    this.#far = new ProgramStore(directory);
    this.#near = new IsomorphicStore(directory, { helper: this.#far });
    this.#isLarge = isLarge;
  }

  get #store(): ObjectStore {
    const now = performance.now();
    if (now - this.#looked > LOOK_AGAIN) {
      this.#looked = now;
      this.#large = this.#isLarge();
    }
    return this.#large ? this.#far : this.#near;
  }

  read(oid: Oid): Promise<GitObject | null> {
    return this.#store.read(oid);
  }

  header(oid: Oid): Promise<ObjectHeader | null> {
    return this.#store.header(oid);
  }

  async stream(oid: Oid): Promise<Readable> {
    const size = (await this.header(oid))?.size ?? 0;
    return (size >= LARGE_CONTENT ? this.#far : this.#store).stream(oid);
  }

  matching(prefix: string): Promise<Oid[]> {
    return this.#store.matching(prefix);
  }

  async close(): Promise<void> {
    await Promise.all([this.#near.close(), this.#far.close()]);
  }
}

/** How large the packs of a repository are, in bytes. */
function packSize(directory: string): number {
  const packs = path.join(directory, 'objects', 'pack');
  try {
    const names = readdirSync(packs).filter((name) => name.endsWith('.pack'));
    return names.reduce((sum, name) => sum + statSync(path.join(packs, name)).size, 0);
  } catch {
    // A repack is under way, or there is no such directory yet.
    return 0;
  }
}
