import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { extract, type Headers, pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import { fillEntry } from './fill_entry.ts';

/** What stands in place of the content of a small file; null where that stays. */
export type Replace = (content: string) => Promise<{ size: number; content: Readable } | null>;

/** Bytes of the largest file whose content may be replaced. */
const MAX_REPLACED_BYTES = 1024;

/**
 * Makes an archive anew from one in the format tar, with other contents of some small files. Only what is being sent is kept in memory,
 * and the directory at the end of a zip archive. Fails as the source and `replace` do.
 */
export function replaceFiles(source: Readable, replace: Replace, format: 'tar' | 'tar.gz' | 'zip'): Readable {
  if (format === 'zip') return zip(source, replace);
  const archive = pack();
  const write = async () => {
    for await (const { header, size, content } of entries(source, replace)) {
      if (archive.destroyed) return;
      if (header.type === 'file') await fillEntry(archive.entry({ ...header, size }), content);
      else archive.entry(header);
    }
    archive.finalize();
  };
  write().catch((error) => archive.destroy(error));
  const output = Readable.from(archive, { objectMode: false });
  output.once('close', () => source.destroy());
  return format === 'tar' ? output : pipeline(output, createGzip(), () => undefined);
}

interface Entry {
  header: Headers;
  size: number;
  content: Readable;
}

async function* entries(source: Readable, replace: Replace): AsyncGenerator<Entry> {
  const reading = extract();
  pipeline(source, reading, () => undefined);
  for await (const entry of reading) {
    const { header } = entry;
    const size = header.size ?? 0;
    if (header.type !== 'file') entry.resume();
    if (header.type !== 'file' || size > MAX_REPLACED_BYTES) {
      yield { header, size, content: entry as unknown as Readable };
      continue;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const own = Buffer.concat(chunks);
    const other = size === 0 ? null : await replace(own.toString('latin1'));
    yield { header, ...(other ?? { size, content: Readable.from([own], { objectMode: false }) }) };
  }
}

function zip(source: Readable, replace: Replace): Readable {
  const archive = new ZipFile();
  const output = new PassThrough();
  const fail = (error: unknown) => output.destroy(error as Error);
  archive.on('error', fail);
  pipeline(archive.outputStream, output, () => undefined);
  output.once('close', () => source.destroy());
  const write = async () => {
    for await (const entry of entries(source, replace)) {
      if (output.destroyed) return;
      await add(archive, entry);
    }
    archive.end();
  };
  write().catch(fail);
  return output;
}

/** Adds an entry; returns when its content has been read. */
function add(archive: ZipFile, { header, size, content }: Entry): Promise<void> {
  // The package takes backslashes for slashes, and what lies outside of the archive then for a mistake.
  const name = header.name.replaceAll('\\', '_');
  const how = { mtime: header.mtime ?? new Date(0) };
  // Unpacking applies these modes regardless of the umask: only the owner may write.
  const mode = (header.mode ?? 0o644) & ~0o022;
  if (header.type === 'directory') archive.addEmptyDirectory(name, { ...how, mode: 0o040000 | mode });
  else if (header.type === 'symlink') {
    archive.addBuffer(Buffer.from(header.linkname ?? ''), name, { ...how, mode: 0o120777 });
  } else if (header.type === 'file') {
    return new Promise((resolve, reject) => {
      content.once('end', resolve).once('error', reject);
      archive.addReadStreamLazy(name, { ...how, size, mode: 0o100000 | mode }, (take) => take(null, content));
    });
  }
  return Promise.resolve();
}
