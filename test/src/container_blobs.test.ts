// One part in depth, which the long run has.
// @module-tag long
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { ensureRepository, openName } from '#src/domain/container_registry/access.ts';
import { findBlob, readBlob } from '#src/domain/container_registry/blobs.ts';
import { containersStore } from '#src/domain/container_registry/place.ts';
import { appendPart, beginUpload, finishUpload } from '#src/domain/container_registry/uploads.ts';
import { S3Uploads } from '#src/domain/uploads/s3.ts';
import { blobOf } from '../support/container_client.ts';
import { startObjectStore } from '../support/s3.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const s3 = await startObjectStore();
afterAll(() => s3.stop());

it('Blobs of images in a bucket come in one part or several, of known sizes or not, and are the same again', async () => {
  const context = { ...world.as(owner), uploads: new S3Uploads(s3.settings) };
  const project = await world.project({ owner });
  const image = await openName(context, project.fullPath.toLowerCase(), 'push');
  const repository = await ensureRepository(context, image);
  const none = { content: (async function* () {})(), length: 0, start: null };
  for (const [count, isKnown] of [
    [1, true],
    [1, false],
    [3, true],
    [3, false],
  ] as const) {
    const blob = blobOf();
    const { id } = await beginUpload(context, repository);
    for (let at = 0; at < count; at++) {
      const [start, end] = [(blob.size / count) * at, (blob.size / count) * (at + 1)];
      const content = (async function* () {
        yield blob.bytes.subarray(start, end);
      })();
      await appendPart(context, repository, id, { content, length: isKnown ? end - start : null, start });
    }
    await finishUpload(context, repository, id, { digest: blob.digest, part: none });
    const found = await findBlob(context, repository, blob.digest);
    expect(await buffer((await readBlob(context, found)).stream)).toEqual(blob.bytes);
    const part = await (await readBlob(context, found)).part?.({ start: 5, end: 9 });
    expect(part && (await buffer(part))).toEqual(blob.bytes.subarray(5, 10));
  }
  const files = [];
  for await (const file of containersStore(context).list()) files.push(file);
  expect(files).toHaveLength(4);
});
