import { availableParallelism } from 'node:os';
import type { Oid, Signature } from '../base/model.ts';
import type { Contributor } from '../base/reader.ts';
import { type RunOptions, readProgram } from '../program/run.ts';
import { ContributorList, joinContributors, type LineCounts } from './contributors.ts';

/** Counting the lines of a long history takes its time; in milliseconds. */
const TIMEOUT = 10 * 60_000;

/** From so many commits on it pays to count the lines in several processes, each with at least half of them. */
const MANY = 1_000;
/** How many commits one process is given at most: it keeps all of them in memory, 1 MB for each thousand. */
const MAX_COMMITS_PER_PROCESS = 4_000;
/** How many processes at most count the lines of a response that a client waits for; each takes some 15 MB. */
export const PROCESSES = Math.min(2, availableParallelism());

/**
 * Who wrote these commits, none of which is a merge, and how many lines they changed.
 *
 * @param oids newest first
 * @param processes how many at most take a part each
 * @param most how many commits a part may have
 */
export async function countLines(
  directory: string,
  oids: readonly Oid[],
  processes: number,
  most = MAX_COMMITS_PER_PROCESS,
): Promise<Contributor[]> {
  const lanes = Math.max(1, Math.min(processes, Math.floor(oids.length / (MANY / 2))));
  const rounds = Math.max(1, Math.ceil(oids.length / (lanes * most)));
  const size = Math.max(1, Math.ceil(oids.length / (lanes * rounds)));
  const deadline = performance.now() + TIMEOUT;
  let counted: Contributor[] = [];
  for (let at = 0; at < oids.length; at += lanes * size) {
    const starts = Array.from({ length: lanes }, (_, lane) => at + lane * size).filter((start) => start < oids.length);
    const parts = starts.map((start) => countPart(directory, oids.slice(start, start + size), deadline));
    counted = (await Promise.all(parts)).reduce(joinContributors, counted);
  }
  return counted;
}

/** @param deadline on the clock of `performance.now()` */
async function countPart(directory: string, oids: readonly Oid[], deadline: number): Promise<Contributor[]> {
  const list = new ContributorList();
  const input = Buffer.from(oids.map((oid) => `${safe(oid)}\n`).join(''));
  const args = ['--no-walk=unsorted', '--stdin', '--numstat', '-M', '--no-ext-diff', '--no-textconv'];
  const bounds = { input, timeout: Math.max(0, deadline - performance.now()) };
  await readLog(directory, args, bounds, (author, counts) => list.add(author, counts));
  return list.list();
}

/** Hands over the author of each commit of a range but merges, newest first. `range` holds full names, excluded ones with `^`. */
export async function readAuthors(
  directory: string,
  range: string[],
  { limit }: { limit?: number | undefined },
  take: (author: Pick<Signature, 'name' | 'email'>, lines: LineCounts) => void,
): Promise<void> {
  const bound = limit === undefined ? [] : [`--max-count=${limit}`];
  await readLog(directory, ['--no-merges', ...bound, ...range.map(safe), '--'], {}, take);
}

/** Hands over the author of each commit of a log, with the lines that it changed if the log counts them. */
async function readLog(
  directory: string,
  args: string[],
  bounds: Pick<RunOptions, 'input' | 'timeout'>,
  take: (author: Pick<Signature, 'name' | 'email'>, lines: LineCounts) => void,
): Promise<void> {
  let author: Pick<Signature, 'name' | 'email'> | undefined;
  let counts: LineCounts = { additions: 0, deletions: 0 };
  const flush = () => author !== undefined && take(author, counts);
  const line = (text: string) => {
    if (text.startsWith('\x01')) {
      flush();
      const [name = '', email = ''] = text.slice(1).split('\x02');
      author = { name, email };
      counts = { additions: 0, deletions: 0 };
      return;
    }
    // Binary files have dashes in place of numbers.
    const match = /^(\d+)\t(\d+)\t/.exec(text);
    counts.additions += Number(match?.[1] ?? 0);
    counts.deletions += Number(match?.[2] ?? 0);
  };
  const reader = new LineReader(line);
  const options = { timeout: TIMEOUT, limit: 1024 ** 3, ...bounds };
  const all = ['log', '--no-color', '--format=tformat:%x01%an%x02%ae', '--encoding=UTF-8', ...args];
  await readProgram(directory, all, (chunk) => reader.push(chunk), options);
  reader.end();
  flush();
}

function safe(revision: Oid): string {
  if (!/^\^?[0-9a-f]{40}$/.test(revision)) throw new TypeError(`${JSON.stringify(revision)} is not a full name`);
  return revision;
}

/** Cuts a stream of bytes into lines. */
class LineReader {
  readonly #line: (text: string) => void;
  #rest = Buffer.alloc(0);

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(10);
    if (end >= 0) for (const text of bytes.toString('utf8', 0, end).split('\n')) this.#line(text);
    this.#rest = Buffer.from(bytes.subarray(end + 1));
  }

  end(): void {
    if (this.#rest.length > 0) this.#line(this.#rest.toString('utf8'));
  }
}
