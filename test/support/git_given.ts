import { createHash } from 'node:crypto';
import type { TreeEntry } from '#src/git/base/model.ts';
import { encodeName } from '#src/git/base/names.ts';
import type { Contributor } from '#src/git/base/reader.ts';
import { randomizer } from './git_history.ts';
import { cloneOf, git, gitBytes, gitCode, gitLines } from './git_program.ts';

/** How many commits, pairs of them and merges are looked at. */
const COMMITS = 150;
const PAIRS = 30;
const MERGES = 60;

/** A copy of a repository, and what is looked at of it: always the same. */
export class GivenHistory {
  readonly directory: string;
  readonly tip: string;
  readonly commits: string[];
  readonly pairs: [string, string][];
  /** Both parents of merges and their only base. */
  readonly merges: [string, string, string][];

  constructor(source: string) {
    const random = randomizer(1);
    const some = <T>(all: T[], count: number) =>
      Array.from({ length: Math.min(all.length, count) }, () =>
        all.splice(Math.floor(random() * all.length), 1),
      ).flat();
    this.directory = cloneOf(source);
    const ask = (...args: string[]) => gitLines(this.directory, ['rev-list', ...args]);
    this.tip = git(this.directory, ['rev-parse', 'HEAD']).trim();
    this.commits = some(ask('--all'), COMMITS);
    const others = some(ask('--all'), PAIRS);
    this.pairs = others.map((oid, at) => [this.commits[at] ?? oid, oid]);
    const merges = some(ask('--all', '--min-parents=2', '--max-parents=2', '--parents'), MERGES);
    this.merges = merges.flatMap((line) => {
      const [, ours = '', theirs = ''] = line.split(' ');
      const bases = mergeBases(this.directory, ours, theirs);
      return bases.length === 1 ? [[ours, theirs, bases[0] ?? '']] : [];
    });
  }
}

/** The best common ancestors of two commits; none where they have no common history. */
export function mergeBases(directory: string, left: string, right: string): string[] {
  if (gitCode(directory, ['merge-base', left, right]) !== 0) return [];
  return gitLines(directory, ['merge-base', '--all', left, right]);
}

/** An entry as `git ls-tree` lists it; names are Latin-1 for their bytes. */
export function treeLine({ mode, type, oid, path: name }: TreeEntry): string {
  return `${mode} ${type} ${oid}\t${latin1(name)}`;
}

export function latin1(name: string): string {
  return encodeName(name).toString('latin1');
}

export function listTree(directory: string, oid: string): string[] {
  return zeroes(gitBytes(directory, ['ls-tree', '-r', '-t', '-z', oid])).toSorted();
}

function zeroes(output: Buffer): string[] {
  return output.toString('latin1').split('\0').slice(0, -1);
}

/** By git, where only files of the same content count as renamed: paths, and how many lines they have more. */
export function netLines(directory: string, from: string, to: string): string[] {
  const fields = zeroes(gitBytes(directory, ['diff-tree', '-r', '-z', '--numstat', '-M100%', from, to]));
  const lines: string[] = [];
  for (let at = 0; at < fields.length; at++) {
    const [added = '', removed = '', name = ''] = (fields[at] ?? '').split('\t');
    // Of a rename the old path comes next, then the new one.
    if (name === '') at += 2;
    const net = added === '-' ? 0 : Number(added) - Number(removed);
    lines.push(`${name === '' ? fields[at] : name} ${net}`);
  }
  return lines;
}

/** Who wrote what, by `git log`. */
export function contributorsOf(directory: string, tip: string): Contributor[] {
  const rows = new Map<string, Contributor>();
  const log = ['log', '--no-merges', '--numstat', '-M', '--format=%x01%an%x02%ae', tip];
  let row: Contributor | undefined;
  for (const line of gitLines(directory, ['-c', 'diff.renameLimit=1000', ...log])) {
    if (line.startsWith('\x01')) {
      const [name = '', email = ''] = line.slice(1).split('\x02');
      row = rows.get(email) ?? { name, email, commits: 0, additions: 0, deletions: 0 };
      row.commits++;
      rows.set(email, row);
    } else if (row !== undefined) {
      const [additions, deletions] = line.split('\t').map((text) => Number(text) || 0);
      row.additions += additions ?? 0;
      row.deletions += deletions ?? 0;
    }
  }
  return [...rows.values()];
}

/** What an archive holds: of each member its type, name, target, size and the hash of its content. */
export function membersOf(tar: Buffer): string[] {
  const names: string[] = [];
  let long: string | null = null;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const field = (from: number, length: number) =>
      tar.toString('utf8', at + from, at + from + length).replace(/\0.*/s, '');
    const size = Number.parseInt(field(124, 12), 8) || 0;
    const content = tar.subarray(at + 512, at + 512 + size);
    const type = field(156, 1);
    if (type === 'x') long = /\d+ path=(.*)\n/.exec(content.toString('utf8'))?.[1] ?? null;
    else if (type !== 'g') {
      const name: string = long ?? [field(345, 155), field(0, 100)].filter((part) => part !== '').join('/');
      names.push(`${type} ${name} ${field(157, 100)} ${size} ${createHash('sha1').update(content).digest('hex')}`);
      long = null;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return names.toSorted();
}
