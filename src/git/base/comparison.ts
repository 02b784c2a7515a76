import type { DiffLimits } from './diff_limits.ts';
import type { Oid } from './model.ts';
import type { Change, Side } from './side.ts';

/** States that so many commits lie between are likely to differ in many files. */
const FAR = 100;

/** Whether the trees of two states are likely to differ in many files, by the commits between them. */
export function isFar(commits: readonly Oid[]): boolean {
  return commits.length >= FAR;
}

/** Paths at which two trees differ. */
export interface Changes {
  /** In the order of the bytes of their paths. */
  changes: Change[];
  /** Whether these are all; else renames are not looked for. */
  isComplete: boolean;
}

export interface ChangesOptions {
  /** How many paths at most, the first ones; all without. */
  most?: number;
  /** Whether `compare` is going to be asked about them: it may begin at once. */
  compared?: boolean;
  /** Whether they are likely to be many, as the trees are far apart: the git program is asked at once. */
  isFar?: boolean;
}

/** Two trees to be compared, with the paths at which they differ. */
export interface Comparison extends Changes {
  from: Oid;
  to: Oid;
  /** Of all blobs that may be looked at, in bytes. */
  sizes: ReadonlyMap<Oid, number>;
  limits: DiffLimits;
  /** Whether the lines are wanted, or only their number. */
  text: boolean;
  /** On the clock of `performance.now()`. */
  deadline: number;
}

/** The two sides of a comparison. */
export interface Pairing {
  old: Side | null;
  now: Side | null;
  /** In percent, if it is a rename. */
  similarity: number | null;
}

/** The result for one pairing. */
export interface Patch {
  /** From `---` or `Binary files` on; empty if the contents are the same, or when no text is wanted. */
  text: string;
  binary: boolean;
  additions: number;
  deletions: number;
}

export interface PatchResult extends Patch {
  tooLarge: boolean;
}

/** What differs in the files of two trees. */
export interface Compared {
  readonly shown: readonly Pairing[];
  /** Whether all pairings are shown. */
  readonly isWhole: boolean;
  /** One for each pairing that is shown; the first ones, until there is too much text. */
  results(): PatchResult[];
}

/** The changes as they are, without renames. A file that became a link, say, is shown as removed and added. */
export function unpaired(changes: Change[]): Pairing[] {
  return changes.flatMap(({ old, now }) => {
    const isOne = old === null || now === null || old.mode.slice(0, 2) === now.mode.slice(0, 2);
    const sides = isOne
      ? [{ old, now }]
      : [
          { old, now: null },
          { old: null, now },
        ];
    return sides.map((pair) => ({ ...pair, similarity: null }));
  });
}
