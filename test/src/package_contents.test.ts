import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { packagesStore } from '#src/domain/packages/place.ts';
import { StoredContent } from '#src/domain/packages/receive.ts';
import { DEFAULT_LIMITS } from '#src/domain/repository/limits.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { DiskUploads } from '#src/domain/uploads/disk.ts';
import { S3Uploads } from '#src/domain/uploads/s3.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import { startObjectStore } from '../support/s3.ts';

const LIMIT = 1_000_000;
const directory = mkdtempSync(path.join(tmpdir(), 'gantry-packages-'));
const s3 = await startObjectStore();
afterAll(async () => {
  await s3.stop();
  rmSync(directory, { recursive: true });
});

const stores: [string, UploadStore][] = [
  ['on the disk', new DiskUploads(directory)],
  ['in a bucket', new S3Uploads(s3.settings)],
];
const repositories = { limits: { ...DEFAULT_LIMITS, packageFileBytes: LIMIT } } as unknown as RepositoryStore;

describe.each(stores)('The content of a file of a package %s', (_where, uploads) => {
  const stores = { repositories, uploads };
  const store = packagesStore(stores);
  async function* chunks(count: number, failing = false): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < count; at += 1) yield Buffer.alloc(1_000, at);
    if (failing) throw new Error('The client has left');
  }
  const listed = async () => {
    const found = [];
    for await (const file of store.list()) found.push(file);
    return found;
  };

  it.each([
    ['known', 300_000],
    ['not known', null],
  ])('is stored while it comes, with its size %s before, and goes again unless it is recorded', async (_how, size) => {
    const whole = await buffer(chunks(300) as never);
    const kept = await StoredContent.receive(stores, 1, { name: 'a.bin', size, content: chunks(300) });
    expect(kept).toMatchObject({ size: 300_000, name: 'a.bin' });
    expect(kept.checksums.sha256).toBe(createHash('sha256').update(whole).digest('hex'));
    expect((await buffer(kept.stream() as never)).equals(whole)).toBe(true);
    await kept.recordedBy(async () => undefined);
    await kept[Symbol.asyncDispose]();
    expect(await store.has(kept.place)).toBe(true);
    await store.remove(kept.place);
    {
      await using lost = await StoredContent.receive(stores, 1, { name: 'b', size, content: chunks(300) });
      expect(await store.has(lost.place)).toBe(true);
    }
    expect(await listed()).toEqual([]);
  });

  it('leaves nothing behind if it is too large, cut off or another size than was told', async () => {
    const refused = [
      { size: null, content: chunks(1_001) },
      { size: LIMIT + 1, content: chunks(1) },
      // This bucket may keep an empty object of a request that breaks off, which the clean-up removes later.
      ...(store.needsSize ? [] : [{ size: 10_000, content: chunks(9) }]),
      { size: null, content: chunks(5, true) },
    ];
    for (const given of refused)
      await expect(StoredContent.receive(stores, 1, { name: 'a', ...given })).rejects.toThrow();
    expect(await listed()).toEqual([]);
  });
});
