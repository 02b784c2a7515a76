import { createCipheriv } from 'node:crypto';
import { feedGit, git } from './program.ts';

/** How large the generated history is. */
const COMMITS = 12_000;
const FILES = 1_600;
const AUTHORS = 80;
/** Lines of a new file. */
const LINES = 90;
const START = 1_500_000_000;

/** The sizes of the blobs that nothing compresses, in MB: 380 in sum. */
const BLOBS = [100, ...Array.from({ length: 28 }, () => 10)];
/** Where the largest of them lies. */
export const LARGEST_BLOB = 'large/0.bin';

/**
 * Fills an empty bare repository with a history on the branch `main`: always the same 12,000 commits, of which every 25th
 * merges a side branch, by 80 authors in 1,600 files. All objects are in one pack.
 */
export async function generateHistory(directory: string): Promise<void> {
  await feedGit(directory, ['fast-import', '--quiet', '--date-format=raw'], new History().commits());
  await git(directory, ['repack', '-adfq', '--depth=50', '--window=10']);
}

/** Adds a commit on the branch `main` whose 29 files nothing compresses, 380 MB in sum. */
export async function addLargeBlobs(directory: string): Promise<void> {
  const parts = function* (): Generator<Buffer | string> {
    yield `commit refs/heads/main\ncommitter Lara Large <lara@example.com> ${START + COMMITS * 3600} +0000\n`;
    yield 'data 5\nLarge\nfrom refs/heads/main^0\n';
    for (const [at, megabytes] of BLOBS.entries()) {
      yield `M 100644 inline large/${at}.bin\ndata ${megabytes << 20}\n`;
      yield* noise(at, megabytes);
      yield '\n';
    }
  };
  const settings = ['-c', 'fastimport.unpackLimit=1'];
  await feedGit(directory, [...settings, 'fast-import', '--quiet', '--date-format=raw'], parts());
}

/** Megabytes that look random and are the same in every run. */
export function* noise(seed: number, megabytes: number): Generator<Buffer> {
  const key = Buffer.alloc(16, seed + 1);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  for (let at = 0; at < megabytes; at++) yield cipher.update(Buffer.alloc(1 << 20));
}

/** Writes the history in the language of `git fast-import`. */
class History {
  readonly #random = randomizer(4);
  readonly #files: { path: string; lines: string[] }[] = [];
  #mark = 0;

  *commits(): Generator<string> {
    let tip = 0;
    while (this.#mark < COMMITS) {
      const side = this.#mark % 25 === 20 ? tip : 0;
      tip = yield* this.#commit([tip]);
      if (side === 0 || this.#mark + 2 > COMMITS) continue;
      const other = yield* this.#commit([side]);
      tip = yield* this.#commit([tip, other]);
    }
  }

  /** One commit; returns its mark. A merge brings what was done on either side. */
  *#commit(parents: number[]): Generator<string, number> {
    const mark = ++this.#mark;
    // Few people make most of the commits.
    const author = Math.floor(AUTHORS * this.#random() ** 3);
    const time = START + mark * 3600;
    const message = `Change number ${mark}\n\nWhat was done and why, in a sentence or two.\n`;
    yield `commit refs/heads/main\nmark :${mark}\nauthor Author ${author} <author${author}@example.com> ${time - 60} +0100\n`;
    yield `committer Author ${author} <author${author}@example.com> ${time} +0100\ndata ${message.length}\n${message}`;
    for (const [at, parent] of parents.entries()) if (parent > 0) yield `${at === 0 ? 'from' : 'merge'} :${parent}\n`;
    for (const { path, lines } of this.#changed()) {
      const content = lines.join('\n');
      yield `M 100644 inline ${path}\ndata ${content.length + 1}\n${content}\n\n`;
    }
    return mark;
  }

  /** The files that a commit makes or changes: as many new ones as to have them all in the first two thirds. */
  #changed() {
    const wanted = Math.min(FILES, Math.ceil((FILES * this.#mark * 3) / (COMMITS * 2)));
    const changed = new Set<{ path: string; lines: string[] }>();
    while (this.#files.length < wanted) {
      const file = this.#create(this.#files.length);
      this.#files.push(file);
      changed.add(file);
    }
    const count = 1 + this.#below(3);
    for (let at = 0; at < count; at++) {
      const file = this.#files[this.#below(this.#files.length)];
      if (file === undefined) continue;
      this.#edit(file.lines);
      changed.add(file);
    }
    return changed;
  }

  #create(at: number) {
    const path = `src/area${at % 12}/part${at % 60}/file${at}.ts`;
    return { path, lines: Array.from({ length: LINES + this.#below(LINES) }, () => this.#line()) };
  }

  /** Replaces, adds or removes up to eight lines somewhere. */
  #edit(lines: string[]): void {
    const at = this.#below(lines.length);
    const old = this.#below(5);
    const now = Array.from({ length: old === 0 ? 3 : this.#below(6) }, () => this.#line());
    lines.splice(at, lines.length > LINES ? old : 0, ...now);
  }

  #line(): string {
    const words = Array.from({ length: 3 + this.#below(6) }, () => WORDS[this.#below(WORDS.length)]);
    return `${'  '.repeat(this.#below(4))}${words.join(' ')};`;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

const WORDS =
  'const value return await list commit tree blob name path of for reader entry line if else null true'.split(' ');

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
