import { open, utimes } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';
import { objectTooLarge } from '../base/errors.ts';
import { largestOf } from '../base/limits.ts';
import type { ObjectType, Oid } from '../base/model.ts';
import { ensureDirectory, inDirectory, syncDirectory, syncFanOut, writeSynced } from '../base/sync.ts';
import { writePack } from '../incoming/pack.ts';
import type { PackKeepLock } from '../incoming/pack_keep_lock.ts';
import { nameOf } from '../objects/name.ts';
import type { GitObject } from '../objects/store.ts';

/** More objects than this are written as one pack: syncing each file by itself takes a disk too long. */
const MAX_LOOSE_OBJECTS = 12;

const compress = promisify(deflate);

/** Gathers the new objects of one change of a repository, and writes them together. */
export class ObjectWriter {
  readonly #directory: string;
  readonly #keepLock: PackKeepLock | undefined;
  #objects = new Map<Oid, GitObject>();

  /** @param keepLock protects the written objects from removal until refs lead to them */
  constructor(directory: string, keepLock?: PackKeepLock) {
    this.#directory = directory;
    this.#keepLock = keepLock;
  }

  /** Returns the name of the object, which is on disk after `flush`. Throws LimitExceeded for objects too large to be read. */
  add(type: ObjectType, content: Buffer): Oid {
    if (type !== 'blob' && content.length > largestOf(type)) throw objectTooLarge(content.length, largestOf(type));
    const oid = nameOf(type, content);
    this.#objects.set(oid, { type, content });
    return oid;
  }

  /** An object that was added and not yet written. */
  peek(oid: Oid): GitObject | null {
    return this.#objects.get(oid) ?? null;
  }

  /** Objects that were added and not yet written. */
  get added(): ReadonlyMap<Oid, GitObject> {
    return this.#objects;
  }

  /** Takes over the objects of another writer. */
  adopt({ added }: ObjectWriter): void {
    for (const [oid, object] of added) this.#objects.set(oid, object);
  }

  /** Writes the added objects; they are synced to the disk when this returns. */
  async flush(): Promise<void> {
    const objects = this.#objects;
    this.#objects = new Map();
    if (this.#keepLock || objects.size > MAX_LOOSE_OBJECTS) return writePack(this.#directory, objects, this.#keepLock);
    const fanOuts = new Set([...objects.keys()].map((oid) => path.join(this.#directory, 'objects', oid.slice(0, 2))));
    const created = await Promise.all([...fanOuts].map(ensureDirectory));
    const write = ([oid, object]: [Oid, GitObject]) =>
      writeLoose(path.join(this.#directory, 'objects', oid.slice(0, 2), oid.slice(2)), object);
    await Promise.all([...objects].map(write));
    await Promise.all([...fanOuts].map(syncFanOut));
    if (created.includes(true)) await syncDirectory(path.join(this.#directory, 'objects'));
  }
}

async function writeLoose(file: string, { type, content }: GitObject): Promise<void> {
  if (await refresh(file)) return;
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const compressed = await compress(bytes, { level: constants.Z_BEST_SPEED });
  await inDirectory(path.dirname(file), () => writeSynced(file, [compressed], 'tmp_obj_'));
}

/** Touches and fsyncs an existing object so that it counts as new. */
async function refresh(file: string): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(file, now, now);
    const handle = await open(file, 'r');
    await handle.sync().finally(() => handle.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
