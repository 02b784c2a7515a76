import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { FileRow } from '#src/domain/repository/file.ts';
import { textOf } from '#src/domain/repository/file_text.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** What a commit did to lines of a file. */
export interface LineChangeRow {
  commit: CommitRow;
  /** Path of the file after the commit. */
  path: string;
  /** As a patch of `diffTrees` has it. */
  diff: string;
}

/** Lines, and commits, of one history. */
const MAX_LINES = 1_000;
const MAX_COMMITS = 100;

/**
 * The commits that changed lines of a file, newest first, with what they did to them. Null for files that are not text, and without a git
 * program. Throws ValidationFailed, NotFound, Forbidden, Unauthenticated, RateLimited, LimitExceeded.
 *
 * @param range numbers of the first line, from 1, and of the last one; lines that the file does not have are left out
 */
export async function lineHistoryOf(
  context: Context,
  file: FileRow,
  { from, to, count }: { from: number; to: number; count: number },
): Promise<LineChangeRow[] | null> {
  const project = await findProject(context, file.projectId);
  authorize(context.actor, 'read_commit', project);
  requireRange(from, to, count);
  const text = await textOf(context, file);
  if (text === null) return null;
  const total = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  if (from > total) return [];
  const { repository, commitOid: commit, path } = file;
  const query = { commit, path, from, to: Math.min(to, total), most: count };
  const changes = await withEffort(context, () => repository.lineHistory(query));
  if (changes === null) return null;
  const rows = await commitRows(project, repository, [...new Set(changes.map((change) => change.commit))]);
  const byOid = new Map(rows.map((row) => [row.oid, row]));
  return changes.flatMap(({ commit: oid, ...change }) => {
    const row = byOid.get(oid);
    return row ? [{ ...change, commit: row }] : [];
  });
}

function requireRange(from: number, to: number, count: number): void {
  if (from < 1) throw new ValidationFailed({ from: ['must be at least 1'] });
  if (to < from) throw new ValidationFailed({ to: ['must be at least `from`'] });
  if (to - from >= MAX_LINES)
    throw new ValidationFailed({ to: [`is too far from \`from\` (maximum is ${MAX_LINES} lines)`] });
  if (count < 1 || count > MAX_COMMITS) throw new ValidationFailed({ count: [`must be between 1 and ${MAX_COMMITS}`] });
}
