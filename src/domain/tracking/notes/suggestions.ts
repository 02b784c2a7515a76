import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findNotesByIds } from '#src/domain/tracking/notes/list.ts';
import { findSuggestions } from '#src/domain/tracking/suggestions/find.ts';
import type { SuggestionFacts } from '#src/platform/records/computed_types.ts';
import { select } from '#src/platform/records/selection.ts';

/**
 * The suggestions with these IDs in notes that the actor can see.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findSuggestionsByIds(
  context: Context,
  ids: readonly number[],
  projectOf: ProjectOf,
): Promise<SuggestionFacts[]> {
  const known = await context.db.suggestion.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, noteId: true },
  });
  const noteIds = [...new Set(known.map(({ noteId }) => noteId))];
  if (noteIds.length === 0) return [];
  const notes = await findNotesByIds(context, noteIds, select('Note', { id: true }), projectOf);
  const seen = new Set(notes.map(({ id }) => id));
  return findSuggestions(
    context,
    known.filter(({ noteId }) => seen.has(noteId)).map(({ id }) => id),
  );
}
