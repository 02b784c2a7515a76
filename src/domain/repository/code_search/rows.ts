/** A line of a file that was found. */
export interface FoundLine {
  /** Its number, from 1. */
  line: number;
  /** Cut off when it is long. */
  text: string;
}

/** A file that a search in code found. */
export interface FoundCodeRow {
  projectId: number;
  /** The branch, tag or hash that was searched. */
  ref: string;
  path: string;
  /** In lower case; null for none. */
  language: string | null;
  /** Number of the first line of `data`, from 1. */
  startLine: number;
  /** The first line that matches with up to three lines around it, or the beginning of a file that was found by its path. */
  data: string;
  /** The first lines that match, at most five. */
  lines: FoundLine[];
}
