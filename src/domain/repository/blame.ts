import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/commits/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { FileRow } from '#src/domain/repository/file.ts';
import { shownLines } from '#src/domain/repository/file_text.ts';

/** Lines that follow each other and were written in one commit. */
export interface BlameRow {
  /** Number of the first line, from 1. */
  from: number;
  lines: number;
  commit: CommitRow;
}

/**
 * The commits in which lines of a file were written: the lines that are shown at once from `from` on. Null for files that are not
 * shown as text, and without a git program. Throws NotFound, Forbidden, Unauthenticated, RateLimited, LimitExceeded.
 */
export async function blameOf(
  context: Context,
  file: FileRow,
  from: number,
  count: number,
): Promise<BlameRow[] | null> {
  const project = await findProject(context, file.projectId);
  authorize(context.actor, 'read_commit', project);
  const shown = await shownLines(context, file, from, count);
  if (shown === null) return null;
  const { to } = shown;
  if (to < from) return [];
  const { repository, commitOid: commit, path } = file;
  const hunks = await withEffort(context, () => repository.blame({ commit, path, from, to }));
  if (hunks === null) return null;
  const rows = await commitRows(project, repository, [...new Set(hunks.map((hunk) => hunk.commit))]);
  const byOid = new Map(rows.map((row) => [row.oid, row]));
  return hunks.flatMap(({ commit, ...lines }) => {
    const row = byOid.get(commit);
    return row ? [{ ...lines, commit: row }] : [];
  });
}
