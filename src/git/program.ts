import type { Readable } from 'node:stream';
import type { BlameHunk, BlameQuery } from './base/blame.ts';
import { type Changes, type ChangesOptions, type Comparison, isFar } from './base/comparison.ts';
import type { LineChange, LineHistoryQuery } from './base/line_history.ts';
import { type Commit, type CommitParents, type DatedCommit, isOid, type Oid } from './base/model.ts';
import { encodeName } from './base/names.ts';
import type { PatchQuery } from './base/patch.ts';
import type { Contributor, ContributorsQuery, Divergence, LogQuery, Page, TreePart } from './base/reader.ts';
import type { FileHits, FileSearch, MessageHits, MessageSearch } from './base/search.ts';
import { compareByProgram } from './diff/by_program.ts';
import { firstChanges } from './diff/changes.ts';
import { changesIn, nameChanges } from './diff/name_changes.ts';
import type { Plan } from './diff/plan.ts';
import { countLines, PROCESSES, readAuthors } from './history/authors.ts';
import { ContributorList } from './history/contributors.ts';
import { walkPage } from './history/walk.ts';
import { ObjectReader } from './object_reader.ts';
import { pathComponents } from './objects/lookup.ts';
import { parseCommit } from './objects/parse.ts';
import type { ObjectStore } from './objects/store.ts';
import { blameByProgram } from './program/blame.ts';
import { commitTimes } from './program/commit_times.ts';
import { diffTrees } from './program/diff_trees.ts';
import { firstParents } from './program/first_parents.ts';
import { followByProgram } from './program/followed.ts';
import { lineHistory } from './program/line_history.ts';
import { patchByProgram } from './program/patch.ts';
import { patchId } from './program/patch_id.ts';
import { catFiles } from './program/pool.ts';
import { runProgram } from './program/run.ts';
import { ProgramStore, streamProgram } from './program/store.ts';
import { grep, grepMessages } from './search/by_program.ts';

/** A walk to this commit is done with the long-lived program: starting another one takes longer. */
const SHORT_WALK = 200;

/** Trees that differ in more directories are left to a program, which finds the paths in less time. */
const FEW_DIRECTORIES = 6;

/** Milliseconds in which a program that has begun to compare two trees is to tell what differs, before another one is asked. */
const COMPARE_TIMEOUT_MS = 30;

/** From this many objects on, the git program is asked for many at a time; fewer are read in this process. */
const MANY = 200;

/** How many commits the program is asked for at a time: at the largest that are read, 25 MB. */
const COMMIT_BATCH_SIZE = 100;

/** How many sizes the program is asked for at a time: others who ask it meanwhile are answered in between. */
const SIZE_BATCH_SIZE = 1_000;

/** Reads a repository through the git program: objects from a long-lived one, if no other store is given, walks from short runs. */
export class ProgramReader extends ObjectReader {
  constructor(directory: string, store: ObjectStore = new ProgramStore(directory)) {
    super(directory, store);
  }

  override async commits(oids: Oid[]): Promise<Commit[]> {
    if (oids.length < MANY) return super.commits(oids);
    return this.commitsBy(oids, COMMIT_BATCH_SIZE, async (group) => {
      const objects = await catFiles.ask(this.directory, (program) => program.readAll(group));
      const commits = objects.map((object, at) =>
        object?.type === 'commit' ? parseCommit(group[at] ?? '', object.content) : null,
      );
      return again(group, commits, (oid) => this.commit(oid));
    });
  }

  override async blobSizes(oids: Oid[]): Promise<Map<Oid, number>> {
    if (oids.length < MANY) return super.blobSizes(oids);
    return this.sizesBy(oids, SIZE_BATCH_SIZE, async (group) => {
      const headers = await catFiles.ask(this.directory, (program) => program.headers(group));
      const sizes = headers.map((header) => (header?.type === 'blob' ? header.size : null));
      return again(group, sizes, (oid) => this.blobSize(oid));
    });
  }

