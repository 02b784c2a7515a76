import { Readable } from 'node:stream';
import type { RawContent } from '#src/domain/repository/raw.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import { NotFound } from '#src/platform/errors.ts';

/** What a record says of a file in a store. */
export interface StoredContent extends Pick<RawContent, 'fileName' | 'etag' | 'headers'> {
  /** In bytes. */
  size: number;
  /** What NotFound calls it. */
  resource: string;
}

/** A file in a store as content to send, whole or in part. Throws NotFound if the store has lost it, UploadsUnavailable. */
export async function openStored(
  store: UploadStore,
  place: UploadLocation,
  { resource, ...content }: StoredContent,
): Promise<RawContent> {
  if (!(await store.has(place))) throw new NotFound(resource);
  const part = async (range?: { start: number; end: number }) => {
    const read = await store.read(place, range);
    if (read === null) throw new NotFound(resource);
    return read;
  };
  // Opened when it is first read, as often only a part is sent.
  async function* whole(): AsyncGenerator<Buffer> {
    yield* await part();
  }
  const stream = Readable.from(whole(), { objectMode: false });
  return { ...content, stream, part, type: 'application/octet-stream' };
}
