import type { Context } from '#src/access/permissions/actor.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { attributed, type ShownEntry, type SourcedDiff } from '#src/domain/repository/shown_diff.ts';
import { diffCommit } from '#src/git/diff/diff.ts';
import { type Page, type PageRequest, pageOf } from '#src/platform/page.ts';

/** The changes of a commit against its first parent, by path. Throws RateLimited, LimitExceeded. */
export async function commitDiff(
  context: Context,
  { repository, oid }: Pick<CommitRow, 'repository' | 'oid'>,
): Promise<SourcedDiff> {
  const diff = await withEffort(context, () => diffCommit(repository, oid));
  return { ...diff, source: { repository, oid } };
}

/** A page of a comparison. */
export interface DiffPage extends Page<ShownEntry> {
  /** Whether some files of the comparison are too large or were left out. */
  overflow: boolean;
}

/** A page of a comparison, or of what it has of one path. */
export function diffPage(
  { entries, overflow, source }: SourcedDiff,
  page: PageRequest,
  path?: string | null,
): DiffPage {
  const all = path == null ? entries : entries.filter(({ newPath }) => newPath.toWellFormed() === path);
  const found = pageOf(all, page);
  return { ...found, nodes: source ? attributed(found.nodes, source) : found.nodes, overflow };
}
