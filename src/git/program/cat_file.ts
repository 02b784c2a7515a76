import { ProgramFailed, TooLarge } from '../errors.ts';
import { largestOf } from '../limits.ts';
import { isOid, type ObjectType, type Oid } from '../model.ts';
import type { GitObject, ObjectHeader } from '../objects/store.ts';
import { LASTING } from './environment.ts';
import { collectComplaint, type Program, startProgram } from './run.ts';

/** An answer that takes longer than this, in milliseconds, will not come any more. */
const TIMEOUT = 60_000;

type Found = ObjectHeader & { content: Buffer };

interface Request {
  contents: boolean;
  resolve: (object: Found | null) => void;
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
    this.#program = startProgram(directory, [...LASTING, 'cat-file', '--batch-command', '--buffer'], {
      isLasting: true,
    });
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
  async headers(oids: readonly Oid[]): Promise<(ObjectHeader | null)[]> {
    const found = await this.#ask('info', oids);
    return found.map((one) => one && { type: one.type, size: one.size });
  }

  /** Throws TooLarge; whoever knows the size does not ask for such an object. */
  async read(oid: Oid): Promise<GitObject | null> {
    const [object = null] = await this.readAll([oid]);
    return object;
  }

  /** As many as are asked for, in their order. Throws TooLarge. */
  async readAll(oids: readonly Oid[]): Promise<(GitObject | null)[]> {
    const found = await this.#ask('contents', oids);
    return found.map((one) => one && { type: one.type, content: one.content });
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
    if (names.length > 0 && this.idle) this.#watchOver();
    const isAll = names.length === oids.length;
    const answers = oids.map((oid) => (isAll || isOid(oid) ? this.#answerTo(command) : null));
    if (names.length > 0) {
      this.#program.stdin.write(`${names.map((oid) => `${command} ${oid}\n`).join('')}flush\n`);
    }
    return Promise.all(answers);
  }

  #answerTo(command: 'info' | 'contents'): Promise<Found | null> {
    return new Promise((resolve, reject) => {
      this.#requests.push({ contents: command === 'contents', resolve, reject });
    });
  }

  #receive(chunk: Buffer): void {
    if (this.#failure !== null) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Chunks of a large object are put together once, when all are there.
    if (this.#size < this.#needed) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (let used = this.#take(rest); used > 0 && this.#failure === null; used = this.#take(rest)) {
      rest = rest.subarray(used);
    }
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }

  /** Takes one header line or one content from the beginning; returns how many bytes that were, 0 if not all are there. */
  #take(bytes: Buffer): number {
    if (this.#header !== null) return this.#takeContent(bytes, this.#header);
    const end = bytes.indexOf(10);
    this.#needed = bytes.length + 1;
    if (end < 0) return 0;
    const match = /^[0-9a-f]{40} (commit|tree|blob|tag) (\d+)$/.exec(bytes.toString('latin1', 0, end));
    if (match === null) this.#answer(null);
    else {
      const header = { type: match[1] as ObjectType, size: Number(match[2]) };
      const contents = this.#requests[0]?.contents === true;
      if (contents && header.size > largestOf(header.type)) this.#refuse(header);
      else if (contents) this.#header = header;
      else this.#answer({ ...header, content: Buffer.alloc(0) });
    }
    return end + 1;
  }

  #takeContent(bytes: Buffer, header: ObjectHeader): number {
    this.#needed = header.size + 1;
    if (bytes.length < this.#needed) return 0;
    this.#header = null;
    this.#answer({ ...header, content: bytes.subarray(0, header.size) });
    return header.size + 1;
  }

  /** Whoever asked after it asks again: the program cannot be told to leave out a content that it has begun to say. */
  #refuse({ type, size }: ObjectHeader): void {
    this.#requests.shift()?.reject(new TooLarge(size, largestOf(type)));
    this.#program.kill('SIGKILL');
    this.#fail('was ended as it began to say a large object');
  }

  #answer(object: Found | null): void {
    this.#requests.shift()?.resolve(object);
    if (this.idle) {
      clearTimeout(this.#watch);
      this.onIdle();
    } else this.#watch?.refresh();
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
