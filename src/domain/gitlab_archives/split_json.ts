import { createReadStream, type WriteStream } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { openFile, writeTo } from '#src/domain/gitlab_archives/relations/files.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';

/** Bytes of the longest record, and of all values that are no records. */
const MAX_RECORD_BYTES = 8 * 1024 * 1024;
const MAX_REST_BYTES = 1024 * 1024;
/** How deep values may nest, and how many members the object may have. */
const MAX_DEPTH = 100;
const MAX_MEMBERS = 200;

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, BEGIN, END] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** What ends a value beside which nothing else is open. */
const ENDS: ReadonlySet<number> = new Set([...SPACES, COMMA, COLON, CLOSE, END]);

/** What of a large object is not in a file of its own. */
export interface Rest {
  /** Its members that are no objects or lists of them, as JSON. */
  json: string;
  /** How many values were left out: of keys that are no plain words, and in lists of something else than objects. */
  strange: number;
}

/**
 * Splits a large object of JSON piece by piece, so that it is never in memory as a whole: the objects in its lists, and those that are its
 * members, become lines of `<key>.ndjson`, which are not looked at. Throws ArchiveInvalid, which names the file by `name`; the signal's
 * reason.
 *
 * @param directory where the files are made
 */
export async function splitJson(file: string, name: string, directory: string, signal: AbortSignal): Promise<Rest> {
  const splitter = new Splitter(name, directory);
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      await splitter.take(chunk);
    }
    return splitter.rest();
  } finally {
    await splitter.close();
  }
}

/** What comes next where no value is open. */
type Awaited = 'object' | 'key' | 'colon' | 'value' | 'item' | 'comma' | 'nothing';

class Splitter {
  readonly #name: string;
  readonly #directory: string;
  readonly #files = new Map<string, WriteStream>();
  readonly #rest: string[] = [];
  #strange = 0;
  #restBytes = 0;
  #members = 0;
  #awaited: Awaited = 'object';
  #key = '';
  #inList = false;
  /** Of the key or value that is open. */
  #isOpen = false;
  #parts: Buffer[] = [];
  #size = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  constructor(name: string, directory: string) {
    this.#name = name;
    this.#directory = directory;
  }

  async take(chunk: Buffer): Promise<void> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#isOpen) {
        if (!this.#isOver(byte)) continue;
        this.#keep(chunk.subarray(from, at));
        await this.#close();
      }
      this.#between(byte);
      // What opens a value is a part of it.
      if (this.#isOpen) from = at;
      if (this.#isOpen) this.#isOver(byte);
    }
    if (this.#isOpen) this.#keep(chunk.subarray(from));
  }

  /** What is left at the end. Throws ArchiveInvalid if there is more to come. */
  rest(): Rest {
    if (this.#awaited !== 'nothing') throw this.#wrong();
    return { json: `{${this.#rest.join(',')}}`, strange: this.#strange };
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) {
      file.end();
      await finished(file);
    }
  }

  /** Whether the value that is open ends before a byte. */
  #isOver(byte: number): boolean {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
      else if (byte === 0x0a || byte === 0x0d) throw this.#wrong();
      return false;
    }
    if (this.#depth === 0 && ENDS.has(byte)) return true;
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN || byte === BEGIN) this.#depth += 1;
    else if (byte === CLOSE || byte === END) this.#depth -= 1;
    if (this.#depth > MAX_DEPTH)
      throw new ArchiveInvalid(`${this.#name} nests lists and objects more than ${MAX_DEPTH} levels deep.`);
    return false;
  }

  /** A byte where no value is open; it may open one. */
  #between(byte: number): void {
    if (SPACES.has(byte)) return;
    const isList = this.#awaited === 'value' && byte === OPEN;
    if (this.#awaited === 'object' && byte === BEGIN) this.#awaited = 'key';
    else if (this.#awaited === 'colon' && byte === COLON) this.#awaited = 'value';
    else if (isList) [this.#awaited, this.#inList] = ['item', true];
    else if (this.#awaited === 'comma' && byte === COMMA) this.#awaited = this.#inList ? 'item' : 'key';
    else if (this.#inList && byte === CLOSE) [this.#awaited, this.#inList] = ['comma', false];
    else if (!this.#inList && byte === END && (this.#awaited === 'comma' || this.#members === 0))
      this.#awaited = 'nothing';
    else if ((this.#awaited === 'key' && byte === QUOTE) || this.#awaited === 'value' || this.#awaited === 'item')
      this.#open();
    else throw this.#wrong();
  }

  #open(): void {
    this.#isOpen = true;
    this.#depth = 0;
    this.#size = 0;
    this.#parts = [];
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > MAX_RECORD_BYTES)
      throw new ArchiveInvalid(`${this.#name} has a record of more than ${MAX_RECORD_BYTES} bytes.`);
    this.#parts.push(part);
  }

  async #close(): Promise<void> {
    const bytes = Buffer.concat(this.#parts);
    this.#isOpen = false;
    if (this.#awaited === 'key') {
      if (++this.#members > MAX_MEMBERS) throw this.#wrong();
      this.#key = bytes.toString('utf8').slice(1, -1);
      this.#awaited = 'colon';
      return;
    }
    this.#awaited = 'comma';
    if (!/^[a-z][a-z0-9_]{0,79}$/.test(this.#key)) this.#strange += 1;
    else if (bytes[0] === BEGIN) await this.#write(bytes);
    else if (this.#inList) this.#strange += 1;
    else this.#leave(`"${this.#key}":${bytes.toString('utf8')}`);
  }

  #leave(member: string): void {
    this.#restBytes += member.length;
    if (this.#restBytes > MAX_REST_BYTES)
      throw new ArchiveInvalid(`${this.#name} has more than ${MAX_REST_BYTES} bytes of values that are no records.`);
    this.#rest.push(member);
  }

  async #write(bytes: Buffer): Promise<void> {
    const file = this.#files.get(this.#key) ?? openFile(path.join(this.#directory, `${this.#key}.ndjson`));
    this.#files.set(this.#key, file);
    // Between values the end of a line is just space.
    for (const [at, byte] of bytes.entries()) if (byte === 0x0a || byte === 0x0d) bytes[at] = 0x20;
    await writeTo(file, bytes);
    await writeTo(file, '\n');
  }

  #wrong(): ArchiveInvalid {
    return new ArchiveInvalid(`${this.#name} is not valid JSON.`);
  }
}
