import type { Context } from '#src/access/permissions/actor.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { type Diff, type DiffEntry, diffCommit } from '#src/git/diff/diff.ts';
import { type Page, type PageRequest, pageOf } from '#src/platform/page.ts';

/** The changes of a commit against its first parent, by path. Throws RateLimited, LimitExceeded. */
export async function commitDiff(
  context: Context,
  { repository, oid }: Pick<CommitRow, 'repository' | 'oid'>,
): Promise<Diff> {
  return withEffort(context, () => diffCommit(repository, oid));
}

/** A page of a comparison. */
export interface DiffPage extends Page<DiffEntry> {
  /** Whether some files of the comparison are too large or were left out. */
  overflow: boolean;
}

/** A page of a comparison, or of what it has of one path. */
export function diffPage({ entries, overflow }: Diff, page: PageRequest, path?: string | null): DiffPage {
  const all = path == null ? entries : entries.filter(({ newPath }) => newPath.toWellFormed() === path);
  return { ...pageOf(all, page), overflow };
}
