import { isUtf8 } from 'node:buffer';
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib';
import { type ArchiveInput, archiveTime, type Member, members } from './members.ts';
import { centralHeader, descriptor, endOfDirectory, localHeader, type ZipEntry } from './zip_records.ts';

const compress = promisify(deflateRaw);

const STORED = 0;
const DEFLATED = 8;

/**
 * A zip archive in chunks. Sizes and check sums of large contents follow them, as they are not known before; nothing but
 * the current chunk and the directory is kept in memory.
 */
export async function* zipChunks(input: ArchiveInput): AsyncGenerator<Buffer> {
  const time = await archiveTime(input);
  const entries: ZipEntry[] = [];
  let offset = 0;
  const count = (chunk: Buffer) => {
    offset += chunk.length;
    return chunk;
  };
  for await (const member of members(input.reader, input.commit, input.prefix)) {
    const entry = describe(member, time, offset);
    entries.push(entry);
    const { content } = member;
    const chunks = Buffer.isBuffer(content) ? whole(entry, content) : streamed(entry, content);
    for await (const chunk of chunks) yield count(chunk);
  }
  const start = offset;
  for (const entry of entries) yield count(centralHeader(entry));
  yield endOfDirectory({ count: entries.length, start, size: offset - start, comment: Buffer.from(input.commit) });
}

function describe({ path, kind, permissions, size }: Member, time: number, offset: number): ZipEntry {
  const type = { directory: 0o040000, file: 0o100000, symlink: 0o120000 }[kind];
  return {
    path,
    isText: isUtf8(path),
    // Whoever unpacks gets these as they are, whatever their own mask is: nobody else may write.
    mode: type | (permissions & ~0o022),
    time,
    offset,
    method: STORED,
    crc: 0,
    size,
    compressed: 0,
    isStreamed: false,
  };
}

/** Compresses what is in memory if that makes it smaller. */
async function* whole(entry: ZipEntry, content: Buffer): AsyncGenerator<Buffer> {
  const packed = content.length > 0 ? await compress(content) : content;
  const isSmaller = packed.length < content.length;
  entry.method = isSmaller ? DEFLATED : STORED;
  entry.crc = crc32(content);
  entry.compressed = isSmaller ? packed.length : content.length;
  yield localHeader(entry);
  if (content.length > 0) yield isSmaller ? packed : content;
}

async function* streamed(entry: ZipEntry, content: Readable): AsyncGenerator<Buffer> {
  entry.isStreamed = true;
  entry.method = DEFLATED;
  yield localHeader(entry);
  const deflate = createDeflateRaw();
  content.on('data', (chunk: Buffer) => {
    entry.crc = crc32(chunk, entry.crc);
  });
  // An error of the content ends the compression with it.
  pipeline(content, deflate, () => undefined);
  for await (const chunk of deflate as AsyncIterable<Buffer>) {
    entry.compressed += chunk.length;
    yield chunk;
  }
  yield descriptor(entry);
}
