import type { IdOrPath } from '#src/domain/groups/find.ts';

/** Where a branch begins that is created with a commit. */
export interface BranchStart {
  /** The branch at which it begins, unless that is the branch itself. */
  startBranch?: string | null | undefined;
  /** The full hash of the commit at which it begins, unless that is the tip of the branch. */
  startSha?: string | null | undefined;
  /** The project that has the branch or commit, if it is another one of the same forks. */
  startProject?: IdOrPath | null | undefined;
  /** Whether a branch that exists is replaced. */
  force?: boolean | null | undefined;
}
