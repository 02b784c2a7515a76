import type { Oid } from './model.ts';

/** Which lines of a file are asked for: both ends inclusive, from 1, and no more than there are. */
export interface BlameQuery {
  commit: Oid;
  path: string;
  from: number;
  to: number;
}

/** Lines that follow each other and were written in one commit. */
export interface BlameHunk {
  commit: Oid;
  /** Number of the first line. */
  from: number;
  lines: number;
  /** Where the file was before that commit; null where it began. */
  previous: { commit: Oid; path: string } | null;
}
