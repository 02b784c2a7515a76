import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import { fillEntry } from './fill_entry.ts';
import { type ArchiveInput, archiveTime, chunksOf, type Member, members, wholeOf } from './members.ts';

/**
 * An archive of a commit, made in this process. Invalid UTF-8 in names is replaced. Only what is being sent is kept in memory,
 * and the directory at the end of a zip archive.
 */
export function archiveInProcess(input: ArchiveInput, format: 'tar' | 'tar.gz' | 'zip'): Readable {
  if (format === 'zip') return zip(input);
  return format === 'tar' ? tar(input) : pipeline(tar(input), createGzip(), () => undefined);
}

function tar(input: ArchiveInput): Readable {
  const archive = pack();
  const write = async () => {
    const mtime = new Date((await archiveTime(input)) * 1000);
    for await (const { path, kind: type, permissions: mode, size, content } of members(input)) {
      const header = { name: path.toWellFormed(), type, mode, mtime, uname: 'root', gname: 'root' };
      if (type === 'symlink') archive.entry({ ...header, linkname: (await wholeOf(content)).toString() });
      else if (type === 'directory') archive.entry(header);
      else await fillEntry(archive.entry({ ...header, size }), chunksOf(content));
    }
    archive.finalize();
  };
  write().catch((error) => archive.destroy(error));
  return Readable.from(archive, { objectMode: false });
}

function zip(input: ArchiveInput): Readable {
  const archive = new ZipFile();
  const output = new PassThrough();
  const fail = (error: Error) => output.destroy(error);
  archive.on('error', fail);
  pipeline(archive.outputStream, output, () => undefined);
  const write = async () => {
    const mtime = new Date((await archiveTime(input)) * 1000);
    for await (const member of members(input)) {
      if (output.destroyed) return;
      await add(archive, member, mtime);
    }
    archive.end({ comment: input.commit, forceZip64Format: false });
  };
  write().catch(fail);
  return output;
}

const TYPES = { file: 0o100000, symlink: 0o120000, directory: 0o040000 };

/** Adds a member; returns when all before it are written. */
function add(archive: ZipFile, { path, kind, permissions, size, content }: Member, mtime: Date): Promise<void> {
  // The package takes backslashes for slashes, and what lies outside of the archive then for a mistake.
  const name = path.toWellFormed().replaceAll('\\', '_');
  // Unpacking applies these modes regardless of the umask: only the owner may write.
  const mode = TYPES[kind] | (permissions & ~0o022);
  if (kind === 'directory') archive.addEmptyDirectory(name, { mtime, mode });
  if (kind === 'directory') return Promise.resolve();
  return new Promise((resolve) => {
    archive.addReadStreamLazy(name, { mtime, mode, size }, (take) => {
      take(null, chunksOf(content) as Readable);
      resolve();
    });
  });
}
