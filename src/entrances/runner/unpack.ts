import { createWriteStream } from 'node:fs';
import { lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

/** Limits for unpacking one archive: bytes and entries. */
export const UNPACKED = { bytes: 8 * 1024 ** 3, entries: 200_000 };

/** An archive that is not unpacked; the message says why. */
export class BadArchive extends Error {}

/**
 * Unpacks a zip archive into a directory, over existing files. Nothing is written outside of the directory, whatever names and
 * links there are: entries that are neither files nor directories are skipped, and links are replaced, never followed. Throws
 * BadArchive, also for one that exceeds the limits; part of it may be unpacked then.
 *
 * @param say called with what is skipped
 */
export async function unpack(
  archive: string,
  directory: string,
  say: (line: string) => void,
  limits = UNPACKED,
): Promise<void> {
  const zip = await openPromise(archive, { strictFileNames: true }).catch(refused);
  try {
    if (zip.entryCount > limits.entries) throw new BadArchive(`it has more than ${limits.entries} entries`);
    let bytes = 0;
    for await (const entry of entriesOf(zip)) {
      // An entry never yields more than its declared size.
      bytes += entry.uncompressedSize;
      if (bytes > limits.bytes) throw new BadArchive(`it unpacks to more than ${limits.bytes} bytes`);
      await unpackOne(zip, entry, directory, say);
    }
  } finally {
    zip.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    refused(error as Error);
  }
}

/** For `catch`: any error of the archive. */
function refused(error: Error): never {
  throw error instanceof BadArchive ? error : new BadArchive(error.message, { cause: error });
}

/** The bits of the Unix mode for the file type. */
const KIND = 0o170000;
const REGULAR = 0o100000;

async function unpackOne(zip: ZipFile, entry: Entry, directory: string, say: (line: string) => void): Promise<void> {
  const { fileName } = entry;
  const mode = entry.externalFileAttributes >>> 16;
  const target = path.join(directory, fileName);
  const isInside = target.startsWith(directory + path.sep);
  const segments = fileName.split('/').filter((segment) => segment !== '');
  if (!isInside || segments.includes('..') || segments[0]?.toLowerCase() === '.git')
    return say(`WARNING: ${fileName} is left out.`);
  if (fileName.endsWith('/')) return makeDirectories(directory, segments);
  if ((mode & KIND) !== 0 && (mode & KIND) !== REGULAR) return say(`WARNING: ${fileName} is no file, and is left out.`);
  if (entry.isEncrypted()) throw new BadArchive(`${fileName} is encrypted`);
  await makeDirectories(directory, segments.slice(0, -1));
  await rm(target, { recursive: true, force: true });
  const content = await zip.openReadStreamPromise(entry).catch(refused);
  const permissions = 0o600 | (mode & 0o777);
  await pipeline(content, createWriteStream(target, { flags: 'wx', mode: permissions })).catch(refused);
}

/** Creates nested directories; what is in the way and not a directory, such as a link, is replaced. */
async function makeDirectories(directory: string, segments: readonly string[]): Promise<void> {
  let at = directory;
  for (const segment of segments) {
    at = path.join(at, segment);
    const found = await lstat(at).catch(() => null);
    if (found?.isDirectory()) continue;
    if (found) await rm(at);
    await mkdir(at);
  }
}
