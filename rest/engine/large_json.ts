import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { BadBody, CONTENT_BODY, tooLarge } from '#rest/engine/body_limits.ts';
import { parseJson, UnusableJson } from '#src/base/json.ts';

/**
 * Parses a JSON body whose texts may have many megabytes. It is read in chunks: no step takes long, and a text is never in memory
 * twice. The size of all values, as UTF-8 without escapes, is counted meanwhile. Throws BadBody.
 */
export async function parseLargeJson(chunks: AsyncIterable<Buffer>, limit: number): Promise<unknown> {
  const cutter = new Cutter(limit);
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    left = bytes.subarray(cutter.take(bytes));
  }
  return cutter.result(left);
}

/** Bytes from which a text is cut out of the rest, and of the chunks in which it is then read. */
const LONG = 4 * 1024;
const PIECE = 32 * 1024;

/** Cuts long texts out of JSON and leaves placeholders. */
class Cutter {
  readonly #limit: number;
  /** Random, so that senders cannot forge it. */
  readonly #name = randomUUID();
  readonly #texts: string[] = [];
  readonly #rest: Buffer[] = [];
  #restSize = 0;
  /** The chunks of the current long text; null outside of one. */
  #pieces: string[] | null = null;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Reads the next bytes, and returns how many it consumed: the rest must be passed again, with more bytes appended. */
  take(bytes: Buffer): number {
    let at = 0;
    let from = 0;
    while (at < bytes.length) {
      if (this.#pieces !== null) {
        const { end, isClosed, isLast } = endOfPiece(bytes, at);
        this.#add(bytes.subarray(at, end));
        if (isClosed) this.#close(this.#pieces);
        at = isClosed ? end + 1 : end;
        from = at;
        if (isLast) return at;
        continue;
      }
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote < 0 ? bytes.length : endOfText(bytes, quote + 1);
      if (end === null) this.#pieces = [];
      if (end === null || end === bytes.length) this.#keep(bytes.subarray(from, quote < 0 ? bytes.length : quote));
      if (end === bytes.length) return quote < 0 ? end : quote;
      at = (end ?? quote) + 1;
    }
    this.#keep(bytes.subarray(from));
    return bytes.length;
  }

  /** The whole value; the bytes left are its end. */
  result(left: Buffer): unknown {
    if (this.#pieces !== null) throw invalid('a text has no end');
    this.#keep(left);
    try {
      return this.#filled(parseJson(Buffer.concat(this.#rest)));
    } catch (error) {
      throw error instanceof UnusableJson ? new BadBody(error.tooLarge ? 413 : 400, error.message) : error;
    }
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#count(bytes.length);
    this.#restSize += bytes.length;
    // It is parsed in one piece.
    if (this.#restSize > CONTENT_BODY) throw tooLarge(`${CONTENT_BODY} bytes beside its long texts`);
    this.#rest.push(bytes);
  }

  #add(piece: Buffer): void {
    if (!isUtf8(piece)) throw new BadBody(400, 'The body is not valid UTF-8');
    const text = unescaped(piece.toString('utf8'));
    this.#count(Buffer.byteLength(text));
    this.#pieces?.push(text);
  }

  #close(pieces: string[]): void {
    this.#rest.push(Buffer.from(JSON.stringify(this.#nameOf(this.#texts.length))));
    this.#texts.push(pieces.join(''));
    this.#pieces = null;
  }

  #count(bytes: number): void {
    this.#size += bytes;
    if (this.#size > this.#limit) throw tooLarge(`${this.#limit} bytes of text`);
  }

  #nameOf(index: number): string {
    return `${this.#name} ${index}`;
  }

  #filled(value: unknown): unknown {
    if (typeof value === 'string') {
      return value.startsWith(this.#name) ? this.#texts[Number(value.slice(this.#name.length))] : value;
    }
    if (Array.isArray(value)) return value.map((entry) => this.#filled(entry));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.#filled(entry)]));
  }
}

const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75];

/** The offset of the quote after a text; null if the text is long, the end of the bytes if that is not known yet. */
function endOfText(bytes: Buffer, start: number): number | null {
  const last = start + LONG;
  for (let at = start; at < bytes.length; at += bytes[at] === BACKSLASH ? 2 : 1) {
    if (bytes[at] === QUOTE) return at;
    if (at >= last) return null;
  }
  return bytes.length;
}

/** Where a chunk of a long text ends that can be parsed by itself, and whether the text or the bytes end there. */
function endOfPiece(bytes: Buffer, start: number): { end: number; isClosed: boolean; isLast: boolean } {
  const limit = Math.min(start + PIECE, bytes.length);
  let at = start;
  let quote = -1;
  let backslash = -1;
  while (at < limit) {
    if (bytes[at] === BACKSLASH) {
      const next = at + (bytes[at + 1] === LETTER_U ? 6 : 2);
      if (next > bytes.length) return { end: at, isClosed: false, isLast: true };
      at = next;
      continue;
    }
    if (quote < at) quote = placeOf(QUOTE, bytes, at);
    if (backslash < at) backslash = placeOf(BACKSLASH, bytes, at);
    if (quote < Math.min(backslash, limit)) return { end: quote, isClosed: true, isLast: false };
    at = Math.min(backslash, limit);
  }
  return { end: Math.max(start, endOfCharacter(bytes, at)), isClosed: false, isLast: at === bytes.length };
}

function placeOf(sign: number, bytes: Buffer, from: number): number {
  const place = bytes.indexOf(sign, from);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

/** The last offset up to `end` that does not split a UTF-8 character. */
function endOfCharacter(bytes: Buffer, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] as number;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? end - back : end;
  }
  return end;
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function invalid(why: string): BadBody {
  return new BadBody(400, `The body is not valid JSON: ${why}`);
}
