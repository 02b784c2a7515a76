import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { GitError } from '../base/errors.ts';
import { fillEntry } from './fill_entry.ts';

/** A file of an archive, with its content, which is as long as `size` says, in bytes. */
export interface PackedFile {
  name: string;
  size: number;
  content(): Readable;
}

/** Writes files to an archive in the format tar, compressed by gzip, one after the other. Throws ArchiveRefused beyond `most` bytes. */
export async function packFiles(
  files: Iterable<PackedFile> | AsyncIterable<PackedFile>,
  to: string,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<void> {
  const archive = pack();
  const fill = async () => {
    for await (const { name, size, content } of files) {
      await fillEntry(archive.entry({ name, size, mode: 0o644, mtime: new Date() }), content());
    }
    archive.finalize();
  };
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > most) throw new ArchiveRefused(`is larger than ${most} bytes`);
      yield chunk;
    }
  }
  const filled = fill();
  // Whatever ends first ends the other.
  filled.catch((error) => archive.destroy(error));
  await pipeline(archive, createGzip(), counted, createWriteStream(to), { signal });
  await filled;
}

/** An archive that is refused; the message says why, after its name. */
export class ArchiveRefused extends GitError {
  override name = 'ArchiveRefused';
}

export interface UnpackLimits {
  /** Bytes of all files together. */
  bytes: number;
  files: number;
  signal: AbortSignal;
  /** Where to put a file; null for one that the archive must not have, undefined for one that is passed over. */
  place(name: string): string | null | undefined;
}

/** Bytes between two files: long headers are held in memory as a whole. */
const BETWEEN = 1024 * 1024;

/** Unpacks an archive as packFiles makes it: plain files alone, each in the place that it is told. Throws ArchiveRefused, or as the source. */
export async function unpackFiles(source: Readable, limits: UnpackLimits): Promise<void> {
  const archive = extract();
  let failure: unknown;
  let left = BETWEEN;
  let bytes = limits.bytes;
  let files = limits.files;
  const places = new Set<string>();
  archive.on('entry', ({ size = 0 }) => {
    left = size + BETWEEN;
  });
  async function* measured(unpacked: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of unpacked) {
      if (left < 0) throw new ArchiveRefused('has a header that is too long');
      left -= chunk.length;
      yield chunk;
    }
  }
  source.on('error', (error) => {
    failure = error;
  });
  const feeding = pipeline(source, createGunzip(), measured, archive, { signal: limits.signal });
  feeding.catch(() => undefined);
  try {
    for await (const stream of archive) {
      const { name, size = 0, type } = stream.header;
      const shown = JSON.stringify(name.slice(0, 200));
      if (--files < 0) throw new ArchiveRefused(`has more than ${limits.files} files`);
      // What is in them is named by its whole path.
      if (type === 'directory') {
        await passOver(stream);
        continue;
      }
      if (type !== 'file') throw new ArchiveRefused(`has ${shown}, which is no plain file but a ${type}`);
      const place = limits.place(name);
      if (place === null) throw new ArchiveRefused(`has ${shown}, which does not belong there`);
      if (places.has(place ?? name)) throw new ArchiveRefused(`has ${shown} twice`);
      bytes -= size;
      if (bytes < 0) throw new ArchiveRefused(`has more than ${limits.bytes} bytes when it is unpacked`);
      places.add(place ?? name);
      if (place === undefined) await passOver(stream);
      else await pipeline(stream, createWriteStream(place, { flags: 'wx' }));
    }
    await feeding;
  } catch (error) {
    limits.signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    // The disk, not the archive.
    if (error instanceof Error && 'syscall' in error) throw error;
    throw error instanceof ArchiveRefused ? error : new ArchiveRefused('is damaged, or ends too early');
  } finally {
    archive.destroy();
    source.destroy();
  }
}

async function passOver(stream: Readable): Promise<void> {
  for await (const _chunk of stream);
}

/** A file on the disk as a file of an archive. */
export function fileOnDisk(name: string, place: string, size: number): PackedFile {
  return { name, size, content: () => createReadStream(place) };
}

/** A short text as a file of an archive. */
export function textFile(name: string, text: string): PackedFile {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, content: () => Readable.from([bytes], { objectMode: false }) };
}
