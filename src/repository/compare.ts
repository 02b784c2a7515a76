import { authorize } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import type { CommitRow } from '#src/commits/find.ts';
import { type Diff, diffTrees } from '#src/git/diff/diff.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { withEffort } from '#src/repository/effort.ts';
import { findRevision } from '#src/repository/revision.ts';

/** How many commits a comparison holds. */
const MOST_COMMITS = 5_000;

/** What one state has that another one has not. */
export interface ComparisonRow {
  /** Those that `to` has and `from` has not, oldest first; the latest where there are very many. */
  commits: CommitRow[];
  /** Whether there are more. */
  more: boolean;
  /** What they changed since both parted, as three dots do it; computed once. */
  diff(): Promise<Diff>;
  /** Whether both are the same commit. */
  sameRef: boolean;
}

/** Compares two branches, tags or hashes. Throws NotFound, Forbidden, Unauthenticated. */
export async function compareRefs(
  context: Context,
  project: ProjectRow,
  from: string,
  to: string,
): Promise<ComparisonRow> {
  authorize(context.actor, 'read_repository', project);
  const [left, right] = await Promise.all([findRevision(context, project, from), findRevision(context, project, to)]);
  if (!left || !right) throw new NotFound('Commit');
  const { repository } = right;
  const between = () => repository.between(left.oid, right.oid, { limit: MOST_COMMITS + 1 });
  const found = await withEffort(context, between);
  const commits = found.slice(0, MOST_COMMITS);
  let diff: Promise<Diff> | undefined;
  const compute = async () => {
    // Histories that never met are compared as they are.
    const [base = left.oid] = await repository.mergeBases(left.oid, right.oid);
    return diffTrees(repository, base, right.oid);
  };
  return {
    more: found.length > commits.length,
    commits: commits.reverse().map((commit) => ({ ...commit, project, repository })),
    diff: () => {
      diff ??= withEffort(context, compute);
      return diff;
    },
    sameRef: left.oid === right.oid,
  };
}
