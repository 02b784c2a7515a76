import { GitError, MissingObject } from './errors.ts';
import type { Commit, Oid, Signature } from './model.ts';
import { EMPTY_TREE } from './model.ts';
import type { RepositoryReader } from './reader.ts';
import { checkWritten } from './remote/check-written.ts';
import { type Action, applyActions } from './write/actions.ts';
import { DraftTree } from './write/draft.ts';
import { encodeCommit, encodeTag, type TagInput } from './write/encode.ts';
import type { Hold } from './write/hold.ts';
import { mergeTrees } from './write/merge-trees.ts';
import { ObjectWriter } from './write/objects.ts';

/*
 * What is written here are objects, synced to the disk, that no ref leads to yet. `updateRef` makes them visible. A hold
 * keeps them until then.
 */

/** The actions left everything as it was. */
export class NothingChanged extends GitError {
  override name = 'NothingChanged';
}

/** Both sides changed the same, in different ways. */
export class MergeConflict extends GitError {
  override name = 'MergeConflict';
  readonly paths: string[];

  constructor(paths: string[]) {
    super(`Conflicts in ${paths.map((path) => JSON.stringify(path)).join(', ')}`);
    this.paths = paths;
  }
}

export interface ActionsInput {
  /** The commit to build on; null for the first one of a branch without history. */
  parent: Oid | null;
  actions: Action[];
  author: Signature;
  committer: Signature;
  message: string;
}

/**
 * Writes a commit of file actions. Throws ActionFailed for the first that cannot be done, NothingChanged, and RefusedObjects
 * for what would be refused in a push as well.
 */
export async function commitActions(reader: RepositoryReader, input: ActionsInput, hold?: Hold): Promise<Oid> {
  const { parent, actions, author, committer, message } = input;
  const objects = new ObjectWriter(reader.directory, hold);
  const base = parent === null ? EMPTY_TREE : await treeOf(reader, parent);
  const draft = new DraftTree(reader, base);
  await applyActions(draft, objects, actions);
  const tree = draft.write(objects);
  if (tree === base) throw new NothingChanged('The actions change nothing');
  const parents = parent === null ? [] : [parent];
  const oid = objects.add('commit', encodeCommit({ tree, parents, author, committer, message }));
  if (draft.needsCheck) await checkWritten(reader.directory, objects.added);
  await objects.flush();
  // What was not written anew is in the tree of the parent.
  hold?.vouch(oid, parent);
  return oid;
}

export interface CherryPickInput {
  commit: Oid;
  /** What the new commit is to follow. */
  onto: Oid;
  committer: Signature;
  /** That of the commit itself without. */
  message?: string;
}

/**
 * Writes a commit that changes `onto` as a commit changed its first parent, with the same author. Throws MergeConflict,
 * NothingChanged if the change is there already, and RefusedObjects for what would be refused in a push as well.
 */
export async function cherryPick(reader: RepositoryReader, input: CherryPickInput, hold?: Hold): Promise<Oid> {
  const { commit: oid, onto, committer, message } = input;
  const commit = await commitOf(reader, oid);
  const parent = commit.parents[0];
  const base = parent === undefined ? EMPTY_TREE : await treeOf(reader, parent);
  const ours = await treeOf(reader, onto);
  const objects = new ObjectWriter(reader.directory, hold);
  const { tree, conflicts, needsCheck } = await mergeTrees(reader, objects, { base, ours, theirs: commit.tree });
  if (conflicts.length > 0) throw new MergeConflict(conflicts);
  if (tree === ours) throw new NothingChanged('The change is there already');
  const { author } = commit;
  const text = message ?? commit.message;
  const picked = objects.add('commit', encodeCommit({ tree, parents: [onto], author, committer, message: text }));
  if (needsCheck) await checkWritten(reader.directory, objects.added);
  await objects.flush();
  return picked;
}

/** Writes an annotated tag; the ref `refs/tags/<name>` has to be set to it. */
export async function writeTag(directory: string, input: TagInput, hold?: Hold): Promise<Oid> {
  const objects = new ObjectWriter(directory, hold);
  const oid = objects.add('tag', encodeTag(input));
  await objects.flush();
  hold?.vouch(oid, input.object);
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
