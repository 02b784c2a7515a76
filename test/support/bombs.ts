import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createDeflate, createGzip, deflateSync } from 'node:zlib';
import { DIRECTORY, FILE, type Mode, type Oid, type Signature } from '#src/git/base/model.ts';
import { initRepository } from '#src/git/init.ts';
import { nameOf } from '#src/git/objects/name.ts';
import { updateRef } from '#src/git/refs/update.ts';
import { encodeCommit, encodeTree } from '#src/git/write/encode.ts';
import { ObjectWriter } from '#src/git/write/objects.ts';

/*
 * Repositories and requests that are small as they come and large once somebody looks at them. Each of the builders adds a
 * branch to a bare repository and returns its commit.
 */

const author: Signature = { name: 'Mallory', email: 'mallory@example.com', seconds: 1_500_000_000, offset: 0 };

/** A new bare repository at a place where nothing is yet. */
export async function bareRepository(directory: string): Promise<string> {
  await initRepository(directory, 'main');
  return directory;
}

/** `width ** levels` files, by `levels + 1` objects: each directory has the one below it under all of its names. */
export async function treeBomb(
  directory: string,
  { branch = 'main', levels = 10, width = 10, content = 'boom\n' } = {},
): Promise<Oid> {
  const objects = new ObjectWriter(directory);
  const names = Array.from({ length: width }, (_, at) => Buffer.from(`d${at}`));
  let below: { mode: Mode; oid: Oid } = { mode: FILE, oid: objects.add('blob', Buffer.from(content)) };
  for (let level = 0; level < levels; level++) {
    const entry = below;
    below = { mode: DIRECTORY, oid: objects.add('tree', encodeTree(names.map((name) => ({ name, ...entry })))) };
  }
  return commitTree(directory, objects, branch, below.oid);
}

/** One file below very many directories: `d/d/d/…/file`. */
export async function deepPath(directory: string, { branch = 'main', depth = 2_500 } = {}): Promise<Oid> {
  const objects = new ObjectWriter(directory);
  const file = { mode: FILE, name: Buffer.from('file'), oid: objects.add('blob', Buffer.from('deep\n')) };
  let tree = objects.add('tree', encodeTree([file]));
  for (let level = 0; level < depth; level++) {
    tree = objects.add('tree', encodeTree([{ mode: DIRECTORY, name: Buffer.from('d'), oid: tree }]));
  }
  return commitTree(directory, objects, branch, tree);
}

/** Very many files in one directory, all of the same content. */
export async function wideDirectory(
  directory: string,
  { branch = 'main', names = 200_000, content = 'wide\n' } = {},
): Promise<Oid> {
  const objects = new ObjectWriter(directory);
  const oid = objects.add('blob', Buffer.from(content));
  const entries = Array.from({ length: names }, (_, at) => ({ mode: FILE, name: Buffer.from(`f${at}`), oid }));
  return commitTree(directory, objects, branch, objects.add('tree', encodeTree(entries)));
}

/** Moves `main` to a directory that holds one blob under several names. */
export async function commitTreeOf(
  directory: string,
  blob: Oid,
  { from, names }: { from: Oid; names: number },
): Promise<Oid> {
  const objects = new ObjectWriter(directory);
  const entries = Array.from({ length: names }, (_, at) => ({ mode: FILE, name: Buffer.from(`f${at}`), oid: blob }));
  const tree = objects.add('tree', encodeTree(entries));
  const input = { tree, parents: [from], author, committer: author, message: 'Many names\n' };
  const oid = objects.add('commit', encodeCommit(input));
  await objects.flush();
  await updateRef(directory, 'refs/heads/main', { from, to: oid });
  return oid;
}

/** A file of zeros, which take a thousandth of their size. */
export async function blobBomb(
  directory: string,
  { branch = 'main', bytes = 300 * 1024 * 1024, name = 'zeros' } = {},
): Promise<Oid> {
  const oid = await writeZeros(directory, bytes);
  const objects = new ObjectWriter(directory);
  const tree = objects.add('tree', encodeTree([{ mode: FILE, name: Buffer.from(name), oid }]));
  return commitTree(directory, objects, branch, tree);
}

/** A loose blob of zeros. */
export async function writeZeros(directory: string, bytes: number): Promise<Oid> {
  const draft = path.join(directory, `objects/draft-${randomBytes(4).toString('hex')}`);
  const hash = createHash('sha1');
  const file = await open(draft, 'w');
  for await (const chunk of Readable.from(zeros(`blob ${bytes}\0`, bytes, hash)).pipe(createDeflate())) {
    await file.write(chunk as Buffer);
  }
  await file.close();
  const oid = hash.digest('hex');
  await mkdir(path.join(directory, 'objects', oid.slice(0, 2)), { recursive: true });
  await rename(draft, path.join(directory, 'objects', oid.slice(0, 2), oid.slice(2)));
  return oid;
}

