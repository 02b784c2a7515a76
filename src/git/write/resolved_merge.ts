import type { Oid, Signature } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import { checkWritten } from '../incoming/check_written.ts';
import type { PackKeepLock } from '../incoming/pack_keep_lock.ts';
import { TreeCursor } from '../objects/tree_cursor.ts';
import { type ConflictedFile, findConflicts } from './conflicts.ts';
import { DraftTree } from './draft.ts';
import { encodeCommit } from './encode.ts';
import { NothingChanged } from './errors.ts';
import { ObjectWriter } from './objects.ts';
import { PendingTrees } from './pending_trees.ts';

export interface ResolvedMergeInput {
  /** What the merge is to follow. */
  onto: Oid;
  /** The commit that is brought in. */
  merged: Oid;
  /** The contents of all files with conflicts, in their order. An error of its own is thrown on. */
  resolve(files: readonly ConflictedFile[]): readonly string[];
  author: Signature;
  committer: Signature;
  message: string;
}

/**
 * Writes the merge of a commit into a branch whose conflicts somebody has resolved. Throws NothingChanged where there are none, or
 * histories that never met, LimitExceeded, MissingObject, and RefusedObjects for what would be refused in a push.
 */
export async function mergeResolved(
  reader: RepositoryReader,
  { onto, merged, resolve, ...said }: ResolvedMergeInput,
  keepLock?: PackKeepLock,
): Promise<Oid> {
  const found = await findConflicts(reader, { ours: onto, theirs: merged });
  if (found === null || found.files.length === 0) throw new NothingChanged('There are no conflicts');
  const contents = resolve(found.files);
  if (found.tree === null) throw new NothingChanged('The conflicts cannot be resolved here');
  const draft = new DraftTree(new PendingTrees(reader, found.objects), found.tree);
  const made = new ObjectWriter(reader.directory);
  for (const [at, { path, mode }] of found.files.entries()) {
    await draft.put(path, { mode, oid: made.add('blob', Buffer.from(contents[at] ?? '', 'utf8')) });
  }
  const tree = draft.write(made);
  const objects = new ObjectWriter(reader.directory, keepLock);
  // The merge has left contents with marks and directories that lead to them, which nothing needs.
  addReached(objects, tree, [made, found.objects]);
  const oid = objects.add('commit', encodeCommit({ ...said, tree, parents: [onto, merged] }));
  if (found.needsCheck || draft.needsCheck) await checkWritten(reader.directory, objects.added);
  await objects.flush();
  return oid;
}

/** Adds a tree, and all that it leads to, as far as that is new. */
function addReached(objects: ObjectWriter, oid: Oid, sources: readonly ObjectWriter[]): void {
  const object = sources.map((source) => source.peek(oid)).find((one) => one !== null);
  if (!object || objects.peek(oid) !== null) return;
  objects.add(object.type, object.content);
  if (object.type !== 'tree') return;
  for (const cursor = new TreeCursor(object.content); cursor.next(); ) addReached(objects, cursor.oid, sources);
}