  async log(query: LogQuery, page: Page = {}): Promise<Commit[]> {
    const { offset = 0, limit = Infinity } = page;
    if (limit <= 0) return [];
    if (isShort(query, page)) return this.commits(await walkPage(this.graph, this.store, query, page));
    return this.commits(await this.#revisions(revisionsOf(query), pageArguments(offset, limit), query));
  }

  protected async countAll(query: LogQuery): Promise<number> {
    const [count] = await this.#revisions(revisionsOf(query), ['--count'], query);
    return Number(count);
  }

  override followed(query: LogQuery): Promise<Oid[]> {
    return this.#revisions(revisionsOf(query), [], { ...query, follow: true });
  }

  override commitTimes(start: Oid, since: number): Promise<number[]> {
    return commitTimes(this.directory, hash(start), since);
  }

  override firstParents(start: Oid): Promise<DatedCommit[]> {
    return firstParents(this.directory, hash(start));
  }

  override lineHistory(query: LineHistoryQuery): Promise<LineChange[]> {
    return lineHistory(this.directory, { ...query, commit: hash(query.commit) });
  }

  override blame(query: BlameQuery): Promise<BlameHunk[]> {
    return blameByProgram(this.directory, { ...query, commit: hash(query.commit) });
  }

  searchFiles(search: FileSearch): Promise<FileHits> {
    return grep(this.directory, { ...search, commit: hash(search.commit) });
  }

  searchMessages(search: MessageSearch): Promise<MessageHits> {
    return grepMessages(this.directory, { ...search, start: hash(search.start) });
  }

  patchId(from: Oid, to: Oid): Promise<string | null> {
    return patchId(this.directory, from, to);
  }

  override patch({ from, to, asMails }: PatchQuery): Readable {
    return patchByProgram(this.directory, { from: from && hash(from), to: hash(to), asMails });
  }

  async mergeBases(left: Oid, right: Oid): Promise<Oid[]> {
    const { output } = await runProgram(this.directory, ['merge-base', '--all', '--', hash(left), hash(right)], {
      codes: [0, 1],
    });
    return lines(output);
  }

  async mergedInto(tip: Oid, commits: Oid[]): Promise<Set<Oid>> {
    const left = new Set(await this.#revisions([...commits, `^${hash(tip)}`], []));
    return new Set(commits.filter((oid) => !left.has(oid)));
  }

  async newCommits(from: Oid, tips: Oid[], most: number): Promise<CommitParents[] | null> {
    const found = await this.#revisions([...tips, `^${hash(from)}`], ['--parents', `--max-count=${most + 1}`]);
    if (found.length > most) return null;
    return found.map((line) => {
      const [oid = '', ...parents] = line.split(' ');
      return { oid, parents };
    });
  }

  async reaching(commit: Oid, tips: Oid[]): Promise<Set<Oid>> {
    if (tips.length === 0) return new Set();
    const above = new Set(await this.#revisions([...tips, `^${hash(commit)}`], ['--ancestry-path']));
    return new Set(tips.filter((tip) => tip === commit || above.has(tip)));
  }

  protected async isReached(commit: Oid, from: readonly Oid[]): Promise<boolean> {
    // Whatever is left of the commit's history when that of the others is taken away is not reached, the commit to begin with.
    const revisions = [commit, ...from.map((oid) => `^${hash(oid)}`)];
    if ((await this.#revisions(revisions, ['--max-count=1', '--ignore-missing'])).length === 0) return true;
    // Where clocks were wrong git takes away too little, but never too much.
    return (await this.#revisions([...from], ['--ignore-missing'])).includes(commit);
  }

  async isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', '--', hash(ancestor), hash(descendant)];
    return (await runProgram(this.directory, args, { codes: [0, 1] })).code === 0;
  }

  async between(from: Oid, to: Oid, { offset = 0, limit = Infinity }: Page = {}): Promise<Commit[]> {
    if (limit <= 0) return [];
    return this.commits(await this.#revisions([to, `^${hash(from)}`], pageArguments(offset, limit)));
  }

  async divergence(from: Oid, to: Oid, most: number, compared = false): Promise<Divergence> {
    // With three dots git looks for the merge bases, and none of them is left out of the boundary.
    const revisions = [`${from}...${to}`, `^${from}`];
    const walk = this.#revisions(revisions, ['--boundary', `--max-count=${most}`]);
    if (compared) diffTrees.start(this.directory);
    // Read in the meantime, so that they are ready when the program starts.
    const ends = compared ? [this.commit(from), this.commit(to)] : [];
    const [named] = await Promise.all([walk, ...ends]);
    const commits = named.filter((name) => !name.startsWith('-'));
    // A list that is cut off says nothing of what lies below it.
    const known = commits.length < most ? knownBase(from, to, named) : null;
    const [base = null] = known === null ? await this.mergeBases(from, to) : [known];
    if (compared && isFar(commits)) await this.#begin(base ?? from, to);
    return { commits, base };
  }

  /** Has a program begin to compare the trees of two commits, before `changes` and `compare` ask for it. */
  async #begin(from: Oid, to: Oid): Promise<void> {
    const [left, right] = await Promise.all([this.commit(from), this.commit(to)]);
    if (left && right) diffTrees.prepare(this.directory, { from: left.tree, to: right.tree });
  }

  protected async countRange(from: Oid, to: Oid): Promise<number> {
    const [count] = await this.#revisions([to, `^${hash(from)}`], ['--count']);
    return Number(count);
  }

  async countApart(left: Oid, right: Oid): Promise<[number, number]> {
    const [counts = ''] = await this.#revisions([`${left}...${right}`], ['--left-right', '--count']);
    const [ofLeft, ofRight] = counts.split('\t').map(Number);
    return [ofLeft ?? 0, ofRight ?? 0];
  }

  async contributors({ tip, since, lines: withLines, limit, ahead }: ContributorsQuery): Promise<Contributor[]> {
    const list = new ContributorList();
    const range = since === undefined ? [hash(tip)] : [hash(tip), `^${hash(since)}`];
    if (withLines) {
      const bound = limit === undefined ? [] : [`--max-count=${limit}`];
      const commits = await this.#revisions(range, ['--no-merges', ...bound]);
      return countLines(this.directory, commits, ahead ? 1 : PROCESSES);
    }
    await readAuthors(this.directory, range, { limit }, (author, counts) => list.add(author, counts));
    return list.list();
  }

  override async changes(from: Oid, to: Oid, options: ChangesOptions = {}): Promise<Changes> {
    const { most = Infinity, compared = false, isFar = false } = options;
    const near = isFar ? null : await firstChanges(this, from, to, { most, directories: FEW_DIRECTORIES });
    if (near && (near.isComplete || near.changes.length >= most)) return near;
    const begun = compared ? diffTrees.prepare(this.directory, { from, to }) : null;
    const named = await begun?.named(COMPARE_TIMEOUT_MS);
    if (named) return changesIn(named, most);
    return (await nameChanges(this.directory, from, to, most)) ?? super.changes(from, to, options);
  }

  compare(comparison: Comparison): Promise<Plan> {
    return compareByProgram(this.directory, comparison);
  }

  async archive(
    commit: Oid,
    format: 'tar' | 'tar.gz' | 'zip',
    prefix: string,
    { root = '', path = '', exclude = [] }: TreePart = {},
  ): Promise<Readable> {
    const treeish = root === '' ? hash(commit) : `${hash(commit)}:${root}`;
    const args = ['archive', `--format=${format}`, `--prefix=${prefix}`, treeish, '--'];
    const paths = [`:(literal)${path}`, ...exclude.map((one) => `:(literal,exclude)${one}`)];
    if (path === '' && exclude.length === 0) return streamProgram(this.directory, args);
    // Each path says itself that it is no pattern.
    return streamProgram(this.directory, [...args, ...paths], [], { GIT_LITERAL_PATHSPECS: '0' });
  }

  override async close(): Promise<void> {
    diffTrees.release(this.directory);
    await super.close();
  }

  /**
   * Runs `git rev-list`. Revisions and paths come in on its standard input, where they are bytes and cannot be options; a path
   * of several lines stands behind its options.
   */
  async #revisions(
    revisions: string[],
    args: string[],
    query: Partial<LogQuery> & { follow?: true } = {},
  ): Promise<string[]> {
    const { path = '', since, until, author, firstParent, topological, follow = false } = query;
    const bounds = [
      ...(author === undefined ? [] : ['--fixed-strings', `--author=${author}`]),
      ...(firstParent ? ['--first-parent'] : []),
      ...(topological ? ['--topo-order'] : []),
      ...(since === undefined ? [] : [`--max-age=${Math.max(0, Math.ceil(since))}`]),
      ...(until === undefined ? [] : [`--min-age=${Math.max(0, Math.floor(until))}`]),
    ];
    const components = pathComponents(path);
    // No file is called so, but git would follow them.
    if (components.includes('.') || components.includes('..')) return args.includes('--count') ? ['0'] : [];
    const file = components.join('/');
    const isOneLine = file !== '' && !file.includes('\n');
    const paths = isOneLine ? [Buffer.from('--\n'), encodeName(file), Buffer.from('\n')] : [];
    const behind = file.includes('\n') ? ['--', file] : [];
    const input = Buffer.concat([Buffer.from(`${revisions.map(revision).join('\n')}\n`), ...paths]);
    if (follow) return lines(await followByProgram(this.directory, { bounds, input, behind }));
    const command = ['rev-list', ...args, ...bounds, '--stdin', ...behind];
    const { output } = await runProgram(this.directory, command, { input });
    return lines(output);
  }
}

/** Looks once more, one by one, for what was not found among many, as a repack may have been in the way. */
async function again<T>(
  oids: readonly Oid[],
  found: (T | null)[],
  look: (oid: Oid) => Promise<T | null>,
): Promise<(T | null)[]> {
  if (!found.includes(null)) return found;
  return Promise.all(found.map((one, at) => one ?? look(oids[at] ?? '')));
}

/** What a walk begins at, and what it leaves out. */
function revisionsOf({ start, also = [], not }: LogQuery): string[] {
  return [start, ...also, ...(not === undefined ? [] : [`^${not}`])];
}

function pageArguments(offset: number, limit: number): string[] {
  return [`--skip=${offset}`, ...(limit === Infinity ? [] : [`--max-count=${limit}`])];
}

/** Lets only full names through, excluded ones with `^`, and two that parted with `...` between them. */
function revision(text: string): string {
  if (text.startsWith('^')) return `^${hash(text.slice(1))}`;
  return text.split('...').map(hash).join('...');
}

/**
 * The merge base of two commits, if what only `to` reaches, with the boundary (marked by `-`), tells it: every merge base is in
 * the boundary.
 */
function knownBase(from: Oid, to: Oid, named: readonly string[]): Oid | null {
  if (!named.includes(to)) return to;
  const boundary = named.flatMap((name) => (name.startsWith('-') ? [name.slice(1)] : []));
  if (boundary.includes(from)) return from;
  return boundary.length === 1 ? (boundary[0] ?? null) : null;
}

/** Lets only full names through to a command line. */
function hash(oid: Oid): Oid {
  if (!isOid(oid)) throw new TypeError(`${JSON.stringify(oid)} is not the full name of an object`);
  return oid;
}

function lines(output: Buffer): string[] {
  return output
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

/** Whether a page of a log is near the start of the walk, however the history looks. */
function isShort(query: LogQuery, { offset = 0, limit = Infinity }: Page): boolean {
  const { path = '', since, until, not, author, topological } = query;
  const isFiltered = [since, until, not, author].some((bound) => bound !== undefined);
  return path === '' && !isFiltered && !topological && offset + limit <= SHORT_WALK;
}
