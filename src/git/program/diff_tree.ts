import type { Socket } from 'node:net';
import { MAX_RENAMES } from '../base/diff_limits.ts';
import { ProgramFailed } from '../base/errors.ts';
import { EMPTY_TREE, type Oid } from '../base/model.ts';
import { LASTING, MAX_ALLOCATION_BYTES } from './environment.ts';
import { collectComplaint, lowerPriority, type Program, startProgram, watchMemory } from './run.ts';

/** An answer took longer than it may. */
export class ProgramLate extends ProgramFailed {
  override name = 'ProgramLate';
}

/** Files above the size that programs keep are binary. Newer programs would heed what the default branch says of its files. */
const SETTINGS = [...LASTING, '-c', `attr.tree=${EMPTY_TREE}`];

const FORMAT = ['-r', '--raw', '--no-abbrev', '-p', '--no-color', '--no-ext-diff', '--no-textconv'];

/** Looks for renames among a bounded number of files. */
export const RENAMES = ['-M', `-l${MAX_RENAMES}`];

/** Bytes of output that are buffered until they are read; then the program waits. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Milliseconds for which a comparison has the priority of this process: most take no longer, and a request waits for them. */
const PRIORITY_MS = 250;

/** How much memory a comparison may use before its size is known, in bytes. */
const EARLY_MEMORY = 128 * 1024 * 1024;

/** The largest allocation of a program while the sizes of the files are not known, in bytes. */
const MAX_EARLY_ALLOCATION_BYTES = 32 * 1024 * 1024;

/** Two trees. */
export interface Trees {
  from: Oid;
  to: Oid;
}

/** A comparison that was started before its output is read. */
interface Early extends Trees {
  chunks: Buffer[];
  size: number;
  /** The lines that name what differs; null if they will not come. */
  names: PromiseWithResolvers<Buffer | null>;
  isNamed: boolean;
  unwatch: () => void;
}

interface Question {
  take: (lines: Buffer) => boolean;
  mark: Buffer;
  settle: (result: boolean | ProgramFailed) => void;
}

/** One running `git diff-tree --stdin`, which answers one question at a time. */
export class DiffTree {
  readonly #program: Program;
  #question: Question | null = null;
  #early: Early | null = null;
  /** The beginning of a line that is not complete. */
  #rest: Buffer[] = [];
  #asked = 0;
  #lowering: NodeJS.Timeout | undefined;
  #failure: ProgramFailed | null = null;

