import { createReadStream, existsSync } from 'node:fs';
import { parseJson, UnusableJson } from '#src/base/json.ts';

/** An archive is not imported; the message says why, for the masters of the project. */
export class ArchiveInvalid extends Error {
  override name = 'ArchiveInvalid';
}

/** A record of an archive, with the number of its line. */
export interface Line {
  number: number;
  record: Readonly<Record<string, unknown>>;
}

/** Bytes of the longest line. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** The records in a file of lines of JSON; none if there is no such file. Throws ArchiveInvalid, which names the file by `name`. */
export async function* linesOf(file: string, name: string): AsyncGenerator<Line> {
  if (!existsSync(file)) return;
  let begun: Buffer[] = [];
  let size = 0;
  let number = 0;
  const line = (end: Buffer): Line | null => {
    const bytes = Buffer.concat([...begun, end]);
    begun = [];
    size = 0;
    number += 1;
    return bytes.length === 0 ? null : { number, record: recordIn(bytes, `line ${number} of ${name}`) };
  };
  const requireShort = (more: number) => {
    size += more;
    if (size > MAX_LINE_BYTES)
      throw new ArchiveInvalid(`Line ${number + 1} of ${name} has more than ${MAX_LINE_BYTES} bytes.`);
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      requireShort(end - start);
      const found = line(chunk.subarray(start, end));
      if (found) yield found;
      start = end + 1;
    }
    requireShort(chunk.length - start);
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  const last = begun.length === 0 ? null : line(Buffer.alloc(0));
  if (last) yield last;
}

/** An object of JSON. Throws ArchiveInvalid, which calls it as `name` does. */
export function recordIn(bytes: Buffer, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    throw new ArchiveInvalid(`${name} cannot be read: ${error.message.replace('The body', 'it')}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ArchiveInvalid(`${name} is no JSON object.`);
  }
  return value as Record<string, unknown>;
}
