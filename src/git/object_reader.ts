import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { BlameHunk, BlameQuery } from './base/blame.ts';
import type { Changes, ChangesOptions, Comparison } from './base/comparison.ts';
import { isDamage } from './base/damage.ts';
import { isLimit, LimitExceeded, MissingObject, objectTooLarge } from './base/errors.ts';
import type { LineChange, LineHistoryQuery } from './base/line_history.ts';
import {
  type Annotation,
  type Branch,
  type Commit,
  type CommitParents,
  type CommitSignature,
  type DatedCommit,
  EMPTY_TREE,
  isOid,
  type ObjectType,
  type Oid,
  type Tag,
  type TreeEntry,
} from './base/model.ts';
import type { PatchQuery } from './base/patch.ts';
import type {
  Contributor,
  ContributorsQuery,
  Divergence,
  FoundCommits,
  LastCommitsQuery,
  LogQuery,
  Page,
  RepositoryReader,
  ResolveOptions,
  TreeCounts,
  TreePage,
  TreePageRequest,
  TreePart,
} from './base/reader.ts';
import type { FileHits, FileSearch, MessageHits, MessageSearch } from './base/search.ts';
import { firstChanges } from './diff/changes.ts';
import type { Plan } from './diff/plan.ts';
import { CommitGraph } from './history/graph.ts';
import { findLastCommit, LastCommits } from './history/last_commit.ts';
import { findLastCommits } from './history/last_commits.ts';
import { afterSteps, stepsOf } from './history/revision.ts';
import { CachedStore, newScope } from './objects/cached.ts';
import { entryAt, pathComponents, treeBytes } from './objects/lookup.ts';
import { extractSignature, parseAnnotation, parseCommit, typeOfMode } from './objects/parse.ts';
import type { GitObject, ObjectStore } from './objects/store.ts';
import { TreeCounter } from './objects/tree_counts.ts';
import { treePage } from './objects/tree_page.ts';
import { KEPT_REFS, MERGE_REQUEST_REFS } from './refs/name.ts';
import { RefReader } from './refs/read.ts';

/** How many commits are asked for at a time. */
const BATCH_SIZE = 50;

/** How much the messages of one answer may have together, in characters. */
const MAX_MESSAGE_CHARACTERS = 32 * 1024 * 1024;

/** Larger contents are read in chunks, so that others are served in between; in bytes. */
const AT_A_STROKE = 1024 * 1024;

/** How many commits are looked at for the last change of a path before a longer search is begun. */
const NEAR = 30;

/** How many commits logs and ranges have that were asked for last, of all repositories; its size is in bytes. */
const counts = new LRUCache<string, number>({
  maxSize: 2 * 1024 * 1024,
  sizeCalculation: (_, key) => key.length + 100,
});

/** Whether commits were reached from refs, of all repositories, by what the refs held; its size is in bytes. */
const reaches = new LRUCache<string, boolean>({
  maxSize: 2 * 1024 * 1024,
  sizeCalculation: (_, key) => key.length + 100,
});

/** Of more commits that begin alike none is meant: each takes a walk of its own. */
const MAX_COMMITS_WITH_PREFIX = 20;

/** Below them lie the refs whose commits are found by the beginning of their hash. */
const NAMED = ['refs/heads/', 'refs/tags/', `${MERGE_REQUEST_REFS}/`];

/** Reads some objects, in the order asked for; null for missing ones. */
type ReadGroup<Read> = (oids: Oid[]) => Promise<(Read | null)[]>;

/** The part of a reader that needs nothing but refs and single objects. History is left to those who extend it. */
export abstract class ObjectReader implements RepositoryReader {
  readonly directory: string;
  protected readonly refs: RefReader;
  protected readonly store: ObjectStore;
  readonly #scope: string;
  readonly #lastCommits: LastCommits;

  protected readonly graph: CommitGraph;