  /**
   * @param paths compares nothing else, if any are given
   * @param mostAtOnce bytes of its largest allocation: it ends when a file needs more
   */
  constructor(
    directory: string,
    renames: readonly string[] = RENAMES,
    paths: readonly string[] = [],
    mostAtOnce = MAX_ALLOCATION_BYTES,
  ) {
    const command = ['diff-tree', '--stdin', ...FORMAT, ...renames, '--', ...paths];
    const environment = { GIT_ALLOC_LIMIT: String(mostAtOnce) };
    this.#program = startProgram(directory, [...SETTINGS, ...command], { isLasting: true }, environment);
    const complaint = collectComplaint(this.#program.stderr);
    this.#program.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#program.stdin.on('error', () => undefined);
    this.#program.on('error', (error) => this.#fail(`cannot be run: ${error.message}`));
    this.#program.on('close', (code) => this.#fail(`ended with ${code}: ${complaint()}`));
  }

  /** For questions about files whose sizes are not known yet. */
  static careful(directory: string): DiffTree {
    return new DiffTree(directory, RENAMES, [], MAX_EARLY_ALLOCATION_BYTES);
  }

  get ended(): boolean {
    return this.#failure !== null;
  }

  /** How many questions it was asked. */
  get asked(): number {
    return this.#asked;
  }

  /** Whether it was started early for trees, the given ones if any, and these have not been asked for yet. */
  hasBegun(trees?: Trees): boolean {
    if (this.#early === null || trees === undefined) return this.#early !== null;
    return this.#early.from === trees.from && this.#early.to === trees.to;
  }

  /** Begins to compare two trees that are likely to be asked for; no other ones may be asked for then. */
  begin({ from, to }: Trees): void {
    const unwatch = watchMemory(this.#program, () => this.#fail('filled too much memory'), EARLY_MEMORY);
    this.#early = { from, to, chunks: [], size: 0, names: Promise.withResolvers(), isNamed: false, unwatch };
    this.#write(from, to);
  }

  /**
   * The lines that name what differs between the trees that it was told to begin with. Null if they are not known after so many
   * milliseconds, as it looks for renames first, or if they are very long.
   */
  async named(milliseconds: number): Promise<Buffer | null> {
    const names = this.#early?.names;
    if (names === undefined) return null;
    // If this process was busy meanwhile, output that is waiting is taken first.
    const timer = setTimeout(() => setImmediate(() => names.resolve(null)), milliseconds);
    return names.promise.finally(() => clearTimeout(timer));
  }

  /**
   * Compares two trees. `take` gets whole lines and tells whether it wants more; the program is ended when it does not, and at the
   * deadline (on the clock of `performance.now()`). Returns whether git said all. Throws ProgramLate, ProgramFailed.
   */
  ask(from: Oid, to: Oid, take: (lines: Buffer) => boolean, deadline: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      const late = () => this.#fail('took too long', ProgramLate);
      const timer = setTimeout(late, Math.max(0, deadline - performance.now()));
      const unwatch = watchMemory(this.#program, () => this.#fail('filled too much memory'));
      const settle = (result: boolean | ProgramFailed) => {
        clearTimeout(timer);
        clearTimeout(this.#lowering);
        unwatch();
        this.#question = null;
        if (typeof result === 'boolean') resolve(result);
        else reject(result);
      };
      const early = this.#early;
      this.#early = null;
      if (early === null) this.#write(from, to);
      this.#question = { take, mark: Buffer.from(this.#mark), settle };
      early?.unwatch();
      early?.names.resolve(null);
      for (const chunk of early?.chunks ?? []) this.#receive(chunk);
      this.#program.stdout.resume();
    });
  }

  /** Ends the program at once. */
  end(): void {
    this.#fail('was ended');
  }

  /** Whether the process waits for the program to end by itself. */
  hold(isHeld: boolean): void {
    const { stdin, stdout, stderr } = this.#program;
    for (const part of [this.#program, stdin, stdout, stderr] as unknown as Pick<Socket, 'ref' | 'unref'>[]) {
      if (isHeld) part.ref();
      else part.unref();
    }
  }

  /** Lines that name no trees come back as they are, behind all that was said of those before. */
  get #mark(): string {
    return `=${this.#asked}\n`;
  }

  #write(from: Oid, to: Oid): void {
    this.#asked++;
    clearTimeout(this.#lowering);
    this.#lowering = setTimeout(() => lowerPriority(this.#program), PRIORITY_MS).unref();
    this.#program.stdin.write(`${from} ${to}\n${this.#mark}`);
  }

  #keep(early: Early, chunk: Buffer): void {
    early.chunks.push(chunk);
    early.size += chunk.length;
    // It has said all, so its next comparison begins with our priority.
    const isAll = endsWithLine(chunk, Buffer.from(this.#mark));
    if (isAll) clearTimeout(this.#lowering);
    const isFull = early.size > MAX_BUFFERED_BYTES;
    if (isFull) this.#program.stdout.pause();
    if (early.isNamed) return;
    const said = Buffer.concat(early.chunks);
    // An empty line stands before the patches.
    const end = said.indexOf('\n\n');
    const isWhole = end >= 0 || isAll;
    early.isNamed = isWhole || isFull;
    if (early.isNamed) early.names.resolve(isWhole ? said.subarray(0, end < 0 ? said.length : end + 1) : null);
  }

  #receive(chunk: Buffer): void {
    const question = this.#question;
    if (this.#early !== null) this.#keep(this.#early, chunk);
    if (question === null) return;
    const end = chunk.lastIndexOf(10) + 1;
    if (end === 0) {
      this.#rest.push(chunk);
      return;
    }
    const whole =
      this.#rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([...this.#rest, chunk.subarray(0, end)]);
    this.#rest = end === chunk.length ? [] : [chunk.subarray(end)];
    const { take, mark, settle } = question;
    const isAll = endsWithLine(whole, mark);
    try {
      const wantsMore = take(isAll ? whole.subarray(0, -mark.length) : whole);
      if (isAll || !wantsMore) settle(isAll);
      if (!isAll && !wantsMore) this.end();
    } catch (error) {
      this.#fail(`answered in an unknown format: ${error}`);
    }
  }

  #fail(reason: string, Failure = ProgramFailed): void {
    if (this.#failure !== null) return;
    this.#failure = new Failure(`git diff-tree ${reason}`);
    clearTimeout(this.#lowering);
    this.#early?.unwatch();
    this.#early?.names.resolve(null);
    this.#program.kill('SIGKILL');
    this.#question?.settle(this.#failure);
  }
}

/** No line of a comparison looks like a mark: each begins with another character. */
function endsWithLine(lines: Buffer, line: Buffer): boolean {
  const at = lines.length - line.length;
  return at >= 0 && (at === 0 || lines[at - 1] === 10) && lines.subarray(at).equals(line);
}
