import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeflate } from 'node:zlib';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { LimitExceeded, MissingObject } from '../base/errors.ts';
import { MAX_WHOLE_BLOB_BYTES } from '../base/limits.ts';
import type { Oid } from '../base/model.ts';
import { syncDirectory } from '../base/sync.ts';
import { leadsTo } from '../history/check.ts';
import { IsomorphicStore } from '../objects/isomorphic.ts';
import { RefReader } from '../refs/read.ts';
import { ObjectWriter } from '../write/objects.ts';

/** How many objects are looked at: their names are kept in memory. */
const MAX_OBJECTS = 5_000_000;

/** How much is written at a time, in objects and bytes. */
const BATCH_LIMITS = { objects: 5_000, bytes: 16 * 1024 * 1024 };

/**
 * Copies all that these objects lead to and another repository does not have, where there is no git program; it is on disk when
 * this returns. Throws MissingObject, LimitExceeded.
 */
export async function copyInProcess(from: string, to: string, tips: readonly Oid[]): Promise<void> {
  const source = new IsomorphicStore(from);
  const target = new IsomorphicStore(to);
  // What refs of the other one hold has all that it leads to.
  const seen = new Set<Oid>((await new RefReader(to).list('refs/')).map(({ target: oid }) => oid));
  const stack = tips.filter((oid) => !seen.has(oid));
  for (const oid of stack) seen.add(oid);
  const batch = new Batch(to);
  try {
    for (let oid = stack.pop(); oid !== undefined; oid = stack.pop()) {
      await yieldToEventLoop();
      const header = await source.header(oid);
      if (header === null && (await target.header(oid)) !== null) continue;
      if (header === null) throw new MissingObject(oid);
      if (header.type === 'blob' && header.size > MAX_WHOLE_BLOB_BYTES) {
        if ((await target.header(oid)) === null) await copyLarge(await source.stream(oid), to, oid, header.size);
        continue;
      }
      const object = await source.read(oid);
      if (object === null) throw new MissingObject(oid);
      if ((await target.header(oid)) === null) await batch.add(object.type, object.content);
      for (const next of leadsTo(oid, object)) {
        if (seen.has(next)) continue;
        seen.add(next);
        stack.push(next);
      }
      if (seen.size > MAX_OBJECTS) throw new LimitExceeded('work', `there are more than ${MAX_OBJECTS} objects`);
    }
    await batch.write();
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** Objects that are written together. */
class Batch {
  readonly #writer: ObjectWriter;
  #bytes = 0;

  constructor(directory: string) {
    this.#writer = new ObjectWriter(directory);
  }

  async add(...[type, content]: Parameters<ObjectWriter['add']>): Promise<void> {
    this.#writer.add(type, content);
    this.#bytes += content.length;
    if (this.#bytes >= BATCH_LIMITS.bytes || this.#writer.added.size >= BATCH_LIMITS.objects) await this.write();
  }

  async write(): Promise<void> {
    this.#bytes = 0;
    if (this.#writer.added.size > 0) await this.#writer.flush();
  }
}

/** Writes a file that does not come into memory whole. */
async function copyLarge(content: Readable, to: string, oid: Oid, size: number): Promise<void> {
  const folder = path.join(to, 'objects', oid.slice(0, 2));
  await mkdir(folder, { recursive: true });
  const draft = path.join(folder, `tmp_obj_${randomBytes(8).toString('hex')}`);
  async function* whole() {
    yield Buffer.from(`blob ${size}\0`);
    yield* content;
  }
  try {
    await pipeline(Readable.from(whole()), createDeflate({ level: 1 }), createWriteStream(draft, { flush: true }));
    await rename(draft, path.join(folder, oid.slice(2)));
    await syncDirectory(folder);
  } finally {
    await rm(draft, { force: true });
  }
}
