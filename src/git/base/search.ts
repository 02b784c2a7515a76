import type { Oid } from './model.ts';

/**
 * A pattern for whole paths, in any case: what lies between any number of any characters. The first part is at the beginning, the last
 * one at the end: `['src/', '.ts']` are all paths that begin with `src/` and end in `.ts`.
 */
export type PathPattern = readonly [string, ...string[]];

/** What a file has in a line. */
export interface SearchTerm {
  /** A text, ignoring case, or a regular expression. */
  kind: 'text' | 'regex';
  value: string;
  /** A text that all lines have that a regular expression matches, where it is known: an index leads to it. */
  literal?: string;
}

/** Which files of a commit to find. */
export interface FileSearch {
  commit: Oid;
  /** What a line of the file contains, in any case; any file if it is empty. */
  text: string;
  /** What the file has in its lines, all of it, in place of `text`. Regular expressions need a git program. */
  all?: readonly SearchTerm[];
  /** What no line of the file has. */
  none?: readonly SearchTerm[];
  /** Patterns that the path matches, all of them. */
  paths: readonly PathPattern[];
  /** How many files to find. */
  most: number;
  /** How long to search. */
  milliseconds: number;
}

/** The first lines of a file in which something was found. */
export interface FileHit {
  path: string;
  /** The number of the first line of `data`, from 1. */
  startLine: number;
  /** The line, with up to three lines before and behind it, each cut off after some 2,000 bytes. */
  data: string;
}

export interface FileHits {
  /** In the order of git's trees. */
  hits: FileHit[];
  /** Whether everything was searched. */
  isWhole: boolean;
}

/** Which commits to find among those that `start` reaches. */
export interface MessageSearch {
  start: Oid;
  /** What a line of the message contains, in any case. */
  text: string;
  /** How many commits to find. */
  most: number;
  /** How long to search. */
  milliseconds: number;
}

export interface MessageHits {
  /** Newest first. */
  commits: Oid[];
  /** Whether everything was searched. */
  isWhole: boolean;
}
