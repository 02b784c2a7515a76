import type { Commit, Signature } from '../base/model.ts';
import type { Contributor, ContributorsQuery, RepositoryReader } from '../base/reader.ts';
import { diffCommit } from '../diff/diff.ts';
import type { Node } from './graph.ts';

/** Lines that a commit added and removed, against its first parent. */
export interface LineCounts {
  additions: number;
  deletions: number;
}

/** Groups commits by the e-mail addresses of their authors, in the order of first appearance. */
export class ContributorList {
  readonly #byEmail = new Map<string, Contributor>();

  add({ name, email }: Pick<Signature, 'name' | 'email'>, lines: LineCounts): void {
    const known = this.#byEmail.get(email) ?? { name, email, commits: 0, additions: 0, deletions: 0 };
    known.commits++;
    known.additions += lines.additions;
    known.deletions += lines.deletions;
    this.#byEmail.set(email, known);
  }

  list(): Contributor[] {
    return [...this.#byEmail.values()];
  }
}

/**
 * Adds what is known for an older tip to the contributors since then. The order is that of first appearance as long as no
 * branch was merged that had begun before the older tip.
 */
export function joinContributors(newer: Contributor[], older: Contributor[]): Contributor[] {
  const known = new Map(older.map((row) => [row.email, row]));
  const joined = newer.map((row) => {
    const before = known.get(row.email);
    if (before === undefined) return row;
    known.delete(row.email);
    return {
      ...row,
      commits: row.commits + before.commits,
      additions: row.additions + before.additions,
      deletions: row.deletions + before.deletions,
    };
  });
  return [...joined, ...older.filter(({ email }) => known.has(email))];
}

/** Contributors from a walk over commits, merges left out. */
export async function collectContributors(
  reader: RepositoryReader,
  nodes: AsyncIterable<Node>,
  { lines = false, limit = Infinity }: ContributorsQuery,
): Promise<Contributor[]> {
  const contributors = new ContributorList();
  let count = 0;
  for await (const node of nodes) {
    if (node.parents.length > 1) continue;
    if (++count > limit) break;
    const commit: Commit | null = await reader.commit(node.oid);
    if (commit === null) continue;
    contributors.add(commit.author, lines ? await countLines(reader, commit) : { additions: 0, deletions: 0 });
  }
  return contributors.list();
}

/** Lines are counted however large the files are; those of texts that take long to compare as all of them. */
async function countLines(reader: RepositoryReader, commit: Commit): Promise<LineCounts> {
  const { additions, deletions } = await diffCommit(reader, commit.oid, { text: false, limits: LIMITS });
  return { additions, deletions };
}

const LIMITS = {
  changes: Infinity,
  files: Infinity,
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  milliseconds: 1_000,
};
