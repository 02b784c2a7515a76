import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ByteReader } from '#src/domain/packages/archives/byte_reader.ts';
import { BadRequest } from '#src/platform/errors.ts';

const BLOCK = 512;
/** Bytes of an archive, unpacked, within which a file is looked for, and of that file. */
const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;
export const MAX_ENTRY_BYTES = 1024 * 1024;

/** A file in an archive. */
export interface ArchiveEntry {
  name: string;
  content: Buffer;
}

/**
 * The first file of a tar archive that is wanted; null if there is none. Throws BadRequest for what is no such archive, for a file
 * that is larger than `MAX_ENTRY_BYTES`, and if it is behind too much else.
 */
export async function findInTar(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
): Promise<ArchiveEntry | null> {
  const reader = new ByteReader(chunks, MAX_SEARCHED_BYTES);
  try {
    for (;;) {
      const header = await reader.read(BLOCK);
      if (header.length < BLOCK || header.every((byte) => byte === 0)) return null;
      const { name, size, isFile } = entryOf(header);
      if (isFile && isWanted(name)) {
        if (size > MAX_ENTRY_BYTES) throw new BadRequest(`${name} in the archive is too large`);
        const content = await reader.read(size);
        if (content.length < size) throw new BadRequest('The archive is cut off');
        return { name, content };
      }
      await reader.skip(Math.ceil(size / BLOCK) * BLOCK);
    }
  } finally {
    await reader.end();
  }
}

function entryOf(header: Buffer): { name: string; size: number; isFile: boolean } {
  const text = (start: number, length: number) => {
    const field = header.subarray(start, start + length);
    const end = field.indexOf(0);
    return field.subarray(0, end < 0 ? length : end).toString('utf8');
  };
  const size = Number.parseInt(text(124, 12).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new BadRequest('The file is no tar archive');
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const kind = String.fromCharCode(header[156] ?? 0);
  const name = `${prefix === '' ? '' : `${prefix}/`}${text(0, 100)}`.replace(/^(?:\.\/)+/, '');
  return { name, size, isFile: kind === '0' || kind === '\0' };
}

/** What gzip packed. What is no gzip is a BadRequest, thrown while it is read. */
export async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks, { objectMode: false });
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new BadRequest('The file is not packed by gzip');
    throw error;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}
