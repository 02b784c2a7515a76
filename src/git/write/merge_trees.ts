import { MissingObject } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import type { Change, Side } from '../base/side.ts';
import { programVersion } from '../program/detect.ts';
import { mergeAttributes } from './attributes.ts';
import { DraftTree, type Leaf, PathBlocked } from './draft.ts';
import { NothingChanged } from './errors.ts';
import {
  type MergePlace,
  mergeByProgram,
  mergeCommitsByProgram,
  type ProgramMerge,
  type Stage,
  type ThreeTrees,
} from './merge_by_program.ts';
import type { ObjectWriter } from './objects.ts';
import { isActedUpon } from './path.ts';

/** Contents above this size are not merged: both sides changing them is a conflict. In bytes. */
const MAX_MERGED_BYTES = 16 * 1024 * 1024;

export interface TreeMerge {
  /** The merged tree; of no use if there are conflicts. */
  tree: Oid;
  /** Whether it has to be checked as pushes are. */
  needsCheck: boolean;
  /** The paths on which both sides cannot be had, in the order of their bytes. */
  conflicts: string[];
  /** The versions of the files with conflicts; null where nothing was merged as contents are too large. */
  stages: Stage[] | null;
}

/**
 * Applies what `theirs` changed since `base` to `ours`, whose attributes say how contents are merged, as in git. Renames on both
 * sides are followed, those of whole directories are not. Without a git program files are taken as a whole: one that both sides
 * changed is a conflict, and neither renames nor attributes count. New objects are added to those to be written. Throws LimitExceeded.
 */
export async function mergeTrees(
  reader: RepositoryReader,
  objects: ObjectWriter,
  trees: ThreeTrees,
): Promise<TreeMerge> {
  return mergeBy(reader, objects, trees, (at) => mergeByProgram(at, objects, trees));
}

/**
 * Merges two commits as `git merge` does, and criss-cross histories too; null where they have no common ancestor. Nothing of
 * them is written but what the objects take in; with `keepsConflicts` that is all that could be merged, with both sides in the files
 * that have conflicts. Throws NothingChanged where ours has theirs already, LimitExceeded, MissingObject.
 */
export async function mergeCommits(
  reader: RepositoryReader,
  objects: ObjectWriter,
  { ours, theirs, keepsConflicts = false }: { ours: Oid; theirs: Oid; keepsConflicts?: boolean },
): Promise<TreeMerge | null> {
  const [base] = await reader.mergeBases(ours, theirs);
  if (base === undefined) return null;
  if (base === theirs) throw new NothingChanged('Already up to date');
  const [first, left, right] = await reader.commits([base, ours, theirs]);
  if (!first || !left || !right) throw new MissingObject(ours, 'commit');
  const trees = { base: first.tree, ours: left.tree, theirs: right.tree };
  return mergeBy(reader, objects, trees, (at) =>
    mergeCommitsByProgram({ ...at, keepsConflicts }, objects, ours, theirs),
  );
}

async function mergeBy(
  reader: RepositoryReader,
  objects: ObjectWriter,
  { base, ours, theirs }: ThreeTrees,
  byProgram: (at: MergePlace) => Promise<ProgramMerge>,
): Promise<TreeMerge> {
  const [{ changes: wanted }, { changes: present }] = await Promise.all([
    reader.changes(base, theirs),
    reader.changes(base, ours),
  ]);
  const large = await tooLarge(reader, wanted, present);
  if (large.length > 0) return { tree: ours, needsCheck: false, conflicts: large, stages: null };
  if ((await programVersion()) === null) return mergeInProcess(reader, objects, ours, wanted, present);
  const needsCheck = [...wanted, ...present].some(({ path }) => isActedUpon(path));
  const attributes = await mergeAttributes(reader, ours, [wanted, present]);
  return { ...(await byProgram({ directory: reader.directory, attributes })), needsCheck };
}

/** Paths that both sides changed, of contents that are not merged. */
async function tooLarge(reader: RepositoryReader, wanted: Change[], present: Change[]): Promise<string[]> {
  const others = new Map(present.map((change) => [change.path, change]));
  const large: string[] = [];
  for (const { path, now } of wanted) {
    const other = others.get(path)?.now;
    if (!now || !other || now.oid === other.oid) continue;
    const sizes = await Promise.all([now, other].map(({ oid }) => reader.blobSize(oid)));
    if (sizes.some((size) => (size ?? 0) > MAX_MERGED_BYTES)) large.push(path);
  }
  return large;
}

async function mergeInProcess(
  reader: RepositoryReader,
  objects: ObjectWriter,
  tree: Oid,
  wanted: Change[],
  present: Change[],
): Promise<TreeMerge> {
  const draft = new DraftTree(reader, tree);
  const conflicts: string[] = [];
  const puts: Side[] = [];
  const added = new Set(wanted.flatMap(({ old, now }) => (old === null && now !== null ? [now.oid] : [])));
  for (const { path, old, now } of wanted) {
    const ours = await draft.find(path);
    if (ours === 'directory') {
      if (old === null && now !== null) puts.push(now);
      else conflicts.push(path);
    } else if (!isSame(ours, old)) {
      // Both may have moved it to different places.
      if (!isSame(ours, now) || (old !== null && added.has(old.oid))) conflicts.push(path);
    } else if (now === null) await draft.remove(path);
    else puts.push(now);
  }
  // After all removals, as a file may take the place of a directory.
  for (const { path, mode, oid } of puts) {
    await draft.put(path, { mode, oid }).catch((error) => {
      if (!(error instanceof PathBlocked)) throw error;
      conflicts.push(path);
    });
  }
  const stages = stagesOf(conflicts, wanted, present);
  return { tree: draft.write(objects), needsCheck: draft.needsCheck, conflicts: conflicts.sort(), stages };
}

/** The versions of files that both sides changed. */
function stagesOf(conflicts: readonly string[], wanted: readonly Change[], present: readonly Change[]): Stage[] {
  const [theirs, ours] = [wanted, present].map((changes) => new Map(changes.map((change) => [change.path, change])));
  return conflicts.flatMap((path) => {
    const [their, our] = [theirs?.get(path), ours?.get(path)];
    return [their?.old ?? our?.old, our?.now, their?.now].flatMap((side, at) =>
      side ? [{ path, stage: (at + 1) as Stage['stage'], mode: side.mode, oid: side.oid }] : [],
    );
  });
}

function isSame(left: Leaf | null, right: Leaf | null): boolean {
  return left?.oid === right?.oid && left?.mode === right?.mode;
}
