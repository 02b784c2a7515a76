import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, crc32, deflate } from 'node:zlib';
import type { ObjectType, Oid } from '../base/model.ts';
import { ensureDirectory, syncDirectory, writeSynced } from '../base/sync.ts';
import type { GitObject } from '../objects/store.ts';
import { INCOMING, type PackKeepLock } from './pack_keep_lock.ts';

const TYPES: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** How many objects are compressed at a time. */
const CONCURRENCY = 4;

const compress = promisify(deflate);

interface Packed {
  oid: Oid;
  crc: number;
  offset: number;
}

/**
 * Writes objects as one pack without deltas, with its index, both synced to the disk.
 *
 * @param keepLock keeps the pack until refs lead to its objects
 */
export async function writePack(
  directory: string,
  objects: ReadonlyMap<Oid, GitObject>,
  keepLock?: PackKeepLock,
): Promise<void> {
  const folder = path.join(directory, 'objects', 'pack');
  // Parents are not created: the repository may have been removed.
  await ensureDirectory(folder);
  const { bytes, packed, checksum } = await assemblePack(objects);
  const name = (await keepLock?.begin()) ?? path.join(folder, `pack-${checksum.toString('hex')}`);
  // The index last: a pack without an index is ignored.
  await writeSynced(`${name}.pack`, [bytes], INCOMING);
  await writeSynced(`${name}.idx`, [index(packed, checksum)], INCOMING);
  await syncDirectory(folder);
}

/** The bytes of a pack, which end with its checksum, and what is where in it. */
export async function assemblePack(objects: ReadonlyMap<Oid, GitObject>) {
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.size, 8);
  const parts: Buffer[] = [header];
  const packed: Packed[] = [];
  let offset = header.length;
  const waiting = [...objects];
  for (let at = 0; at < waiting.length; at += CONCURRENCY) {
    const group = waiting.slice(at, at + CONCURRENCY);
    const records = await Promise.all(group.map(async ([oid, object]) => ({ oid, bytes: await record(object) })));
    for (const { oid, bytes } of records) {
      packed.push({ oid, crc: crc32(bytes), offset });
      parts.push(bytes);
      offset += bytes.length;
    }
  }
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  const checksum = hash.digest();
  return { bytes: Buffer.concat([...parts, checksum]), packed, checksum };
}

/** Type and size in groups of seven bits, then the compressed content. */
async function record({ type, content }: GitObject): Promise<Buffer> {
  const bytes: number[] = [];
  let size = content.length;
  let byte = (TYPES[type] << 4) | (size & 15);
  size = Math.floor(size / 16);
  while (size > 0) {
    bytes.push(byte | 128);
    byte = size & 127;
    size = Math.floor(size / 128);
  }
  bytes.push(byte);
  return Buffer.concat([Buffer.from(bytes), await compress(content, { level: constants.Z_BEST_SPEED })]);
}

/** An index of version 2. Packs written here are far below the 2 GB from which offsets take eight bytes. */
function index(packed: Packed[], checksum: Buffer): Buffer {
  const sorted = packed.toSorted((left, right) => (left.oid < right.oid ? -1 : 1));
  const fanOut = Buffer.alloc(1024);
  for (let first = 0, count = 0; first < 256; first++) {
    while (count < sorted.length && Number.parseInt(sorted[count]?.oid.slice(0, 2) ?? '', 16) <= first) count++;
    fanOut.writeUInt32BE(count, first * 4);
  }
  const numbers = (values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4);
    values.forEach((value, at) => {
      bytes.writeUInt32BE(value, at * 4);
    });
    return bytes;
  };
  const body = Buffer.concat([
    Buffer.from('ff744f6300000002', 'hex'),
    fanOut,
    Buffer.from(sorted.map(({ oid }) => oid).join(''), 'hex'),
    numbers(sorted.map(({ crc }) => crc)),
    numbers(sorted.map(({ offset }) => offset)),
    checksum,
  ]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}
