import type { Pairing, PatchResult } from '../base/comparison.ts';
import { DEFAULT_LIMITS, type DiffLimits } from '../base/diff_limits.ts';
import { GitError } from '../base/errors.ts';
import { EMPTY_TREE, type Mode, type Oid } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import { sizesOf } from './sizes.ts';

/** How one file, link or submodule differs. */
export interface DiffEntry {
  oldPath: string;
  /** The same as `oldPath` unless the file was renamed. */
  newPath: string;
  /** Null for a new file. */
  oldMode: Mode | null;
  /** Null for a deleted file. */
  newMode: Mode | null;
  oldOid: Oid | null;
  newOid: Oid | null;
  newFile: boolean;
  deletedFile: boolean;
  renamedFile: boolean;
  /** In percent; null unless renamed. */
  similarity: number | null;
  /** From `---` or `Binary files` on, like `git diff` without what precedes it; empty if only mode or name differ. */
  diff: string;
  binary: boolean;
  /** The content was not compared, as a limit would be exceeded: `diff` is empty and nothing was counted. */
  tooLarge: boolean;
  /** In lines; 0 for binary files. */
  additions: number;
  deletions: number;
}

export interface Diff {
  /** In the order of their new paths. */
  entries: DiffEntry[];
  additions: number;
  deletions: number;
  /** Whether some entries are too large or were left out. */
  overflow: boolean;
}

export interface DiffOptions {
  limits?: Partial<DiffLimits>;
  /** Without it only lines are counted, and `diff` is empty. */
  text?: boolean;
  /** Whether they are likely to differ in many files (`ChangesOptions`). */
  isFar?: boolean;
}

/** Compares two commits (or trees). Throws MissingObject, LimitExceeded. */
export async function diffTrees(
  reader: RepositoryReader,
  from: Oid,
  to: Oid,
  { limits = {}, text = true, isFar = false }: DiffOptions = {},
): Promise<Diff> {
  const all = { ...DEFAULT_LIMITS, ...limits };
  const deadline = performance.now() + all.milliseconds;
  const trees = await Promise.all([treeOf(reader, from), treeOf(reader, to)]);
  const { changes, isComplete } = await reader.changes(...trees, { most: all.changes, compared: true, isFar });
  const sizes = await sizesOf(reader, isComplete ? changes : changes.slice(0, all.files));
  const comparison = { from: trees[0], to: trees[1], changes, isComplete, sizes, limits: all, text, deadline };
  const plan = await reader.compare(comparison);
  const results = plan.results();
  const entries = plan.shown.map((pairing, at) => describe(pairing, results[at]));
  return {
    entries,
    additions: entries.reduce((sum, { additions }) => sum + additions, 0),
    deletions: entries.reduce((sum, { deletions }) => sum + deletions, 0),
    overflow: !isComplete || !plan.isWhole || entries.some(({ tooLarge }) => tooLarge),
  };
}

/** What a commit changed against its first parent; a root commit against nothing. */
export async function diffCommit(reader: RepositoryReader, oid: Oid, options: DiffOptions = {}): Promise<Diff> {
  const commit = await reader.commit(oid);
  if (commit === null) throw new GitError(`There is no commit ${oid}`);
  return diffTrees(reader, commit.parents[0] ?? EMPTY_TREE, oid, options);
}

function describe({ old, now, similarity }: Pairing, patch: PatchResult | undefined): DiffEntry {
  return {
    oldPath: old?.path ?? now?.path ?? '',
    newPath: now?.path ?? old?.path ?? '',
    oldMode: old?.mode ?? null,
    newMode: now?.mode ?? null,
    oldOid: old?.oid ?? null,
    newOid: now?.oid ?? null,
    newFile: old === null,
    deletedFile: now === null,
    renamedFile: similarity !== null,
    similarity,
    diff: patch?.text ?? '',
    binary: patch?.binary ?? false,
    tooLarge: patch?.tooLarge ?? true,
    additions: patch?.additions ?? 0,
    deletions: patch?.deletions ?? 0,
  };
}

async function treeOf(reader: RepositoryReader, oid: Oid): Promise<Oid> {
  if (oid === EMPTY_TREE) return oid;
  return (await reader.commit(oid))?.tree ?? oid;
}
