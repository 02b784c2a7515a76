import { objectTooLarge, ProgramFailed } from '../base/errors.ts';
import { largestOf } from '../base/limits.ts';
import { isObjectType, isOid, type Oid } from '../base/model.ts';
import type { GitObject, ObjectHeader } from '../objects/store.ts';
import { LASTING } from './environment.ts';
import { collectComplaint, type Program, startProgram } from './run.ts';

/** A header line is no longer than this, in bytes: at most it has the name of an object and a word. */
const MAX_HEADER_BYTES = 64;

/** An answer that takes longer than this, in milliseconds, will not come any more. */
const TIMEOUT = 60_000;

const NOTHING = Buffer.alloc(0);

type Found = ObjectHeader & { content: Buffer };

/** One request. */
interface Request {
  contents: boolean;
  /** How many objects. */
  count: number;
  /** Answers to the first of them. */
  found: (Found | null)[];
  resolve: (objects: (Found | null)[]) => void;
  reject: (error: Error) => void;
}

/** One running `git cat-file --batch-command`, which answers one request after another, in the order of asking. */
export class CatFile {
  readonly #program: Program;
  readonly #requests: Request[] = [];
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = 1;
  #header: ObjectHeader | null = null;
  #failure: ProgramFailed | null = null;
  #isEnding = false;
  #watch: NodeJS.Timeout | undefined;
  /** Called whenever the last request was answered, and when the program has ended. */
  onIdle: () => void = () => undefined;
  onEnd: () => void = () => undefined;

  constructor(directory: string) {
    const command = ['cat-file', '--batch-command=%(objecttype) %(objectsize)', '--buffer'];
    this.#program = startProgram(directory, [...LASTING, ...command], { isLasting: true });
    const complaint = collectComplaint(this.#program.stderr);
    this.#program.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#program.stdin.on('error', () => undefined);
    this.#program.on('error', (error) => this.#fail(error.message));
    this.#program.on('close', (code) => this.#fail(`ended with ${code}: ${complaint()}`));
  }

  get idle(): boolean {
    return this.#requests.length === 0;
  }

  get ended(): boolean {
    return this.#isEnding || this.#failure !== null;
  }

  async header(oid: Oid): Promise<ObjectHeader | null> {
    const [header = null] = await this.headers([oid]);
    return header;
  }

  /** As many as are asked for, in their order. */
  headers(oids: readonly Oid[]): Promise<(ObjectHeader | null)[]> {
    return this.#ask('info', oids);
  }

  /** Throws LimitExceeded; callers that know the size do not ask for objects that are too large. */
  async read(oid: Oid): Promise<GitObject | null> {
    const [object = null] = await this.readAll([oid]);
    return object;
  }

  /** As many as are asked for, in their order. Throws LimitExceeded. */
  readAll(oids: readonly Oid[]): Promise<(GitObject | null)[]> {
    return this.#ask('contents', oids);
  }

  /** Lets the program end once it has answered what it was asked; it takes no more questions. */
  end(): void {
    this.#isEnding = true;
    this.#program.stdin.end();
  }

  async #ask(command: 'info' | 'contents', oids: readonly Oid[]): Promise<(Found | null)[]> {
    if (this.ended) throw this.#failure ?? new ProgramFailed('git cat-file was told to end');
    // Only full names: anything else could be taken for a revision, or for a second command.
    const names = oids.filter(isOid);
    const found = names.length === 0 ? [] : await this.#answersTo(command, names);
    if (names.length === oids.length) return found;
    let at = 0;
    return oids.map((oid) => (isOid(oid) ? (found[at++] ?? null) : null));
  }

  #answersTo(command: 'info' | 'contents', names: readonly Oid[]): Promise<(Found | null)[]> {
    if (this.idle) this.#watchOver();
    return new Promise((resolve, reject) => {
      this.#requests.push({ contents: command === 'contents', count: names.length, found: [], resolve, reject });
      this.#program.stdin.write(`${names.map((oid) => `${command} ${oid}\n`).join('')}flush\n`, 'latin1');
    });
  }

  #receive(chunk: Buffer): void {
    if (this.#failure !== null) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Chunks of a large object are put together once, when all are there.
    if (this.#size < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    let at = 0;
    for (let end = this.#take(bytes, at); end > at && this.#failure === null; end = this.#take(bytes, at)) at = end;
    this.#chunks = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#size = bytes.length - at;
    if (!this.idle) this.#watch?.refresh();
  }

  /** Takes header lines or one content from there on; returns where they end, or where they begin if not all is there. */
  #take(bytes: Buffer, at: number): number {
    if (this.#header !== null) return this.#takeContent(bytes, at, this.#header);
    const [request] = this.#requests;
    if (request?.contents === false) return this.#takeHeaders(bytes, at, request);
    const end = bytes.indexOf(10, at);
    this.#needed = bytes.length - at + 1;
    if (end < 0) return at;
    const header = headerOf(bytes.toString('latin1', at, end));
    if (header === null) this.#answer(null);
    else if (header.size > largestOf(header.type)) this.#refuse(header);
    else this.#header = header;
    return end + 1;
  }

  /** Takes all lines of one answer that are there, as there may be a thousand. */
  #takeHeaders(bytes: Buffer, at: number, request: Request): number {
    const wanted = request.count - request.found.length;
    const lines = bytes.toString('latin1', at, at + wanted * MAX_HEADER_BYTES).split('\n', wanted + 1);
    // What follows the last line break is the beginning of another line, or of the next answer.
    lines.pop();
    let end = at;
    for (const line of lines) {
      end += line.length + 1;
      const header = headerOf(line);
      this.#answer(header && { ...header, content: NOTHING });
    }
    this.#needed = bytes.length - end + 1;
    return end;
  }

  #takeContent(bytes: Buffer, at: number, header: ObjectHeader): number {
    const end = at + header.size;
    this.#needed = header.size + 1;
    if (bytes.length <= end) return at;
    this.#header = null;
    this.#answer({ ...header, content: bytes.subarray(at, end) });
    return end + 1;
  }

  /** The requests after it are repeated: the program cannot skip a content that it has begun to send. */
  #refuse({ type, size }: ObjectHeader): void {
    this.#requests.shift()?.reject(objectTooLarge(size, largestOf(type)));
    this.#program.kill('SIGKILL');
    this.#fail('was ended as it began to say a large object');
  }

  #answer(object: Found | null): void {
    const [request] = this.#requests;
    if (request === undefined) return;
    request.found.push(object);
    if (request.found.length < request.count) return;
    this.#requests.shift();
    request.resolve(request.found);
    if (this.idle) {
      clearTimeout(this.#watch);
      this.onIdle();
    }
  }

  #watchOver(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      this.#program.kill('SIGKILL');
      this.#fail(`did not answer within ${TIMEOUT} ms`);
    }, TIMEOUT).unref();
  }

  #fail(reason: string): void {
    if (this.#failure !== null) return;
    clearTimeout(this.#watch);
    this.#failure = new ProgramFailed(`git cat-file ${reason}`);
    for (const { reject } of this.#requests.splice(0)) reject(this.#failure);
    this.onEnd();
  }
}

/** `blob 12`; null for the answer about a missing object, its name and `missing`. */
function headerOf(line: string): ObjectHeader | null {
  const space = line.indexOf(' ');
  const type = line.slice(0, space);
  return isObjectType(type) ? { type, size: Number(line.slice(space + 1)) } : null;
}
