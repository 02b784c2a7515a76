import { linesOfFile, spanOf, textOf } from '#src/domain/tracking/discussions/file_lines.ts';
import type { DiffPosition } from '#src/domain/tracking/discussions/position.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Marks the suggestions of several lines in a thread whose other lines are no longer what they were, at its new position. */
export async function outdateSuggestions(
  db: Db,
  reader: RepositoryReader,
  discussionId: number,
  { headSha, newPath, newLine }: DiffPosition,
): Promise<void> {
  if (newLine === null) return;
  const suggestions = await db.suggestion.findMany({
    where: {
      note: { OR: [{ id: discussionId }, { discussionId }] },
      commitSha: null,
      outdated: false,
      NOT: { linesAbove: 0, linesBelow: 0 },
    },
  });
  const lines = suggestions.length > 0 ? await linesOfFile(reader, headSha, newPath) : null;
  const changed = suggestions.filter((one) => textOf(lines ?? [], spanOf(newLine, one)) !== one.fromContent);
  if (changed.length === 0) return;
  await db.suggestion.updateMany({ where: { id: { in: changed.map(({ id }) => id) } }, data: { outdated: true } });
}
