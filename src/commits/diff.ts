import type { CommitRow } from '#src/commits/find.ts';
import { type DiffEntry, diffCommit } from '#src/git/diff/diff.ts';

/** What a commit changed against its first parent, by path. */
export async function commitDiff({ repository, oid }: CommitRow): Promise<DiffEntry[]> {
  return (await diffCommit(repository, oid)).entries;
}
