import { type ArchiveInput, archiveTime, chunksOf, type Member, members, wholeOf } from './members.ts';

const BLOCK = 512;
/** Archives are a multiple of this long, so that they can be written to tapes. */
const RECORD = 20 * BLOCK;
const LARGEST_OCTAL = 0o77777777777;

/** What tells of a member of an archive. */
export interface Header {
  path: Buffer;
  type: '0' | '2' | '5' | 'g' | 'x';
  permissions: number;
  size: number;
  time: number;
  link?: Buffer;
}

/**
 * A tar archive in the POSIX (pax) format, in chunks. Like git's it begins with a comment that names the commit. Nothing
 * but the current chunk is kept in memory.
 */
export async function* tarChunks(input: ArchiveInput): AsyncGenerator<Buffer> {
  const time = await archiveTime(input);
  let written = 0;
  const comment = paxRecord('comment', Buffer.from(input.commit));
  for await (const chunk of blocks(time, comment, members(input.reader, input.commit, input.prefix))) {
    written += chunk.length;
    yield chunk;
  }
  yield ending(written);
}

/** What ends an archive behind so many bytes. */
export function ending(written: number): Buffer {
  const end = written + 2 * BLOCK;
  return Buffer.alloc(2 * BLOCK + ((RECORD - (end % RECORD)) % RECORD));
}

async function* blocks(time: number, comment: Buffer, all: AsyncIterable<Member>): AsyncGenerator<Buffer> {
  yield* extension('g', comment, time);
  for await (const { path, kind, permissions, size, content } of all) {
    if (kind === 'symlink') {
      yield* headers({ path, type: '2', permissions, size: 0, time, link: await wholeOf(content) });
      continue;
    }
    yield* headers({ path, type: kind === 'file' ? '0' : '5', permissions, size, time });
    yield* chunksOf(content);
    yield padding(size);
  }
}

/** The header of a member, preceded by an extension if something does not fit into it. */
export function* headers(header: Header): Generator<Buffer> {
  const records: Buffer[] = [];
  const split = splitPath(header.path);
  if (split === null) records.push(paxRecord('path', header.path));
  if (header.link !== undefined && header.link.length > 100) records.push(paxRecord('linkpath', header.link));
  if (header.size > LARGEST_OCTAL) records.push(paxRecord('size', Buffer.from(String(header.size))));
  if (records.length > 0) yield* extension('x', Buffer.concat(records), header.time);
  yield headerBlock(header, split ?? { prefix: Buffer.alloc(0), name: header.path.subarray(0, 100) });
}

function* extension(type: 'g' | 'x', records: Buffer, time: number): Generator<Buffer> {
  const path = Buffer.from(type === 'g' ? 'pax_global_header' : 'pax_extended_header');
  const header: Header = { path, type, permissions: 0o664, size: records.length, time };
  yield headerBlock(header, { prefix: Buffer.alloc(0), name: path });
  yield records;
  yield padding(records.length);
}

function headerBlock(header: Header, { prefix, name }: { prefix: Buffer; name: Buffer }): Buffer {
  const block = Buffer.alloc(BLOCK);
  name.copy(block, 0, 0, 100);
  octal(block, 100, 8, header.permissions);
  octal(block, 108, 8, 0);
  octal(block, 116, 8, 0);
  octal(block, 124, 12, Math.min(header.size, LARGEST_OCTAL));
  octal(block, 136, 12, Math.min(Math.max(0, header.time), LARGEST_OCTAL));
  block.fill(32, 148, 156);
  block.write(header.type, 156);
  header.link?.copy(block, 157, 0, 100);
  block.write('ustar\x0000', 257, 'latin1');
  block.write('root', 265);
  block.write('root', 297);
  octal(block, 329, 8, 0);
  octal(block, 337, 8, 0);
  prefix.copy(block, 345, 0, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Cuts a path at a slash so that both parts fit; null if there is no such place. */
function splitPath(path: Buffer): { prefix: Buffer; name: Buffer } | null {
  if (path.length <= 100) return { prefix: Buffer.alloc(0), name: path };
  const at = path.lastIndexOf(47, Math.min(155, path.length - 2));
  if (at <= 0 || path.length - at - 1 > 100) return null;
  return { prefix: path.subarray(0, at), name: path.subarray(at + 1) };
}

/** `<length> <key>=<value>` and a line break; the length counts itself. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = key.length + value.length + 3;
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return Buffer.concat([Buffer.from(`${length} ${key}=`), value, Buffer.from('\n')]);
}

function octal(block: Buffer, at: number, width: number, value: number): void {
  block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
}

/** What fills a content up to a whole block. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
