import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { Frame } from './frame.ts';
import { FORMAT, type Head, MANIFEST, type Manifest, type Sum, Summing } from './manifest.ts';
import { STANDARD } from './output.ts';
import { isFormat, isHead, isManifest } from './shapes.ts';
import { BrokenArchive, type Entry, readEntries } from './unarchive.ts';

/** A backup that cannot be used; the message names its file. */
export class BadBackup extends Error {
  override name = 'BadBackup';
}

/** Consumes the contents of a backup. */
export interface Receiver {
  onHead?(head: Head): void | Promise<void>;
  /** Called with every member between the first and the last; it reads the content to its end, or not at all. */
  onEntry?(entry: Entry): Promise<void>;
}

/** The facts that a backup states about itself. */
export interface ReadBackup {
  head: Head;
  manifest: Manifest;
}

/** The largest members that are read into memory, in bytes. The manifest has some hundred per file, and is one string. */
export const MAX_MEMBER_BYTES = {
  /** The secret, and a repository's HEAD file. */
  small: 64 * 1024,
  /** The head, with the earlier backups that it builds on. */
  head: 4 * 1024 * 1024,
  /** Names of tables, columns, sequences and migrations. */
  database: 64 * 1024 * 1024,
  manifest: 512 * 1024 * 1024 - 1024,
};

/**
 * Reads a backup from beginning to end and verifies it against its manifest. Its contents must not be relied upon before this
 * returns.
 *
 * @param file its path, or `-` for the standard input
 * @param signal aborts reading; its reason is thrown
 * @throws BadBackup if it is damaged, truncated or not a backup
 */
export async function readBackup(file: string, receiver: Receiver = {}, signal?: AbortSignal): Promise<ReadBackup> {
  const name = labelOf(file);
  const summing = new Summing();
  let head: Head | undefined;
  let manifest: Manifest | undefined;
  await eachEntry(file, signal, async (entry) => {
    if (manifest) throw new BadBackup(`${name} is damaged: unexpected data after the manifest`);
    if (!head) {
      head = await readHeadEntry(name, { ...entry, content: adding(summing, entry) });
      await receiver.onHead?.(head);
    } else if (entry.path === MANIFEST) {
      manifest = await readJson(entry, MAX_MEMBER_BYTES.manifest, isManifest);
    } else {
      const content = adding(summing, entry);
      await receiver.onEntry?.({ ...entry, content });
      // Unread content still counts for the checksum.
      for await (const _ of content);
    }
    return true;
  });
  if (!head) throw new BadBackup(`${name} is not a backup of Gantry`);
  if (!manifest) throw new BadBackup(`${name} is incomplete: it was cut off`);
  compare(name, summing.end(), manifest.sums);
  return { head, manifest };
}

/** Reads the head of a backup. Throws BadBackup. */
export async function readHead(file: string): Promise<Head> {
  let head: Head | undefined;
  await eachEntry(file, undefined, async (entry) => {
    head = await readHeadEntry(file, entry);
    return false;
  });
  if (!head) throw new BadBackup(`${file} is not a backup of Gantry`);
  return head;
}

/** The name of a file in messages. */
export function labelOf(file: string): string {
  return file === STANDARD ? 'The standard input' : file;
}

/** Passes the members to a function as long as that returns true. */
async function eachEntry(
  file: string,
  signal: AbortSignal | undefined,
  work: (entry: Entry) => Promise<boolean>,
): Promise<void> {
  signal?.throwIfAborted();
  const name = labelOf(file);
  const source =
    file === STANDARD ? process.stdin : createReadStream(path.resolve(file), { highWaterMark: 1024 * 1024 });
  const zstd = createZstdDecompress();
  const frame = new Frame();
  source.on('data', (chunk: Buffer) => frame.add(chunk));
  source.on('error', (error: Error) => zstd.destroy(error));
  const stop = () => zstd.destroy(signal?.reason);
  signal?.addEventListener('abort', stop);
  try {
    for await (const entry of readEntries(source.pipe(zstd))) if (!(await work(entry))) return;
    if (!frame.isWhole) throw new BadBackup(`${name} is incomplete: it was cut off`);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (error instanceof BrokenArchive) throw new BadBackup(`${name} is damaged: ${error.message}`);
    if (code === 'Z_BUF_ERROR') throw new BadBackup(`${name} is incomplete: it was cut off`);
    if (code === 'ZSTD_error_prefix_unknown') throw new BadBackup(`${name} is not a backup of Gantry`);
    if (code.startsWith('ZSTD_')) throw new BadBackup(`${name} is damaged: it cannot be decompressed`);
    if (code === 'ENOENT' && 'path' in (error as object)) throw new BadBackup(`${name} does not exist`);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    source.unpipe(zstd);
    zstd.destroy();
    source.destroy();
  }
}

async function readHeadEntry(name: string, entry: Entry): Promise<Head> {
  if (entry.path !== 'backup.json') throw new BadBackup(`${name} is not a backup of Gantry`);
  const head = await readJson(entry, MAX_MEMBER_BYTES.head, isFormat);
  if (head.format > FORMAT)
    throw new BadBackup(`${name} was made by Gantry ${head.version}, whose backups this version cannot read`);
  if (!isHead(head)) throw unreadable(entry);
  return head;
}

/** Reads a member that is JSON of a given shape. Throws BrokenArchive if it is not, or has more than `most` bytes. */
export async function readJson<T>(entry: Entry, most: number, isRight: (value: unknown) => value is T): Promise<T> {
  const bytes = await whole(entry, most);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw unreadable(entry);
  }
  if (!isRight(value)) throw unreadable(entry);
  return value;
}

function unreadable({ path }: Entry): BrokenArchive {
  return new BrokenArchive(`${path} cannot be read`);
}

async function* adding(summing: Summing, { path, size, content }: Entry): AsyncGenerator<Buffer> {
  const hash = summing.begin(path, size);
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Reads a small member into memory. Throws BrokenArchive if it has more than `most` bytes. */
export async function whole({ path, size, content }: Entry, most: number): Promise<Buffer> {
  if (size > most) throw new BrokenArchive(`${path} has more than ${most} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Throws BadBackup that names the first member that differs from the manifest. */
function compare(name: string, found: readonly Sum[], expected: readonly Sum[]): void {
  const sums = new Map(found.map((sum) => [sum.path, sum]));
  for (const { path, size, sha256, members } of expected) {
    const sum = sums.get(path);
    if (!sum) throw new BadBackup(`${name} is damaged: ${path} is not in it`);
    if (sum.sha256 !== sha256 || sum.size !== size || sum.members !== members) {
      throw new BadBackup(`${name} is damaged: ${path} is not what was backed up`);
    }
    sums.delete(path);
  }
  const [odd] = sums.keys();
  if (odd !== undefined) throw new BadBackup(`${name} is damaged: ${odd} does not belong to it`);
}
