import type { Commit } from '#src/git/base/model.ts';

/** The time of a commit, in seconds since 1970, clamped to the calendar of the database (years 1 to 9999). */
export function commitTime({ committer }: Commit): number {
  return Math.max(-62_135_596_800, Math.min(253_402_300_799, committer.seconds));
}
