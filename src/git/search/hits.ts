import type { Oid } from '../model.ts';
import type { PathPattern } from './pattern.ts';

/** Which files of a commit to find. */
export interface FileSearch {
  commit: Oid;
  /** What a line of the file contains, in any case; any file if it is empty. */
  text: string;
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

/** Lines before and behind the one in which something was found. */
export const AROUND = 3;

/** Bytes of a line that are shown. */
const LONGEST_LINE = 2_000;

/** A hit from its lines, without their line breaks; null for a pointer to a file that is kept elsewhere (Git LFS). */
export function hitOf(path: string, startLine: number, lines: readonly Buffer[]): FileHit | null {
  if (startLine === 1 && lines[0]?.subarray(0, POINTER.length).equals(POINTER)) return null;
  const shown = lines.map((line) => `${line.subarray(0, LONGEST_LINE).toString().toWellFormed()}\n`);
  return { path, startLine, data: shown.join('') };
}

const POINTER = Buffer.from('version https://git-lfs.github.com/spec/');