  constructor(directory: string, store: ObjectStore) {
    const scope = newScope();
    this.directory = directory;
    this.#scope = scope;
    this.#lastCommits = new LastCommits(scope);
    this.refs = new RefReader(directory);
    this.store = new CachedStore(store, scope);
    this.graph = new CommitGraph(this.store, scope);
  }

  async defaultBranch(): Promise<string | null> {
    const head = await this.refs.head();
    return head?.startsWith('refs/heads/') ? head.slice('refs/heads/'.length) : null;
  }

  async resolve(revision: string, options: ResolveOptions = {}): Promise<Oid | null> {
    const found = stepsOf(revision);
    if (found === null) return null;
    const { start, steps } = found;
    const oid = await this.#named(start, options);
    if (oid === null || steps.length === 0) return oid;
    return laboured(options, () => afterSteps(this.graph, oid, steps));
  }

  /** The commit that a name without steps leads to. */
  async #named(name: string, options: ResolveOptions): Promise<Oid | null> {
    const hash = /^[0-9a-f]{7,40}$/i.test(name) ? name.toLowerCase() : null;
    // A ref whose name looks like an object ID must not hide the commit with that ID.
    const whole = hash !== null && isOid(hash) ? await this.#peel(hash) : null;
    if (whole !== null) return whole;
    for (const ref of candidates(name)) {
      const target = isHidden(ref, options) ? null : await this.refs.read(ref);
      if (target !== null) return this.#peel(target);
    }
    return hash === null || isOid(hash) ? null : this.#abbreviated(hash, options);
  }

  /** The one commit to be seen whose hash begins so. */
  async #abbreviated(prefix: string, options: ResolveOptions): Promise<Oid | null> {
    const objects = await this.store.matching(prefix);
    const commits = new Set<Oid>();
    for (const oid of objects) {
      const commit = await this.#peel(oid);
      if (commit !== null) commits.add(commit);
    }
    if (commits.size === 0 || commits.size > MAX_COMMITS_WITH_PREFIX) return null;
    const tips = await this.#tips(options);
    const seen: Oid[] = [];
    for (const oid of commits) if (await this.#isSeen(oid, tips, options)) seen.push(oid);
    return seen.length === 1 ? (seen[0] ?? null) : null;
  }

  /** What branches, tags and refs of merge requests lead to, as far as they are to be seen. */
  async #tips(options: ResolveOptions): Promise<Oid[]> {
    const tips = new Set<Oid>();
    for (const prefix of NAMED) {
      if (isHidden(prefix, options)) continue;
      for (const { target } of await this.refs.list(prefix)) tips.add(target);
    }
    return [...tips];
  }

  async #isSeen(oid: Oid, tips: readonly Oid[], options: ResolveOptions): Promise<boolean> {
    if (tips.includes(oid)) return true;
    const key = `${this.#scope}${oid} ${createHash('sha1').update(tips.join()).digest('base64')}`;
    const known = reaches.get(key);
    if (known !== undefined) return known;
    const reached = await laboured(options, () => this.isReached(oid, tips));
    reaches.set(key, reached);
    return reached;
  }

  async branches(): Promise<Branch[]> {
    const refs = await this.refs.list('refs/heads/');
    return refs.map(({ name, target }) => ({ name: name.slice('refs/heads/'.length), commit: target }));
  }

  async branch(name: string): Promise<Branch | null> {
    const commit = await this.refs.read(`refs/heads/${name}`);
    return commit === null ? null : { name, commit };
  }

  async tags(): Promise<Tag[]> {
    const refs = await this.refs.list('refs/tags/');
    const tags = await Promise.all(
      refs.map(({ name, target }) => this.#describe(name.slice('refs/tags/'.length), target)),
    );
    return tags.reverse();
  }

  async tag(name: string): Promise<Tag | null> {
    const target = await this.refs.read(`refs/tags/${name}`);
    return target === null ? null : this.#describe(name, target);
  }

  async peeled(oids: Oid[]): Promise<Map<Oid, Oid>> {
    const found = new Map<Oid, Oid>();
    for (const oid of new Set(oids)) {
      let end = oid;
      for (let depth = 0; depth < 100 && (await this.store.header(end))?.type === 'tag'; depth++) {
        end = (await this.#annotation(end))?.object ?? end;
      }
      if (end !== oid) found.set(oid, end);
    }
    return found;
  }

  async commit(oid: Oid): Promise<Commit | null> {
    const object = await this.#readAs(oid, 'commit');
    return object === null ? null : parseCommit(oid, object.content);
  }

  async signature(oid: Oid): Promise<CommitSignature | null> {
    const object = await this.#readAs(oid, 'commit');
    return object === null ? null : extractSignature(object.content);
  }

  commits(oids: Oid[]): Promise<Commit[]> {
    return this.commitsBy(oids, BATCH_SIZE, (group) => Promise.all(group.map((oid) => this.commit(oid))));
  }

  /** Many commits, which `read` reads so many at a time. Throws MissingObject, LimitExceeded. */
  protected async commitsBy(oids: Oid[], atOnce: number, read: ReadGroup<Commit>): Promise<Commit[]> {
    const commits: Commit[] = [];
    let text = 0;
    for (let at = 0; at < oids.length; at += atOnce) {
      if (text > MAX_MESSAGE_CHARACTERS)
        throw new LimitExceeded(
          'work',
          `the messages of these commits have more than ${MAX_MESSAGE_CHARACTERS} characters`,
        );
      await yieldToEventLoop();
      const group = oids.slice(at, at + atOnce);
      for (const [index, commit] of (await read(group)).entries()) {
        if (commit === null) throw new MissingObject(group[index] ?? '', 'commit');
        commits.push(commit);
        text += commit.message.length;
      }
    }
    return commits;
  }

  async treePage(treeish: Oid, path: string, request: TreePageRequest): Promise<TreePage | null> {
    const root = await this.#rootTree(treeish);
    const found = root === null ? null : await entryAt(this.store, root, path);
    if (found === null || typeOfMode(found.mode) !== 'tree') return null;
    const prefix = pathComponents(path).join('/');
    const counter = new TreeCounter(this.store, this.#scope);
    return treePage(this.store, counter, { tree: found.oid, prefix }, request);
  }

  async treeSize(treeish: Oid, path: string): Promise<number | null> {
    const root = await this.#rootTree(treeish);
    const found = root === null ? null : await entryAt(this.store, root, path);
    if (found === null || typeOfMode(found.mode) !== 'tree') return null;
    return found.oid === EMPTY_TREE ? 0 : ((await this.store.header(found.oid))?.size ?? null);
  }

  treeBytes(tree: Oid): Promise<Buffer> {
    return treeBytes(this.store, tree);
  }

  async measureTree(treeish: Oid): Promise<TreeCounts | null> {
    const root = await this.#rootTree(treeish);
    return root === null ? null : new TreeCounter(this.store, this.#scope, { sizes: true }).count(root);
  }

  async entry(treeish: Oid, path: string): Promise<TreeEntry | null> {
    const components = pathComponents(path);
    const name = components.at(-1);
    const root = await this.#rootTree(treeish);
    if (name === undefined || root === null) return null;
    const found = await entryAt(this.store, root, path);
    return found === null ? null : { ...found, name, path: components.join('/'), type: typeOfMode(found.mode) };
  }

  async blobSize(oid: Oid): Promise<number | null> {
    const header = await this.store.header(oid);
    return header?.type === 'blob' ? header.size : null;
  }

  blobSizes(oids: Oid[]): Promise<Map<Oid, number>> {
    return this.sizesBy(oids, BATCH_SIZE, (group) => Promise.all(group.map((oid) => this.blobSize(oid))));
  }

  /** The sizes of many blobs, which `read` reads so many at a time. */
  protected async sizesBy(oids: Oid[], atOnce: number, read: ReadGroup<number>): Promise<Map<Oid, number>> {
    const sizes = new Map<Oid, number>();
    for (let at = 0; at < oids.length; at += atOnce) {
      await yieldToEventLoop();
      const group = oids.slice(at, at + atOnce);
      for (const [index, size] of (await read(group)).entries()) {
        if (size !== null) sizes.set(group[index] ?? '', size);
      }
    }
    return sizes;
  }

  async blob(oid: Oid, limit: number): Promise<Buffer | null> {
    const size = await this.blobSize(oid);
    if (size === null) return null;
    if (size > limit) throw objectTooLarge(size, limit);
    if (size > AT_A_STROKE) return Buffer.concat(await (await this.store.stream(oid)).toArray());
    return (await this.store.read(oid))?.content ?? null;
  }

  async blobStream(oid: Oid): Promise<{ size: number; stream: Readable } | null> {
    const size = await this.blobSize(oid);
    return size === null ? null : { size, stream: await this.store.stream(oid) };
  }

  changes(from: Oid, to: Oid, { most = Infinity }: ChangesOptions = {}): Promise<Changes> {
    return firstChanges(this, from, to, { most });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  async lastCommit(start: Oid, path: string): Promise<Commit | null> {
    const known = this.#lastCommits;
    const near = { start, path, known, steps: NEAR };
    const found = (await findLastCommit(this.graph, this.store, near)) ?? (await this.#searchLastCommit(start, path));
    known.set(start, path, found);
    return found === '' ? null : this.commit(found);
  }

  followed(_query: LogQuery): Promise<Oid[] | null> {
    return Promise.resolve(null);
  }

  commitTimes(_start: Oid, _since: number): Promise<number[] | null> {
    return Promise.resolve(null);
  }

  firstParents(_start: Oid): Promise<DatedCommit[] | null> {
    return Promise.resolve(null);
  }

  blame(_query: BlameQuery): Promise<BlameHunk[] | null> {
    return Promise.resolve(null);
  }

  lineHistory(_query: LineHistoryQuery): Promise<LineChange[] | null> {
    return Promise.resolve(null);
  }

  patch(_query: PatchQuery): Readable | null {
    return null;
  }

  lastCommits(query: LastCommitsQuery): Promise<FoundCommits> {
    return findLastCommits(this.graph, this.store, query);
  }

  async count(query: LogQuery): Promise<number> {
    const { start, path, since, until, also, not, author, firstParent } = query;
    const key = this.#scope + JSON.stringify([start, path, since, until, also, not, author, firstParent]);
    const count = counts.get(key) ?? (await this.countAll(query));
    counts.set(key, count);
    return count;
  }

  async countBetween(from: Oid, to: Oid): Promise<number> {
    const key = `${this.#scope}${from}..${to}`;
    const count = counts.get(key) ?? (await this.countRange(from, to));
    counts.set(key, count);
    return count;
  }

  abstract log(query: LogQuery, page?: Page): Promise<Commit[]>;
  protected abstract countAll(query: LogQuery): Promise<number>;
  /** Whether any of these reaches the commit; what leads to no commit, or is not there, reaches none. */
  protected abstract isReached(commit: Oid, from: readonly Oid[]): Promise<boolean>;
  abstract mergedInto(tip: Oid, commits: Oid[]): Promise<Set<Oid>>;
  abstract newCommits(from: Oid, tips: Oid[], most: number): Promise<CommitParents[] | null>;
  abstract reaching(commit: Oid, tips: Oid[]): Promise<Set<Oid>>;
  abstract searchFiles(search: FileSearch): Promise<FileHits>;
  abstract searchMessages(search: MessageSearch): Promise<MessageHits>;
  abstract patchId(from: Oid, to: Oid): Promise<string | null>;
  abstract mergeBases(left: Oid, right: Oid): Promise<Oid[]>;
  abstract isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean>;
  abstract between(from: Oid, to: Oid, page?: Page): Promise<Commit[]>;
  abstract divergence(from: Oid, to: Oid, most: number, compared?: boolean): Promise<Divergence>;
  /** How many commits the second has that the first does not reach. */
  protected abstract countRange(from: Oid, to: Oid): Promise<number>;
  abstract countApart(left: Oid, right: Oid): Promise<[left: number, right: number]>;
  abstract compare(comparison: Comparison): Promise<Plan>;
  abstract archive(commit: Oid, format: 'tar' | 'tar.gz' | 'zip', prefix: string, part?: TreePart): Promise<Readable>;
  abstract contributors(query: ContributorsQuery): Promise<Contributor[]>;

  async #searchLastCommit(start: Oid, path: string): Promise<Oid> {
    const [commit] = await this.log({ start, path }, { limit: 1 });
    return commit?.oid ?? '';
  }

  /** The commit that an object leads to through annotations; null if it leads elsewhere or is not there. */
  async #peel(oid: Oid): Promise<Oid | null> {
    const annotations: Annotation[] = [];
    for (let next = oid; annotations.length < 100; ) {
      const header = await this.store.header(next);
      if (header?.type === 'commit') return next;
      if (header?.type !== 'tag') return null;
      const annotation = await this.#annotation(next);
      if (annotation === null) return null;
      annotations.push(annotation);
      next = annotation.object;
    }
    return null;
  }

  async #annotation(oid: Oid): Promise<Annotation | null> {
    const object = await this.#readAs(oid, 'tag');
    return object === null ? null : parseAnnotation(oid, object.content);
  }

  /** An object of one type; null if it is of another one, however large it is. Throws LimitExceeded. */
  async #readAs(oid: Oid, type: ObjectType): Promise<GitObject | null> {
    try {
      const object = await this.store.read(oid);
      return object?.type === type ? object : null;
    } catch (error) {
      if (isLimit(error, 'size') && (await this.store.header(oid))?.type !== type) return null;
      throw error;
    }
  }

  /** A tag whose annotation or commit cannot be read leads to no commit, as it is for others that lead elsewhere. */
  async #describe(name: string, target: Oid): Promise<Tag> {
    try {
      return await this.#described(name, target);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { name, target, annotation: null, commit: null };
    }
  }

  async #described(name: string, target: Oid): Promise<Tag> {
    const header = await this.store.header(target);
    const annotation = header?.type === 'tag' ? await this.#annotation(target) : null;
    return { name, target, annotation, commit: await this.#peel(target) };
  }

  async #rootTree(treeish: Oid): Promise<Oid | null> {
    const header = treeish === EMPTY_TREE ? null : await this.store.header(treeish);
    if (treeish === EMPTY_TREE || header?.type === 'tree') return treeish;
    return header?.type === 'commit' ? ((await this.commit(treeish))?.tree ?? null) : null;
  }
}

/** Whether a ref, or all below a prefix that ends in a slash, names nothing for this caller. */
function isHidden(ref: string, { mergeRequests = false }: ResolveOptions): boolean {
  if (ref.startsWith(`${KEPT_REFS}/`)) return true;
  return !mergeRequests && ref.startsWith(`${MERGE_REQUEST_REFS}/`);
}

function laboured<T>({ labour }: ResolveOptions, work: () => Promise<T>): Promise<T> {
  return labour === undefined ? work() : labour(work);
}

/** The full names of the refs that a revision may mean, in the order of the API: a branch before a tag. */
function candidates(revision: string): string[] {
  if (revision === 'HEAD') return ['HEAD'];
  const full = revision.startsWith('refs/') ? [revision] : [];
  return [`refs/heads/${revision}`, `refs/tags/${revision}`, ...full];
}
