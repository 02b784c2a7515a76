import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { FORMAT, type Head, MANIFEST, type Manifest, type Sum, Summing } from './manifest.ts';
import { STANDARD } from './output.ts';
import { BrokenArchive, type Entry, readEntries } from './unarchive.ts';

/** A backup that cannot be used; the message names its file. */
export class BadBackup extends Error {
  override name = 'BadBackup';
}

/** What becomes of a backup. */
export interface Receiver {
  onHead?(head: Head): void | Promise<void>;
  /** Hears of every member between the first and the last; reads it to its end, or not at all. */
  onEntry?(entry: Entry): Promise<void>;
}

/** What a backup tells of itself. */
export interface ReadBackup {
  head: Head;
  manifest: Manifest;
}

/** The largest member that is read as a whole, in bytes: the manifest has some hundred for each file. */
const LARGEST = 1024 * 1024 * 1024;

/**
 * Reads a backup from its beginning to its end and compares it with its manifest. Nothing of it is to be relied upon before
 * this returns.
 *
 * @param file its path, or `-` for the standard input
 * @throws BadBackup when it is damaged, cut off, or none
 */
export async function readBackup(file: string, receiver: Receiver = {}): Promise<ReadBackup> {
  const name = file === STANDARD ? 'The standard input' : file;
  const summing = new Summing();
  let head: Head | undefined;
  let manifest: Manifest | undefined;
  await eachEntry(file, name, async (entry) => {
    if (manifest) throw new BadBackup(`${name} is damaged: something comes behind its manifest`);
    if (!head) {
      head = parseHead(name, entry.path, await added(summing, entry));
      await receiver.onHead?.(head);
    } else if (entry.path === MANIFEST) {
      manifest = parse<Manifest>(name, await whole(entry));
    } else {
      const content = adding(summing, entry);
      await receiver.onEntry?.({ ...entry, content });
      // What nobody wants is still added up.
      for await (const _ of content);
    }
    return true;
  });
  if (!head) throw new BadBackup(`${name} is not a backup of Gantry`);
  if (!manifest) throw new BadBackup(`${name} is incomplete: it was cut off`);
  compare(name, summing.end(), manifest.sums);
  return { head, manifest };
}

/** What a backup begins with. Throws BadBackup. */
export async function readHead(file: string): Promise<Head> {
  let head: Head | undefined;
  await eachEntry(file, file, async (entry) => {
    head = parseHead(file, entry.path, await whole(entry));
    return false;
  });
  if (!head) throw new BadBackup(`${file} is not a backup of Gantry`);
  return head;
}

/** Gives the members to a function, as long as that returns true. */
async function eachEntry(file: string, name: string, work: (entry: Entry) => Promise<boolean>): Promise<void> {
  const source =
    file === STANDARD ? process.stdin : createReadStream(path.resolve(file), { highWaterMark: 1024 * 1024 });
  const zstd = createZstdDecompress();
  source.on('error', (error: Error) => zstd.destroy(error));
  try {
    for await (const entry of readEntries(source.pipe(zstd))) if (!(await work(entry))) return;
    // Whatever comes behind the end still has its checksum.
    for await (const _ of zstd);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (error instanceof BrokenArchive) throw new BadBackup(`${name} is damaged: ${error.message}`);
    if (code === 'Z_BUF_ERROR') throw new BadBackup(`${name} is incomplete: it was cut off`);
    if (code === 'ZSTD_error_prefix_unknown') throw new BadBackup(`${name} is not a backup of Gantry`);
    if (code.startsWith('ZSTD_')) throw new BadBackup(`${name} is damaged: it cannot be decompressed`);
    if (code === 'ENOENT' && 'path' in (error as object)) throw new BadBackup(`${name} does not exist`);
    throw error;
  } finally {
    source.unpipe(zstd);
    zstd.destroy();
    source.destroy();
  }
}

function parseHead(name: string, entry: string, bytes: Buffer): Head {
  if (entry !== 'backup.json') throw new BadBackup(`${name} is not a backup of Gantry`);
  const head = parse<Head>(name, bytes);
  if (head.format > FORMAT)
    throw new BadBackup(`${name} was made by Gantry ${head.version}, whose backups this version cannot read`);
  return head;
}

function parse<T>(name: string, bytes: Buffer): T {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new BadBackup(`${name} is damaged: its description cannot be read`);
  }
}

async function* adding(summing: Summing, { path, size, content }: Entry): AsyncGenerator<Buffer> {
  const hash = summing.begin(path, size);
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

function added(summing: Summing, entry: Entry): Promise<Buffer> {
  return whole({ ...entry, content: adding(summing, entry) });
}

/** The whole content of a small member. */
export async function whole({ path, size, content }: Entry): Promise<Buffer> {
  if (size > LARGEST) throw new BrokenArchive(`${path} is too large`);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Throws BadBackup that names the first member that is not what the manifest says. */
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
