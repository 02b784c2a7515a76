import { isUtf8 } from 'node:buffer';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { ContentTooLarge } from '#src/platform/errors.ts';

/** An archive that lies in a store. */
export interface ZipSource {
  /** In bytes. */
  size: number;
  /** Opens these bytes, both ends inclusive. */
  part(range: { start: number; end: number }): Promise<Readable>;
}

/** A file in a zip archive. */
export interface ZipEntry {
  method: 'stored' | 'deflated';
  /** In bytes, as it is in the archive and unpacked. */
  compressedSize: number;
  size: number;
  crc32: number;
  /** Where its local header begins. */
  offset: number;
}

/** The archive is damaged, or uses what is not supported, such as encryption. */
export class UnreadableZip extends Error {}

/** Bytes of the largest list of files that is read, which is at least 100,000 files. */
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
/** Bytes of the largest file that is unpacked. */
const MAX_UNPACKED_BYTES = 8 * 1024 ** 3;

/** Entries that are looked at before others have their turn. */
const ENTRIES_PER_YIELD = 1_000;

/** The sizes of headers without names, and the longest comment (APPNOTE.TXT 4.3). */
const END = { bytes: 22, comment: 0xffff, signature: 0x06054b50 };
const END64 = { bytes: 56, signature: 0x06064b50 };
const LOCATOR = { bytes: 20, signature: 0x07064b50 };
const CENTRAL = { bytes: 46, signature: 0x02014b50 };
const LOCAL = { bytes: 30, signature: 0x04034b50 };

/** Values that stand in the 64-bit fields instead. */
const IN_64 = { short: 0xffff, long: 0xffffffff };

/**
 * Finds a file by its path within an archive; null if it has none. Only the list of files is read. Throws UnreadableZip, and
 * ContentTooLarge for more files than are looked through, or a file that is larger than is unpacked.
 */
export async function findZipEntry(source: ZipSource, path: string): Promise<ZipEntry | null> {
  const wanted = Buffer.from(path);
  const directory = await readDirectory(source);
  let found: ZipEntry | null = null;
  for (const { at, name, extra } of headersOf(directory)) {
    if (name.equals(wanted) && isFile(directory, at)) found = entryAt(directory, at, extra);
  }
  return found;
}

/** A file or folder directly below a folder of an archive. */
export interface ZipChild {
  name: string;
  isFolder: boolean;
  /** In bytes, unpacked: of a folder that of all files within. */
  size: number;
}

/**
 * What is directly below a folder of an archive, folders first, by name; null if there is no such folder. Folders are there if anything
 * is in them. Names that are not UTF-8, and those that leave the archive, are left out. Only the list of files is read. Throws as
 * findZipEntry.
 *
 * @param folder path without a slash at its end; empty for the top
 */
export async function listZipFolder(source: ZipSource, folder: string): Promise<ZipChild[] | null> {
  const directory = await readDirectory(source);
  const prefix = Buffer.from(folder === '' ? '' : `${folder}/`);
  const children = new Map<string, ZipChild>();
  let isThere = folder === '';
  let seen = 0;
  for (const { at, name, extra } of headersOf(directory)) {
    seen += 1;
    if (seen % ENTRIES_PER_YIELD === 0) await yieldToEventLoop();
    if (!name.subarray(0, prefix.length).equals(prefix)) continue;
    isThere = true;
    const below = name.subarray(prefix.length);
    const slash = below.indexOf('/');
    const isFolder = slash >= 0;
    const own = isFolder ? below.subarray(0, slash) : below;
    if (!isUtf8(own)) continue;
    const child = own.toString('utf8');
    if (['', '.', '..'].includes(child) || child.includes('\0')) continue;
    if (!isFolder && !isFile(directory, at)) continue;
    const size = Math.min(sizeAt(directory, at, extra), MAX_UNPACKED_BYTES);
    const known = children.get(child);
    if (known) known.size = isFolder ? known.size + size : size;
    else children.set(child, { name: child, isFolder, size });
  }
  if (!isThere) return null;
  return [...children.values()].sort(
    (a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : Number(a.name > b.name)),
  );
}

