import { authorize } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import type { CommitRow } from '#src/commits/find.ts';
import { NotFound } from '#src/errors.ts';
import { type Diff, diffTrees } from '#src/git/diff/diff.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { findRevision } from '#src/repository/revision.ts';

/** What one state has that another one has not. */
export interface ComparisonRow {
  /** Those that `to` has and `from` has not, oldest first. */
  commits: CommitRow[];
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
  const commits = await repository.between(left.oid, right.oid);
  let diff: Promise<Diff> | undefined;
  const compute = async () => {
    // Histories that never met are compared as they are.
    const [base = left.oid] = await repository.mergeBases(left.oid, right.oid);
    return diffTrees(repository, base, right.oid);
  };
  return {
    commits: commits.reverse().map((commit) => ({ ...commit, project, repository })),
    diff: () => {
      diff ??= compute();
      return diff;
    },
    sameRef: left.oid === right.oid,
  };
}
