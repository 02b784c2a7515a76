const BLOCK = 512;
/** Archives are a multiple of this long, so that they can be written to tapes. */
const RECORD = 20 * BLOCK;
const LARGEST_OCTAL = 0o77777777777;
const PERMISSIONS = 0o600;

/** What tells of a file in an archive. */
export interface Header {
  path: Buffer;
  /** In bytes. */
  size: number;
  /** In seconds since 1970. */
  time: number;
}

/** The header of a file in the POSIX (pax) format, preceded by an extension if something does not fit into it. */
export function* headers({ path, size, time }: Header): Generator<Buffer> {
  const records: Buffer[] = [];
  const split = splitPath(path);
  if (split === null) records.push(paxRecord('path', path));
  if (size > LARGEST_OCTAL) records.push(paxRecord('size', Buffer.from(String(size))));
  if (records.length > 0) {
    const content = Buffer.concat(records);
    yield headerBlock('x', { prefix: Buffer.alloc(0), name: Buffer.from('pax_extended_header') }, content.length, time);
    yield content;
    yield padding(content.length);
  }
  yield headerBlock('0', split ?? { prefix: Buffer.alloc(0), name: path.subarray(0, 100) }, size, time);
}

/** What fills a content up to a whole block. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** What ends an archive behind so many bytes. */
export function ending(written: number): Buffer {
  const end = written + 2 * BLOCK;
  return Buffer.alloc(2 * BLOCK + ((RECORD - (end % RECORD)) % RECORD));
}

interface Name {
  prefix: Buffer;
  name: Buffer;
}

function headerBlock(type: '0' | 'x', { prefix, name }: Name, size: number, time: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  name.copy(block, 0, 0, 100);
  octal(block, 100, 8, PERMISSIONS);
  octal(block, 108, 8, 0);
  octal(block, 116, 8, 0);
  octal(block, 124, 12, Math.min(size, LARGEST_OCTAL));
  octal(block, 136, 12, Math.min(Math.max(0, time), LARGEST_OCTAL));
  block.fill(32, 148, 156);
  block.write(type, 156);
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
function splitPath(path: Buffer): Name | null {
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
