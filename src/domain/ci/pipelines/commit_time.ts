import type { Commit } from '#src/git/model.ts';

/** When a commit was made, in seconds since 1970; what no calendar has (before the year 1, behind 9999) becomes its end. */
export function commitTime({ committer }: Commit): number {
  return Math.max(-62_135_596_800, Math.min(253_402_300_799, committer.seconds));
}