/** A pack, for a push, in which a small file comes as a long chain of differences; and the commit that holds the last. */
export function chainPack(length: number): { pack: Buffer; commit: Oid } {
  const first = Buffer.from('chain\n'.repeat(10));
  const parts: PackPart[] = [{ type: 3, content: first }];
  let [content, oid] = [first, nameOf('blob', first)];
  for (let at = 0; at < length; at++) {
    const added = Buffer.from(String(at).padStart(6, '0'));
    const next = Buffer.concat([content, added]).subarray(-60);
    const skipped = content.length + added.length - next.length;
    const copy = Buffer.from([0x91, skipped, content.length - skipped]);
    const delta = Buffer.concat([
      varint(content.length),
      varint(next.length),
      copy,
      Buffer.from([added.length]),
      added,
    ]);
    parts.push({ type: 6, content: delta, base: at });
    [content, oid] = [next, nameOf('blob', next)];
  }
  return sealed(parts, oid);
}

/** A pack in which a difference of a few bytes makes a file of any size. */
export function deltaBombPack(bytes: number): { pack: Buffer; commit: Oid } {
  const base = Buffer.alloc(0x10000);
  const times = Math.ceil(bytes / base.length);
  const copies = Buffer.alloc(times, 0x80);
  const delta = Buffer.concat([varint(base.length), varint(times * base.length), copies]);
  const parts: PackPart[] = [
    { type: 3, content: base },
    { type: 6, content: delta, base: 0 },
  ];
  return sealed(parts, nameOf('blob', base));
}

/** What a client sends to push a pack to a branch that is not there yet. */
export function pushBody(branch: string, commit: Oid, pack: Buffer): Buffer {
  const command = `${'0'.repeat(40)} ${commit} refs/heads/${branch}\0report-status`;
  return Buffer.concat([Buffer.from(`${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`), pack]);
}

/** A request to fetch, compressed: the client wants the same commit again and again. */
export function fetchBomb(commit: Oid, bytes: number): Promise<Buffer> {
  const want = Buffer.from(`0032want ${commit}\n`);
  return compressed(repeated(want, Buffer.from(want.toString().repeat(10_000)), bytes));
}

/** A push of one file, compressed twice: the file of zeros is stored in the pack as it is. */
export function pushBomb(branch: string, bytes: number): Promise<Buffer> {
  const piece = Buffer.concat([Buffer.from([0, 0xff, 0xff, 0, 0]), Buffer.alloc(0xffff)]);
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(1, 8);
  const pack = Buffer.concat([head, sizeBytes(3, bytes), Buffer.from([0x78, 0x01])]);
  return compressed(repeated(pushBody(branch, '1'.repeat(40), pack), piece, bytes));
}

async function compressed(source: Iterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of Readable.from(source).pipe(createGzip({ level: 9 }))) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function* repeated(head: Buffer, piece: Buffer, bytes: number): Generator<Buffer> {
  yield head;
  for (let left = bytes; left > 0; left -= piece.length) yield piece;
}

interface PackPart {
  /** 1 commit, 2 tree, 3 blob, 6 difference to the part at `base`. */
  type: 1 | 2 | 3 | 6;
  content: Buffer;
  base?: number;
}

async function commitTree(directory: string, objects: ObjectWriter, branch: string, tree: Oid): Promise<Oid> {
  const input = { tree, parents: [], author, committer: author, message: 'Small as it comes\n' };
  const oid = objects.add('commit', encodeCommit(input));
  await objects.flush();
  await updateRef(directory, `refs/heads/${branch}`, { from: null, to: oid });
  return oid;
}

function* zeros(head: string, bytes: number, hash?: ReturnType<typeof createHash>): Generator<Buffer> {
  const piece = Buffer.alloc(1024 * 1024);
  const give = (chunk: Buffer) => {
    hash?.update(chunk);
    return chunk;
  };
  if (head !== '') yield give(Buffer.from(head));
  for (let left = bytes; left > 0; left -= piece.length) yield give(piece.subarray(0, Math.min(left, piece.length)));
}

/** With a commit of a directory that holds the blob. */
function sealed(parts: PackPart[], oid: Oid): { pack: Buffer; commit: Oid } {
  const tree = encodeTree([{ mode: FILE, name: Buffer.from('file'), oid }]);
  const input = { tree: nameOf('tree', tree), parents: [], author, committer: author, message: 'Chain\n' };
  const commit = encodeCommit(input);
  const all: PackPart[] = [...parts, { type: 2, content: tree }, { type: 1, content: commit }];
  return { pack: encodePack(all), commit: nameOf('commit', commit) };
}

function encodePack(parts: readonly PackPart[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(parts.length, 8);
  const chunks = [head];
  const offsets: number[] = [];
  let offset = head.length;
  for (const { type, content, base } of parts) {
    const distance = base === undefined ? [] : [offsetBytes(offset - (offsets[base] ?? 0))];
    const bytes = Buffer.concat([sizeBytes(type, content.length), ...distance, deflateSync(content)]);
    offsets.push(offset);
    offset += bytes.length;
    chunks.push(bytes);
  }
  const body = Buffer.concat(chunks);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function sizeBytes(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128, left & 127);
  }
  return Buffer.from(bytes);
}

function offsetBytes(distance: number): Buffer {
  const bytes = [distance & 127];
  for (let left = Math.floor(distance / 128) - 1; left >= 0; left = Math.floor(left / 128) - 1) {
    bytes.unshift((left & 127) | 128);
  }
  return Buffer.from(bytes);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}
