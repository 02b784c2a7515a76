import type { Readable } from 'node:stream';
import { archiveInProcess } from './archive/in_process.ts';
import type { Comparison } from './base/comparison.ts';
import type { Commit, CommitParents, Oid } from './base/model.ts';
import type { Contributor, ContributorsQuery, Divergence, LogQuery, Page, TreePart } from './base/reader.ts';
import type { FileHits, FileSearch, MessageHits, MessageSearch } from './base/search.ts';
import { compareInProcess } from './diff/in_process.ts';
import type { Plan } from './diff/plan.ts';
import { commitsBetween, descendants, isAncestor, mergeBases, reaches } from './history/ancestry.ts';
import { collectContributors } from './history/contributors.ts';
import type { Node } from './history/graph.ts';
import { walk, walkPage } from './history/walk.ts';
import { ObjectReader } from './object_reader.ts';
import { IsomorphicStore } from './objects/isomorphic.ts';
import { searchFiles, searchMessages } from './search/in_process.ts';

/** Reads a repository within this process; needs no git program. Long walks take it several times as long. */
export class IsomorphicReader extends ObjectReader {
  constructor(directory: string) {
    super(directory, new IsomorphicStore(directory));
  }

  async log(query: LogQuery, page: Page = {}): Promise<Commit[]> {
    return this.commits(await walkPage(this.graph, this.store, query, page));
  }

  protected async countAll(query: LogQuery): Promise<number> {
    let count = 0;
    for await (const _ of walk(this.graph, this.store, query)) count++;
    return count;
  }

  searchFiles(search: FileSearch): Promise<FileHits> {
    return searchFiles(this, search);
  }

  searchMessages(search: MessageSearch): Promise<MessageHits> {
    return searchMessages(this, search);
  }

  async patchId(): Promise<null> {
    return null;
  }

  mergeBases(left: Oid, right: Oid): Promise<Oid[]> {
    return mergeBases(this.graph, left, right);
  }

  async mergedInto(tip: Oid, commits: Oid[]): Promise<Set<Oid>> {
    const left = new Set((await commitsBetween(this.graph, tip, commits)).map(({ oid }) => oid));
    return new Set(commits.filter((oid) => !left.has(oid)));
  }

  async newCommits(from: Oid, tips: Oid[], most: number): Promise<CommitParents[] | null> {
    const found = await commitsBetween(this.graph, from, tips);
    return found.length > most ? null : found;
  }

  async reaching(commit: Oid, tips: Oid[]): Promise<Set<Oid>> {
    const above = descendants(commit, await commitsBetween(this.graph, commit, tips));
    return new Set(tips.filter((tip) => above.has(tip)));
  }

  protected async isReached(commit: Oid, from: readonly Oid[]): Promise<boolean> {
    const tips: Oid[] = [];
    for (const oid of from) {
      const end = (await this.peeled([oid])).get(oid) ?? oid;
      if ((await this.store.header(end))?.type === 'commit') tips.push(end);
    }
    return reaches(this.graph, tips, commit);
  }

  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return isAncestor(this.graph, ancestor, descendant);
  }

  async between(from: Oid, to: Oid, { offset = 0, limit = Infinity }: Page = {}): Promise<Commit[]> {
    const nodes = await commitsBetween(this.graph, from, [to]);
    return this.commits(nodes.slice(offset, offset + limit).map(({ oid }) => oid));
  }

  async divergence(from: Oid, to: Oid, most: number): Promise<Divergence> {
    const nodes = await commitsBetween(this.graph, from, [to]);
    const [base = null] = await this.mergeBases(from, to);
    return { commits: nodes.slice(0, most).map(({ oid }) => oid), base };
  }

  protected async countRange(from: Oid, to: Oid): Promise<number> {
    return (await commitsBetween(this.graph, from, [to])).length;
  }

  async countApart(left: Oid, right: Oid): Promise<[number, number]> {
    return [await this.countBetween(right, left), await this.countBetween(left, right)];
  }

  contributors(query: ContributorsQuery): Promise<Contributor[]> {
    return collectContributors(this, this.#nodes(query), query);
  }

  compare(comparison: Comparison): Promise<Plan> {
    return compareInProcess(this, comparison);
  }

  async archive(commit: Oid, format: 'tar' | 'tar.gz' | 'zip', prefix: string, part: TreePart = {}): Promise<Readable> {
    return archiveInProcess({ reader: this, commit, prefix, part }, format);
  }

  async *#nodes({ tip, since }: ContributorsQuery): AsyncGenerator<Node> {
    if (since === undefined) yield* walk(this.graph, this.store, { start: tip });
    else yield* await commitsBetween(this.graph, since, [tip]);
  }
}
