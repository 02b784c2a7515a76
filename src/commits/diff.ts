import type { Context } from '#src/access/actor.ts';
import type { CommitRow } from '#src/commits/find.ts';
import { type DiffEntry, diffCommit } from '#src/git/diff/diff.ts';
import { withEffort } from '#src/repository/effort.ts';

/** What a commit changed against its first parent, by path. Throws RateLimited, TooMuch. */
export async function commitDiff(context: Context, { repository, oid }: CommitRow): Promise<DiffEntry[]> {
  return (await withEffort(context, () => diffCommit(repository, oid))).entries;
}
