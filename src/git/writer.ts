import { GitError, MissingObject } from './base/errors.ts';
import type { Commit, Oid, Signature } from './base/model.ts';
import { EMPTY_TREE } from './base/model.ts';
import type { RepositoryReader } from './base/reader.ts';
import { checkWritten } from './incoming/check_written.ts';
import type { PackKeepLock } from './incoming/pack_keep_lock.ts';
import { encodeCommit, encodeTag, type TagInput } from './write/encode.ts';
import { NothingChanged } from './write/errors.ts';
import { mergeCommits, mergeTrees } from './write/merge_trees.ts';
import { ObjectWriter } from './write/objects.ts';

/*
 * What is written here are objects, synced to the disk, that no ref leads to yet. `updateRef` makes them visible. A lock
 * keeps them until then.
 */

export { NothingChanged };

/** Both sides changed the same, in different ways. */
export class MergeConflict extends GitError {
  override name = 'MergeConflict';
  readonly paths: string[];

  constructor(paths: string[]) {
    super(`Conflicts in ${paths.map((path) => JSON.stringify(path)).join(', ')}`);
    this.paths = paths;
  }
}

export interface CherryPickInput {
  commit: Oid;
  /** What the new commit is to follow. */
  onto: Oid;
  committer: Signature;
  /** Without, that of the commit with a line that names it. */
  message?: string | undefined;
  /** Whether nothing is written: whether it would go is all that is wanted. */
  isTrial?: boolean | undefined;
}

/**
 * Writes a commit that changes `onto` as a commit changed its first parent, with the same author. Throws MergeConflict,
 * NothingChanged if the change is there already, and RefusedObjects for what would be refused in a push as well.
 */
export async function cherryPick(
  reader: RepositoryReader,
  { commit: oid, onto, committer, message, isTrial }: CherryPickInput,
  keepLock?: PackKeepLock,
): Promise<Oid> {
  const commit = await commitOf(reader, oid);
  const change = { from: await parentTree(reader, commit), to: commit.tree };
  const picked = `${commit.message.trimEnd()}\n\n(cherry picked from commit ${oid})`;
  const said = { author: commit.author, committer, message: message ?? picked };
  return applyChange(reader, { ...change, ...said, onto, isTrial }, keepLock);
}

export interface RevertInput {
  commit: Oid;
  /** What the new commit is to follow. */
  onto: Oid;
  committer: Signature;
  message: string;
  /** Whether nothing is written: whether it would go is all that is wanted. */
  isTrial?: boolean | undefined;
}

/**
 * Writes a commit that takes back in `onto` what a commit changed in its first parent. Throws MergeConflict, NothingChanged if
 * nothing of it is left, and RefusedObjects for what would be refused in a push as well.
 */
export async function revert(
  reader: RepositoryReader,
  { commit: oid, onto, committer, message, isTrial }: RevertInput,
  keepLock?: PackKeepLock,
): Promise<Oid> {
  const commit = await commitOf(reader, oid);
  const change = { from: commit.tree, to: await parentTree(reader, commit) };
  return applyChange(reader, { ...change, onto, author: committer, committer, message, isTrial }, keepLock);
}

interface AppliedChange {
  /** The trees that differ by the change. */
  from: Oid;
  to: Oid;
  onto: Oid;
  author: Signature;
  committer: Signature;
  message: string;
  isTrial: boolean | undefined;
}

async function applyChange(
  reader: RepositoryReader,
  { from, to, onto, isTrial, ...said }: AppliedChange,
  keepLock: PackKeepLock | undefined,
): Promise<Oid> {
  const ours = await treeOf(reader, onto);
  const objects = new ObjectWriter(reader.directory, keepLock);
  const { tree, conflicts, needsCheck } = await mergeTrees(reader, objects, { base: from, ours, theirs: to });
  if (conflicts.length > 0) throw new MergeConflict(conflicts);
  if (tree === ours) throw new NothingChanged('Nothing to commit');
  const applied = objects.add('commit', encodeCommit({ ...said, tree, parents: [onto] }));
  if (needsCheck) await checkWritten(reader.directory, objects.added);
  if (!isTrial) await objects.flush();
  return applied;
}

/** The tree of the first parent; without a parent, the empty one. */
async function parentTree(reader: RepositoryReader, { parents: [parent] }: Commit): Promise<Oid> {
  return parent === undefined ? EMPTY_TREE : treeOf(reader, parent);
}

export interface MergeInput {
  /** What the merge is to follow. */
  onto: Oid;
  /** The tip that is brought in. */
  merged: Oid;
  author: Signature;
  committer: Signature;
  message: string;
}

/**
 * Writes a merge of a branch that has all that it is merged onto, although it could be taken over without: its files are those
 * of the branch.
 */
export async function mergeAhead(reader: RepositoryReader, input: MergeInput, keepLock?: PackKeepLock): Promise<Oid> {
  const { onto, merged, ...said } = input;
  const objects = new ObjectWriter(reader.directory, keepLock);
  const tree = await treeOf(reader, merged);
  const oid = objects.add('commit', encodeCommit({ ...said, tree, parents: [onto, merged] }));
  await objects.flush();
  return oid;
}

export interface SquashInput extends Omit<MergeInput, 'merged'> {
  /** The commit whose files the new one has. */
  squashed: Oid;
}

/** Writes a commit with the files of another one, on top of one of its ancestors: all that lies between becomes one commit. */
export async function squashOnto(reader: RepositoryReader, input: SquashInput, keepLock?: PackKeepLock): Promise<Oid> {
  const { onto, squashed, ...said } = input;
  const objects = new ObjectWriter(reader.directory, keepLock);
  const tree = await treeOf(reader, squashed);
  const oid = objects.add('commit', encodeCommit({ ...said, tree, parents: [onto] }));
  await objects.flush();
  return oid;
}

/**
 * Writes the merge of a commit into a branch, as `git merge --no-ff` does. Throws MergeConflict, also for histories that never
 * met, NothingChanged if the branch has the commit already, LimitExceeded, and RefusedObjects for what would be refused in a push.
 */
export async function mergeInto(reader: RepositoryReader, input: MergeInput, keepLock?: PackKeepLock): Promise<Oid> {
  const { onto, merged, ...said } = input;
  const objects = new ObjectWriter(reader.directory, keepLock);
  const found = await mergeCommits(reader, objects, { ours: onto, theirs: merged });
  if (found === null) throw new MergeConflict([]);
  if (found.conflicts.length > 0) throw new MergeConflict(found.conflicts);
  const oid = objects.add('commit', encodeCommit({ ...said, tree: found.tree, parents: [onto, merged] }));
  if (found.needsCheck) await checkWritten(reader.directory, objects.added);
  await objects.flush();
  return oid;
}

/** Writes an annotated tag; the ref `refs/tags/<name>` has to be set to it. */
export async function writeTag(directory: string, input: TagInput, keepLock?: PackKeepLock): Promise<Oid> {
  const objects = new ObjectWriter(directory, keepLock);
  const oid = objects.add('tag', encodeTag(input));
  await objects.flush();
  keepLock?.markComplete(oid, input.object);
  return oid;
}

async function treeOf(reader: RepositoryReader, oid: Oid): Promise<Oid> {
  return (await commitOf(reader, oid)).tree;
}

async function commitOf(reader: RepositoryReader, oid: Oid): Promise<Commit> {
  const commit = await reader.commit(oid);
  if (commit === null) throw new MissingObject(oid, 'commit');
  return commit;
}
