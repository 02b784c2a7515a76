import type { Context } from '#src/access/permissions/actor.ts';
import type { Thread } from '#src/domain/tracking/discussions/begin.ts';
import { linesOfFile, spanOf, textOf } from '#src/domain/tracking/discussions/file_lines.ts';
import type { DiffPosition } from '#src/domain/tracking/discussions/position.ts';
import type { Noteable } from '#src/domain/tracking/noteable.ts';
import { parseSuggestions, type SuggestedLines } from '#src/domain/tracking/suggestions/parse.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A suggestion with the lines that it replaces. */
export interface NewSuggestion extends SuggestedLines {
  fromContent: string;
}

/** The suggestions of a note, if its thread is on a line of the new side of a merge request's changes. */
export async function readSuggestions(
  context: Context,
  { type, id, project }: Noteable,
  thread: Thread,
  body: string,
): Promise<NewSuggestion[]> {
  const suggested = type === 'MergeRequest' ? parseSuggestions(body) : [];
  if (suggested.length === 0) return [];
  const position = await positionOf(context, id, thread);
  if (!position || position.newLine === null) return [];
  const { headSha, newPath, newLine } = position;
  const reader = await context.repositories.open(project);
  const lines = reader && (await linesOfFile(reader, headSha, newPath));
  if (!lines) return [];
  return suggested.map((one) => ({ ...one, fromContent: textOf(lines, spanOf(newLine, one)) }));
}

/** Where the thread of the note is in the latest version; null if it is on no line, or outdated. */
async function positionOf({ db }: Context, mergeRequestId: number, thread: Thread): Promise<DiffPosition | null> {
  if (thread.kind === 'begun') return thread.line?.position ?? null;
  if (thread.kind === 'single') return null;
  const where = { id: thread.discussionId, mergeRequestId };
  const found = await db.discussion.findFirst({ where, select: { position: true } });
  return (found?.position ?? null) as DiffPosition | null;
}

/** Stores the suggestions of a note in place of those that it had, unless one of them was applied: then they stay. */
export async function writeSuggestions(
  tx: Transaction,
  noteId: number,
  suggestions: readonly NewSuggestion[],
  isNew: boolean,
): Promise<void> {
  if (!isNew) {
    if ((await tx.suggestion.count({ where: { noteId, commitSha: { not: null } } })) > 0) return;
    await tx.suggestion.deleteMany({ where: { noteId } });
  }
  if (suggestions.length > 0) {
    await tx.suggestion.createMany({ data: suggestions.map((suggestion) => ({ noteId, ...suggestion })) });
  }
}
