import type { Readable } from 'node:stream';
import type { Comparison } from './diff/comparison.ts';
import type { Plan } from './diff/plan.ts';
import { IsomorphicReader } from './isomorphic.ts';
import type { Branch, Commit, Oid, Tag, TreeEntry } from './model.ts';
import { newScope } from './objects/cached.ts';
import type { TreeCounts } from './objects/tree_counts.ts';
import type { TreePage, TreePageRequest } from './objects/tree_page.ts';
import { ProgramStore } from './program/store.ts';
import { isShort, ProgramReader } from './program.ts';
import type { Contributor, ContributorsQuery, LogQuery, Page, RepositoryReader } from './reader.ts';

/** How often the size of the packs is looked at, in milliseconds. */
const LOOK_AGAIN = 10_000;

/** Blobs from this size on come from the program; in bytes. */
const LARGE_BLOB = 1024 * 1024;

/** Leaves long walks, large blobs and repositories with large packs to the git program; the rest is done in process. */
export class RoutedReader implements RepositoryReader {
  readonly directory: string;
  readonly #near: IsomorphicReader;
  readonly #far: ProgramReader;
  readonly #isLarge: () => boolean;
  #large = false;
  #looked = -Infinity;

  /** @param isLarge tells whether single objects, too, are better read by the program */
  constructor(directory: string, isLarge: () => boolean) {
    this.directory = directory;
    const scope = newScope();
    this.#near = new IsomorphicReader(directory, scope, new ProgramStore(directory));
    this.#far = new ProgramReader(directory, scope);
    this.#isLarge = isLarge;
  }

  /** Who reads single objects. */
  get #single(): RepositoryReader {
    const now = performance.now();
    if (now - this.#looked > LOOK_AGAIN) {
      this.#looked = now;
      this.#large = this.#isLarge();
    }
    return this.#large ? this.#far : this.#near;
  }

  defaultBranch(): Promise<string | null> {
    return this.#near.defaultBranch();
  }

  resolve(revision: string): Promise<Oid | null> {
    return this.#single.resolve(revision);
  }

  branches(): Promise<Branch[]> {
    return this.#near.branches();
  }

  branch(name: string): Promise<Branch | null> {
    return this.#near.branch(name);
  }

  tags(): Promise<Tag[]> {
    return this.#single.tags();
  }

  tag(name: string): Promise<Tag | null> {
    return this.#single.tag(name);
  }

  peeled(oids: Oid[]): Promise<Map<Oid, Oid>> {
    return this.#single.peeled(oids);
  }

  commit(oid: Oid): Promise<Commit | null> {
    return this.#single.commit(oid);
  }

  commits(oids: Oid[]): Promise<Commit[]> {
    return this.#single.commits(oids);
  }

  tree(treeish: Oid, path?: string, options?: { recursive?: boolean }): Promise<TreeEntry[] | null> {
    return this.#single.tree(treeish, path, options);
  }

  treePage(treeish: Oid, path: string, request: TreePageRequest): Promise<TreePage | null> {
    return this.#single.treePage(treeish, path, request);
  }

  treeSize(treeish: Oid, path: string): Promise<number | null> {
    return this.#single.treeSize(treeish, path);
  }

  treeBytes(tree: Oid): Promise<Buffer> {
    return this.#single.treeBytes(tree);
  }

  measureTree(treeish: Oid): Promise<TreeCounts | null> {
    return this.#single.measureTree(treeish);
  }

  entry(treeish: Oid, path: string): Promise<TreeEntry | null> {
    return this.#single.entry(treeish, path);
  }

  blobSize(oid: Oid): Promise<number | null> {
    return this.#single.blobSize(oid);
  }

  async blob(oid: Oid, limit: number): Promise<Buffer | null> {
    return (await this.#forBlob(oid)).blob(oid, limit);
  }

  async blobStream(oid: Oid): Promise<{ size: number; stream: Readable } | null> {
    return (await this.#forBlob(oid)).blobStream(oid);
  }

  log(query: LogQuery, page: Page = {}): Promise<Commit[]> {
    return (isShort(query, page) ? this.#single : this.#far).log(query, page);
  }

  count(query: LogQuery): Promise<number> {
    return this.#far.count(query);
  }

  lastCommit(start: Oid, path: string): Promise<Commit | null> {
    return this.#far.lastCommit(start, path);
  }

  mergeBases(left: Oid, right: Oid): Promise<Oid[]> {
    return this.#far.mergeBases(left, right);
  }

  mergedInto(tip: Oid, commits: Oid[]): Promise<Set<Oid>> {
    return this.#far.mergedInto(tip, commits);
  }

  reaching(commit: Oid, tips: Oid[]): Promise<Set<Oid>> {
    return this.#far.reaching(commit, tips);
  }

  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return this.#far.isAncestor(ancestor, descendant);
  }

  between(from: Oid, to: Oid, page?: Page): Promise<Commit[]> {
    return this.#far.between(from, to, page);
  }

  countBetween(from: Oid, to: Oid): Promise<number> {
    return this.#far.countBetween(from, to);
  }

  contributors(query: ContributorsQuery): Promise<Contributor[]> {
    return this.#far.contributors(query);
  }

  compare(comparison: Comparison): Promise<Plan> {
    return this.#far.compare(comparison);
  }

  archive(commit: Oid, format: 'tar' | 'tar.gz' | 'zip', prefix: string): Promise<Readable> {
    return this.#far.archive(commit, format, prefix);
  }

  /** Large blobs may have to be put together, which in process would keep others waiting. */
  async #forBlob(oid: Oid): Promise<RepositoryReader> {
    const size = (await this.blobSize(oid)) ?? 0;
    return size >= LARGE_BLOB ? this.#far : this.#single;
  }

  async close(): Promise<void> {
    await Promise.all([this.#near.close(), this.#far.close()]);
  }
}
