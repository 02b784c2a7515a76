/** A member of an archive. */
export interface Entry {
  path: string;
  /** In bytes. */
  size: number;
  /** Its content, in chunks; to be read before the next member is asked for. */
  content: AsyncGenerator<Buffer>;
}

/** The archive ends before its end, or is none. */
export class BrokenArchive extends Error {
  override name = 'BrokenArchive';
}

const BLOCK = 512;
/** The most that a header may say of a member; paths and sizes are far shorter. */
const LONGEST_EXTENSION = 64 * 1024;

/** The members of a tar archive in the order in which they lie there. Throws BrokenArchive. */
export async function* readEntries(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const bytes = new Bytes(source);
  let extended: Map<string, string> = new Map();
  for (;;) {
    const header = await bytes.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    requireHeader(header);
    const type = header.toString('latin1', 156, 157);
    const size = Number(extended.get('size') ?? octal(header, 124, 12));
    if (!Number.isSafeInteger(size)) throw new BrokenArchive('a header is damaged');
    if (type === 'x') {
      if (size > LONGEST_EXTENSION) throw new BrokenArchive('a header is too long');
      extended = records(await bytes.exactly(size));
      await bytes.exactly(filling(size));
      continue;
    }
    if (type !== '0') throw new BrokenArchive(`a member is of kind "${type}"`);
    const path = extended.get('path') ?? pathOf(header);
    extended = new Map();
    const content = bytes.next(size);
    yield { path, size, content };
    for await (const _ of content) {
      // What nobody read is left behind.
    }
    await bytes.exactly(filling(size));
  }
}

/** Reads bytes of a stream no further than it is asked to. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.next(size)) parts.push(part);
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  async *next(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) throw new BrokenArchive('it ends too early');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }
}

function requireHeader(header: Buffer): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (header.toString('latin1', 257, 262) !== 'ustar' || octal(header, 148, 8) !== sum) {
    throw new BrokenArchive('a header is damaged');
  }
}

function octal(header: Buffer, at: number, width: number): number {
  const text = header.toString('latin1', at, at + width).replace(/(?<![\0 ])[\0 ]+$/, '');
  if (!/^[0-7]+$/.test(text)) throw new BrokenArchive('a header is damaged');
  return Number.parseInt(text, 8);
}

function pathOf(header: Buffer): string {
  const text = (at: number, width: number) => header.toString('utf8', at, at + width).replace(/\0.*$/s, '');
  const prefix = text(345, 155);
  return `${prefix}${prefix === '' ? '' : '/'}${text(0, 100)}`;
}

function filling(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** Lines `<length> <key>=<value>`; the length counts itself and the line break. */
function records(bytes: Buffer): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const length = Number(/^\d+/.exec(bytes.toString('latin1', at, at + 20))?.[0] ?? 0);
    const [, key = '', value = ''] = /^\d+ ([^=]+)=(.*)\n$/s.exec(bytes.toString('utf8', at, at + length)) ?? [];
    if (length === 0 || key === '') throw new BrokenArchive('a header is damaged');
    found.set(key, value);
    at += length;
  }
  return found;
}
