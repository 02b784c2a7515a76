import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomizer } from '../repository/history.ts';
import { feedGit, git } from '../repository/program.ts';

/** How large the history is at scale 1. */
const COMMITS = 1_000_000;
const FILES = 300_000;
const BRANCHES = 10_000;
const TAGS = 10_000;

/** People who wrote it, at any scale. */
const AUTHORS = 2_000;
/** Lines of a file, and how many different ones there are. */
const LINES = 16;
const KINDS_OF_LINES = 8_192;
/** Entries of the root, of a directory below it, and so on; what is left are files. */
const WIDTHS = [40, 25, 20];
const START = 1_200_000_000;
/** Seconds between two commits. */
const PACE = 480;
/** Each so many commits, a side branch of some commits is merged. */
const MERGES = 20;

/** To be raised whenever the history becomes another one. */
const VERSION = 1;

/** What the history consists of at a scale. */
export interface Size {
  commits: number;
  files: number;
  branches: number;
  tags: number;
}

/** How large the history is at a scale. */
export function sizeAt(scale: number): Size {
  const part = (whole: number) => Math.max(10, Math.round(whole * scale));
  return { commits: part(COMMITS), files: part(FILES), branches: part(BRANCHES), tags: part(TAGS) };
}

/**
 * A bare repository with the history of a large one: made once for each scale, and kept in the directory for temporary files.
 * Whoever takes it changes nothing in it.
 */
export async function monorepo(scale: number, print: (text: string) => void): Promise<string> {
  const folder = path.join(tmpdir(), 'gantry-bench-monorepo');
  const directory = path.join(folder, `${VERSION}-${scale}.git`);
  if (existsSync(directory)) return directory;
  mkdirSync(folder, { recursive: true });
  const draft = `${directory}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const begun = performance.now();
  await git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', draft]);
  await feedGit(
    draft,
    ['fast-import', '--quiet', '--date-format=raw', '--depth=50'],
    new Monorepo(sizeAt(scale)).all(),
  );
  await git(draft, ['pack-refs', '--all']);
  renameSync(draft, directory);
  print(`Made the history at scale ${scale} in ${Math.round((performance.now() - begun) / 1000)} s: ${directory}`);
  return directory;
}

/** Where a file lies, by its number: four directories deep. */
export function fileAt(number: number): string {
  const folders: string[] = [];
  let rest = number;
  for (const width of WIDTHS) {
    folders.push(`${NAMES[folders.length]}${rest % width}`);
    rest = Math.floor(rest / width);
  }
  return `${folders.join('/')}/file${rest}.ts`;
}

const NAMES = ['area', 'service', 'module'];

/** Writes the history in the language of `git fast-import`: always the same one. */
class Monorepo {
  readonly #size: Size;
  readonly #random = randomizer(59);
  /** Which line each line of a file is. */
  readonly #files: Uint16Array;
  readonly #lines: string[];
  #known = 0;
  /** The files that were changed on the side branch that is to be merged. */
  #aside = new Set<number>();
  #mark = 0;

  constructor(size: Size) {
    this.#size = size;
    this.#files = new Uint16Array(size.files * LINES);
    this.#lines = Array.from({ length: KINDS_OF_LINES }, (_, at) => lineOf(at));
  }

  *all(): Generator<string> {
    let parts: string[] = [];
    for (const part of this.#parts()) {
      parts.push(part);
      if (parts.length < 200) continue;
      yield parts.join('');
      parts = [];
    }
    yield parts.join('');
  }

  *#parts(): Generator<string> {
    const { commits, branches, tags } = this.#size;
    // Half of the branches have a commit of their own.
    const onMain = commits - Math.floor(branches / 2);
    let tip = 0;
    while (this.#mark < onMain) {
      if (this.#mark % MERGES !== MERGES - 5 || this.#mark + 5 > onMain) {
        tip = yield* this.#commit('main', []);
        continue;
      }
      // A side branch of three commits that leaves the tip.
      this.#aside = new Set();
      let side = tip;
      for (let at = 0; at < 3; at++) side = yield* this.#commit('main', at === 0 ? [] : [side]);
      tip = yield* this.#commit('main', [tip, side]);
      this.#aside = new Set();
    }
    for (let at = 0; at < branches; at++) {
      const from = 1 + this.#below(onMain);
      const name = `team${at % 97}/topic-${at}`;
      if (at % 2 === 0) yield* this.#commit(name, [from]);
      else yield `reset refs/heads/${name}\nfrom :${from}\n\n`;
    }
    for (let at = 0; at < tags; at++) {
      const from = Math.max(1, Math.floor((onMain * (at + 1)) / tags));
      const name = `v${Math.floor(at / 100)}.${at % 100}`;
      if (at % 2 === 0) yield `reset refs/tags/${name}\nfrom :${from}\n\n`;
      else yield `tag ${name}\nfrom :${from}\ntagger ${this.#author(from)}\ndata 8\nRelease\n\n`;
    }
  }

  #author(mark: number): string {
    // Few people make most of the commits.
    const author = Math.floor(AUTHORS * this.#random() ** 3);
    return `Author ${author} <author${author}@example.com> ${START + mark * PACE} +0000`;
  }

  /** One commit; returns its mark. Without parents it follows the last commit of the branch. */
  *#commit(branch: string, parents: number[]): Generator<string, number> {
    const mark = ++this.#mark;
    const message = `Change number ${mark}\n\nWhat was done and why.\n`;
    const parts = [`commit refs/heads/${branch}\nmark :${mark}\ncommitter ${this.#author(mark)}\n`];
    parts.push(`data ${message.length}\n${message}`);
    for (const [at, parent] of parents.entries()) parts.push(`${at === 0 ? 'from' : 'merge'} :${parent}\n`);
    const changed = this.#changed();
    for (const file of changed) this.#aside.add(file);
    // A merge has the tree of its first parent and what it says itself.
    for (const file of parents.length > 1 ? this.#aside : changed) {
      const content = this.#content(file);
      parts.push(`M 100644 inline ${fileAt(file)}\ndata ${content.length}\n${content}\n`);
    }
    yield parts.join('');
    return mark;
  }

  /** The numbers of the files that a commit makes or changes: all are there after two thirds of the commits. */
  #changed(): number[] {
    const { files, commits } = this.#size;
    const wanted = Math.min(files, Math.ceil((files * this.#mark * 3) / (commits * 2)));
    const changed: number[] = [];
    for (; this.#known < wanted; this.#known++) {
      for (let at = 0; at < LINES; at++) this.#files[this.#known * LINES + at] = this.#below(KINDS_OF_LINES);
      changed.push(this.#known);
    }
    if (changed.length > 0 && this.#random() < 0.5) return changed;
    // Some files change far more often than others.
    const file = Math.floor(this.#known * this.#random() ** 4);
    const from = this.#below(LINES);
    for (let at = from; at < Math.min(LINES, from + 2); at++)
      this.#files[file * LINES + at] = this.#below(KINDS_OF_LINES);
    return changed.includes(file) ? changed : [...changed, file];
  }

  #content(file: number): string {
    let content = `// File ${file}\n`;
    for (let at = 0; at < LINES; at++) content += this.#lines[this.#files[file * LINES + at] ?? 0];
    return content;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

const WORDS = 'const value return await list commit tree blob name path reader entry line if else null'.split(' ');

/** A line that no other number has. */
function lineOf(number: number): string {
  const word = (at: number) => WORDS[(number >> at) % WORDS.length];
  return `  ${word(0)} ${word(3)}${number} = ${word(6)}(${word(9)});\n`;
}