/**
 * All files below a folder of an archive by their paths within it, the last of a path; a link or device counts as `special`. Only the list
 * of files is read. Throws as findZipEntry, and UnreadableZip for paths that are not UTF-8.
 *
 * @param folder path without a slash at its end; empty for the top
 */
export async function listZipFiles(source: ZipSource, folder: string): Promise<Map<string, ZipEntry | 'special'>> {
  const directory = await readDirectory(source);
  const prefix = Buffer.from(folder === '' ? '' : `${folder}/`);
  const files = new Map<string, ZipEntry | 'special'>();
  let seen = 0;
  for (const { at, name, extra } of headersOf(directory)) {
    seen += 1;
    if (seen % ENTRIES_PER_YIELD === 0) await yieldToEventLoop();
    if (!name.subarray(0, prefix.length).equals(prefix) || name.at(-1) === SLASH) continue;
    if (!isUtf8(name)) throw new UnreadableZip('The name of a file is not UTF-8');
    const path = name.subarray(prefix.length).toString('utf8');
    files.set(path, isFile(directory, at) ? entryAt(directory, at, extra) : 'special');
  }
  return files;
}

const SLASH = '/'.charCodeAt(0);

/** The headers of a list of files: where each begins, its name and its extra fields. Throws UnreadableZip. */
function* headersOf(directory: Buffer): Generator<{ at: number; name: Buffer; extra: Buffer }> {
  for (let at = 0; at + CENTRAL.bytes <= directory.length; ) {
    if (directory.readUInt32LE(at) !== CENTRAL.signature) throw new UnreadableZip('The list of files is damaged');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((from) => directory.readUInt16LE(at + from));
    const start = at + CENTRAL.bytes;
    const extraStart = start + (nameLength ?? 0);
    const extraEnd = extraStart + (extraLength ?? 0);
    yield { at, name: directory.subarray(start, extraStart), extra: directory.subarray(extraStart, extraEnd) };
    at = extraEnd + (commentLength ?? 0);
  }
}

/** The content of a file in an archive, which is unpacked as it is read. Errors of the stream say what is wrong with it. */
export async function openZipEntry(source: ZipSource, entry: ZipEntry): Promise<Readable> {
  const header = await bytesOf(source, entry.offset, LOCAL.bytes);
  if (header.readUInt32LE(0) !== LOCAL.signature) throw new UnreadableZip('The header of the file is damaged');
  const start = entry.offset + LOCAL.bytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + entry.compressedSize > source.size) throw new UnreadableZip('The archive is cut short');
  const empty = entry.compressedSize === 0;
  const raw = empty ? Readable.from([]) : await source.part({ start, end: start + entry.compressedSize - 1 });
  const checked = checkedContent(entry);
  const steps = entry.method === 'deflated' && !empty ? [raw, createInflateRaw(), checked] : [raw, checked];
  // The reader gets the error from the last stream.
  pipeline(steps).catch(() => undefined);
  return checked;
}

/** Passes on as many bytes as the archive says, and fails for more, fewer, or others. */
function checkedContent({ size, crc32: expected }: ZipEntry): Transform {
  let [passed, sum] = [0, 0];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      sum = crc32(chunk, sum);
      done(passed > size ? new UnreadableZip('The file is larger than the archive says') : null, chunk);
    },
    flush(done) {
      done(passed === size && sum === expected ? null : new UnreadableZip('The file is damaged'));
    },
  });
}

async function readDirectory(source: ZipSource): Promise<Buffer> {
  const { offset, size } = await locateDirectory(source);
  if (size > MAX_DIRECTORY_BYTES) {
    throw new ContentTooLarge(`the list of files of an archive is read up to ${MAX_DIRECTORY_BYTES} bytes`);
  }
  return bytesOf(source, offset, size);
}

