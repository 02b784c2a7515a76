import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { type Collected, openCollected } from '#src/entrances/runner/collect.ts';

/** Writes files into a zip archive, reading each in turn; yields the bytes of the archive. */
export async function writeArchive(directory: string, files: readonly Collected[], archive: string): Promise<number> {
  const zip = new ZipFile();
  // Without this, a file that cannot be read is not reported.
  const failed = new Promise<never>((_resolve, reject) => zip.on('error', reject));
  for (const { name, mode, modifiedAt } of files) {
    const options = { mtime: modifiedAt, mode: 0o100000 | (mode & 0o777) };
    zip.addReadStreamLazy(name, options, (take) => {
      openCollected(directory, name).then(
        (handle) => take(null, handle.createReadStream()),
        (error) => take(error, undefined as never),
      );
    });
  }
  zip.end();
  await Promise.race([pipeline(zip.outputStream, createWriteStream(archive, { mode: 0o600 })), failed]);
  return (await stat(archive)).size;
}
