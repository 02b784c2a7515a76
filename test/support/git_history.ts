import { emptyRepository, git } from './git_program.ts';

/** A change of one path in a commit; a text is a plain file. Paths may be bytes. */
export type Change =
  | { path: string | Buffer; content: string | Buffer; mode?: '100644' | '100755' | '120000' }
  | { path: string | Buffer; submodule: string }
  | { path: string | Buffer; remove: true };

export interface CommitOptions {
  branch: string;
  message?: string | Buffer;
  changes?: Change[];
  /** Marks; none is a root commit. */
  from?: number[];
  /** Seconds since 1970; a minute after the previous one without. */
  time?: number;
  author?: string;
  zone?: string;
  encoding?: string;
}

/** Writes a history for `git fast-import`, which builds thousands of odd commits in no time. */
export class HistoryBuilder {
  readonly #parts: Buffer[] = [];
  #mark = 0;
  #time = 1_500_000_000;

  /** Returns the mark of the commit. */
  commit(options: CommitOptions): number {
    const { branch, changes = [], from = [], author = 'Ada Example <ada@example.com>', zone = '+0000' } = options;
    const mark = ++this.#mark;
    this.#time = options.time ?? this.#time + 60;
    this.#write(`reset refs/heads/${branch}\n`);
    this.#write(`commit refs/heads/${branch}\nmark :${mark}\nauthor ${author} ${this.#time - 30} ${zone}\n`);
    this.#write(`committer Cleo Committer <cleo@example.com> ${this.#time} ${zone}\n`);
    if (options.encoding !== undefined) this.#write(`encoding ${options.encoding}\n`);
    this.#data(options.message ?? `Commit ${mark}\n`);
    from.forEach((parent, at) => {
      this.#write(`${at === 0 ? 'from' : 'merge'} :${parent}\n`);
    });
    for (const change of changes) this.#change(change);
    this.#write('\n');
    return mark;
  }

  tag(name: string, mark: number, message: string): void {
    this.#write(`tag ${name}\nfrom :${mark}\ntagger Tom Tagger <tom@example.com> ${this.#time} -0330\n`);
    this.#data(message);
  }

  /** Builds the bare repository, with refs in part packed and, if asked for, all objects in one pack. */
  build({ packed = false } = {}): string {
    const directory = emptyRepository('file');
    git(directory, ['fast-import', '--quiet', '--force', '--date-format=raw'], Buffer.concat(this.#parts));
    if (packed) git(directory, ['repack', '-adq', '--depth=50', '--window=20']);
    return directory;
  }

  #change(change: Change): void {
    if ('remove' in change) this.#write('D ', quoted(change.path), '\n');
    else if ('submodule' in change) this.#write(`M 160000 ${change.submodule} `, quoted(change.path), '\n');
    else {
      this.#write(`M ${change.mode ?? '100644'} inline `, quoted(change.path), '\n');
      this.#data(change.content);
    }
  }

  #data(content: string | Buffer): void {
    const bytes = Buffer.from(content);
    this.#write(`data ${bytes.length}\n`, bytes, '\n');
  }

  #write(...parts: (string | Buffer)[]): void {
    for (const part of parts) this.#parts.push(Buffer.from(part));
  }
}

/** A random number generator with a seed: fractions from 0 up to 1. */
export function randomizer(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The path as fast-import reads it: in quotes, with what is special in octal. */
function quoted(path: string | Buffer): Buffer {
  const bytes = [...Buffer.from(path)].map((byte) =>
    byte < 33 || byte > 126 || byte === 34 || byte === 92
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return Buffer.from(`"${bytes.join('')}"`);
}
