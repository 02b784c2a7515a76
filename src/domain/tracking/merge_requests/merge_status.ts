import { isLimit } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { NothingChanged } from '#src/git/write/errors.ts';
import { mergeCommits } from '#src/git/write/merge_trees.ts';
import { ObjectWriter } from '#src/git/write/objects.ts';

export type MergeStatus = 'unchecked' | 'can_be_merged' | 'cannot_be_merged';

/**
 * Whether a head can be merged into the tip of a branch: it has commits of its own, a common ancestor, and no conflicts.
 * `unchecked` if finding out takes too long.
 */
export async function mergeStatus(reader: RepositoryReader, head: Oid | null, tip: Oid | null): Promise<MergeStatus> {
  if (head === null || tip === null || (await reader.commit(head)) === null) return 'cannot_be_merged';
  try {
    const merge = await mergeCommits(reader, new ObjectWriter(reader.directory), { ours: tip, theirs: head });
    return merge === null || merge.conflicts.length > 0 ? 'cannot_be_merged' : 'can_be_merged';
  } catch (error) {
    if (error instanceof NothingChanged) return 'cannot_be_merged';
    if (isLimit(error, 'work')) return 'unchecked';
    throw error;
  }
}