async function locateDirectory(source: ZipSource): Promise<{ offset: number; size: number }> {
  const tailSize = Math.min(source.size, LOCATOR.bytes + END.bytes + END.comment);
  const tail = await bytesOf(source, source.size - tailSize, tailSize);
  const end = findEnd(tail);
  const [size, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  const is64 = [size, offset].includes(IN_64.long) || tail.readUInt16LE(end + 10) === IN_64.short;
  const at = end - LOCATOR.bytes;
  if (!is64 || at < 0 || tail.readUInt32LE(at) !== LOCATOR.signature) return { offset, size };
  const end64 = await bytesOf(source, number64(tail, at + 8), END64.bytes);
  if (end64.readUInt32LE(0) !== END64.signature) throw new UnreadableZip('The end of the archive is damaged');
  return { size: number64(end64, 40), offset: number64(end64, 48) };
}

/** Where the record at the end of the archive begins, whose comment reaches to the end. */
function findEnd(tail: Buffer): number {
  for (let at = tail.length - END.bytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END.signature) continue;
    if (at + END.bytes + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  throw new UnreadableZip('The end of the archive is missing');
}

/** The bits of a Unix mode for the type of a file, and its value for regular files. */
const KIND = 0o170000;
const REGULAR = 0o100000;

/** Whether it is no directory, link or device: archives of other systems have no mode. */
function isFile(directory: Buffer, at: number): boolean {
  const kind = (directory.readUInt32LE(at + 38) >>> 16) & KIND;
  return kind === 0 || kind === REGULAR;
}

function entryAt(directory: Buffer, at: number, extra: Buffer): ZipEntry {
  const flags = directory.readUInt16LE(at + 8);
  const method = { 0: 'stored', 8: 'deflated' }[directory.readUInt16LE(at + 10)] as ZipEntry['method'] | undefined;
  if ((flags & 1) !== 0 || !method) throw new UnreadableZip('The file is encrypted, or compressed in an unknown way');
  const fields = [24, 20, 42].map((from) => directory.readUInt32LE(at + from));
  const large = extraOf(extra, 1);
  let read = 0;
  const [size, compressedSize, offset] = fields.map((value) => {
    if (value !== IN_64.long) return value;
    read += 8;
    if (large.length < read) throw new UnreadableZip('The list of files is damaged');
    return number64(large, read - 8);
  }) as [number, number, number];
  if (size > MAX_UNPACKED_BYTES)
    throw new ContentTooLarge(`a file of an archive is unpacked up to ${MAX_UNPACKED_BYTES} bytes`);
  if (method === 'stored' && size !== compressedSize) throw new UnreadableZip('The list of files is damaged');
  return { method, size, compressedSize, offset, crc32: directory.readUInt32LE(at + 16) };
}

/** The size of an entry, unpacked; that of a large one is in an extra field. Throws UnreadableZip. */
function sizeAt(directory: Buffer, at: number, extra: Buffer): number {
  const size = directory.readUInt32LE(at + 24);
  if (size !== IN_64.long) return size;
  const large = extraOf(extra, 1);
  if (large.length < 8) throw new UnreadableZip('The list of files is damaged');
  return number64(large, 0);
}

/** The value of an extra field; empty if there is none (APPNOTE.TXT 4.5). */
function extraOf(extra: Buffer, wanted: number): Buffer {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === wanted) return extra.subarray(at + 4, end);
    at = end;
  }
  return Buffer.alloc(0);
}

function number64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new UnreadableZip('The archive is damaged');
  return Number(value);
}

async function bytesOf(source: ZipSource, start: number, length: number): Promise<Buffer> {
  if (start < 0 || length < 0 || start + length > source.size) throw new UnreadableZip('The archive is cut short');
  if (length === 0) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of await source.part({ start, end: start + length - 1 })) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== length) throw new UnreadableZip('The archive is cut short');
  return bytes;
}
