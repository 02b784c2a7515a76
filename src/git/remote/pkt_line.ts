import type { ByteReader } from '../incoming/byte_reader.ts';
import { InvalidRequest } from '../incoming/invalid_request.ts';

/** Ends a list of lines. */
export const FLUSH = Buffer.from('0000');

/** The longest content of a line, in bytes. */
export const MAX_LINE_BYTES = 65_516;

/** A line of git's protocol: its length in four hexadecimal digits, then the content. */
export function pktLine(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/**
 * The lines up to the next flush, without their line breaks; null if the stream ended instead of a first line. Throws
 * InvalidRequest for anything else, and for more than `limit` bytes.
 */
export async function readLines(reader: ByteReader, limit: number): Promise<Buffer[] | null> {
  const lines: Buffer[] = [];
  for (let size = 0; size <= limit; ) {
    const length = await readLength(reader);
    if (length === null && lines.length === 0) return null;
    if (length === 0) return lines;
    if (length === null || length < 5) throw new InvalidRequest('There is a line without an end');
    const content = await reader.exactly(length - 4);
    if (content === null) throw new InvalidRequest('The request ends too early');
    size += length;
    lines.push(content.at(-1) === 10 ? content.subarray(0, -1) : content);
  }
  throw new InvalidRequest('The list is too long');
}

async function readLength(reader: ByteReader): Promise<number | null> {
  const digits = (await reader.exactly(4))?.toString('latin1');
  if (digits === undefined) return null;
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new InvalidRequest('Invalid pkt-line length');
  return Number.parseInt(digits, 16);
}
