import type { GraphQLResolveInfo } from 'graphql';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Shown } from '#src/domain/activity/list_events.ts';
import { select } from '#src/platform/records/selection.ts';
import '#src/domain/tracking/notes/computed_fields.ts';

/** What tells the kind of a comment, which is the type of the target. */
const NOTE_KIND = select('Note', { isInThread: true, thread: true, system: true });

/** What a document requests of the authors of events, and of the comments. */
export function shownAt(info: GraphQLResolveInfo): Shown {
  return { users: selectionAt(info, 'User'), notes: NOTE_KIND.with(selectionAt(info, 'Note')) };
}
