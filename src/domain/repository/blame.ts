import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { FileRow } from '#src/domain/repository/file.ts';
import { shownLines } from '#src/domain/repository/file_text.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { BadRequest, ContentTooLarge } from '#src/platform/errors.ts';

/** Lines that follow each other and were written in one commit. */
export interface BlameRow {
  /** Number of the first line, from 1. */
  from: number;
  lines: number;
  commit: CommitRow;
  /** Where the file was before that commit; null where it began. */
  previous: { sha: string; path: string } | null;
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
  return hunks.flatMap(({ commit, previous, ...lines }) => {
    const row = byOid.get(commit);
    return row ? [{ ...lines, commit: row, previous: previous && { sha: previous.commit, path: previous.path } }] : [];
  });
}

/** Lines with the commit in which they were written. */
export interface BlamedLines {
  commit: CommitRow;
  lines: string[];
}

/** Bytes and lines of what is blamed at once. */
const BLAME_LIMITS = { bytes: 2 * 1024 * 1024, lines: 20_000 };

/**
 * The lines of a file, or those of a range from 1 on with both ends, with the commits in which they were written. Throws BadRequest,
 * ContentTooLarge, and as blameOf.
 */
export async function blameLines(
  context: Context,
  file: FileRow,
  range: { start: number; end: number } | null,
): Promise<BlamedLines[]> {
  const project = await findProject(context, file.projectId);
  authorize(context.actor, 'read_repository', project);
  if (range && range.start < 1) throw new BadRequest('range[start] is invalid', 'range', 'rangeInvalid');
  if (range && range.start > range.end) {
    throw new BadRequest('range[start] must be less than or equal to range[end]', 'range', 'rangeInvalid');
  }
  const { repository, commitOid: commit, path, oid, size } = file;
  if (size > BLAME_LIMITS.bytes) throw new ContentTooLarge(`files with at most ${BLAME_LIMITS.bytes} bytes are blamed`);
  return withEffort(context, async () => {
    const text = (await repository.blob(oid, BLAME_LIMITS.bytes))?.toString('utf8').toWellFormed() ?? '';
    const all = text.replace(/\n$/, '').split('\n');
    const [from, to] = [range?.start ?? 1, Math.min(range?.end ?? all.length, all.length)];
    if (text === '' || to < from) return [];
    if (to - from >= BLAME_LIMITS.lines) {
      throw new ContentTooLarge(`at most ${BLAME_LIMITS.lines} lines are blamed at once: ask for a range of them`);
    }
    const hunks = await repository.blame({ commit, path, from, to });
    if (hunks === null) throw new BadRequest('The server has no git program, which this needs');
    const rows = await commitRows(project, repository, [...new Set(hunks.map((hunk) => hunk.commit))]);
    const byOid = new Map(rows.map((row) => [row.oid, row]));
    return hunks.flatMap((hunk) => {
      const row = byOid.get(hunk.commit);
      return row ? [{ commit: row, lines: all.slice(hunk.from - 1, hunk.from - 1 + hunk.lines) }] : [];
    });
  });
}
