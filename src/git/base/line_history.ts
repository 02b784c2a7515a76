import type { Oid } from './model.ts';

/** Whose history is asked for: lines of a file, both ends inclusive, from 1, and no more than there are. */
export interface LineHistoryQuery {
  commit: Oid;
  path: string;
  from: number;
  to: number;
  /** Commits at most. */
  most: number;
}

/** A commit that changed the lines. */
export interface LineChange {
  commit: Oid;
  /** The file after the commit. */
  path: string;
  /** What it did to the lines, in the format of `git diff` from `---` on. */
  diff: string;
}
