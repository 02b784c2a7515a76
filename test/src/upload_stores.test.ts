// One part in depth, which the long run has.
// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { DiskUploads } from '#src/domain/uploads/disk.ts';
import { S3Uploads } from '#src/domain/uploads/s3.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import { UploadsUnavailable } from '#src/platform/uploads_unavailable.ts';
import { LONG } from '../support/long.ts';
import { startObjectStore } from '../support/s3.ts';

/** Bytes in memory at most of a file of 100 MiB that is written. */
const LARGEST_HELD = 80 << 20;

const directory = mkdtempSync(path.join(tmpdir(), 'gantry-uploads-'));
const s3 = await startObjectStore();
afterAll(async () => {
  await s3.stop();
  rmSync(directory, { recursive: true });
});

const stores: [string, UploadStore][] = [
  ['on the disk', new DiskUploads(directory)],
  ['in a bucket', new S3Uploads(s3.settings)],
];

async function* parts(...contents: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* contents;
}

const read = async (stream: Readable | null) => stream && String(await buffer(stream));
const place = (projectId: number, secret: string): UploadLocation => ({ projectId, secret, fileName: 'notes.txt' });

describe.each(stores)('Uploaded files %s', (_where, store) => {
  it('are kept, whole and in parts', async () => {
    const at = place(1, 'a'.repeat(32));
    await store.check();
    expect(await store.has(at)).toBe(false);
    expect(await store.read(at)).toBeNull();
    await store.write(at, parts(Buffer.from('some '), Buffer.from('text')), 9);
    expect(await store.has(at)).toBe(true);
    expect(await read(await store.read(at))).toBe('some text');
    expect(await read(await store.read(at, { start: 5, end: 7 }))).toBe('tex');
  });

  it('may have any name', async () => {
    const fileName = "R&D (1) 'x' +%20 <ä> ~!*;=.txt";
    const at = { projectId: 8, secret: 'd'.repeat(32), fileName };
    await store.write(at, parts(Buffer.from('text')), 4);
    expect(await read(await store.read(at))).toBe('text');
    const listed = [];
    for await (const file of store.list()) if (file.projectId === 8) listed.push(file.fileName);
    expect(listed).toEqual([fileName]);
    await store.remove({ projectId: 8 });
    expect(await store.has(at)).toBe(false);
  });

  it('are apart from those below a name, which are in the same place', async () => {
    const other = store.below('artifacts');
    const at = place(7, 'c'.repeat(32));
    await store.write(at, parts(Buffer.from('upload')), 6);
    await other.write(at, parts(Buffer.from('artifacts')), 9);
    expect([await read(await store.read(at)), await read(await other.read(at))]).toEqual(['upload', 'artifacts']);
    const listed = async (from: UploadStore) => {
      const sizes: number[] = [];
      for await (const { projectId, size } of from.list()) if (projectId === 7) sizes.push(size);
      return sizes;
    };
    expect([await listed(store), await listed(other)]).toEqual([[6], [9]]);
    await store.remove({ projectId: 7 });
    expect([await store.has(at), await other.has(at)]).toEqual([false, true]);
    await other.remove({ projectId: 7 });
    expect(await listed(other)).toEqual([]);
  });

  it('may be large, and are never in memory as a whole', { ...LONG, timeout: 60_000 }, async () => {
    const at = place(2, 'b'.repeat(32));
    async function* many() {
      for (let n = 0; n < 100; n += 1) yield Buffer.alloc(1 << 20, 'x');
    }
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    collect();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const timer = setInterval(() => {
      const held = () => process.memoryUsage().arrayBuffers - before;
      // Garbage does not count, and a busy machine collects it late.
      if (held() > LARGEST_HELD) collect();
      most = Math.max(most, held());
    }, 5);
    await store.write(at, many(), 100 << 20);
    clearInterval(timer);
    let size = 0;
    for await (const chunk of (await store.read(at)) ?? []) size += chunk.length;
    expect(size).toBe(100 << 20);
    expect(most).toBeLessThan(LARGEST_HELD);
  });

  it('are listed, and deleted one by one or by project', async () => {
    for (const [projectId, secret] of [
      [3, 'c'],
      [3, 'd'],
      [4, 'e'],
    ] as const) {
      await store.write(place(projectId, secret.repeat(32)), parts(Buffer.from(secret)), 1);
    }
    const listed = async () => {
      const found = [];
      for await (const { projectId, secret, size } of store.list())
        if (projectId > 2) found.push([projectId, secret[0], size]);
      return found.sort();
    };
    expect(await listed()).toEqual([
      [3, 'c', 1],
      [3, 'd', 1],
      [4, 'e', 1],
    ]);
    await store.remove({ projectId: 3, secret: 'c'.repeat(32) });
    expect(await listed()).toEqual([
      [3, 'd', 1],
      [4, 'e', 1],
    ]);
    await store.remove({ projectId: 3 });
    expect(await listed()).toEqual([[4, 'e', 1]]);
    await store.remove({ projectId: 99 });
  });
});

describe('A bucket', () => {
  it('that does not answer is said to be unavailable', async () => {
    const away = await startObjectStore();
    await away.stop();
    const store = new S3Uploads(away.settings);
    await expect(store.has(place(1, 'a'.repeat(32)))).rejects.toBeInstanceOf(UploadsUnavailable);
    await expect(store.write(place(1, 'a'.repeat(32)), parts(Buffer.from('a')), 1)).rejects.toBeInstanceOf(
      UploadsUnavailable,
    );
  });

  it('of which the credentials are wrong is said to be unavailable too, and check says why', async () => {
    const credentials = { accessKeyId: 'nobody', secretAccessKey: 'wrong' };
    const store = new S3Uploads({ ...s3.settings, credentials });
    await expect(store.write(place(1, 'f'.repeat(32)), parts(Buffer.from('a')), 1)).rejects.toBeInstanceOf(
      UploadsUnavailable,
    );
    await expect(store.check()).rejects.toThrow();
  });
});
