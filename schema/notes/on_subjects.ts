import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { NoteActivity } from '#schema/notes/activity.ts';
import { Note, NoteConnection } from '#schema/notes/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Snippet } from '#schema/snippets/types.ts';
import type { NoteableType } from '#src/domain/tracking/noteable.ts';
import { findNote, listNotesOn } from '#src/domain/tracking/notes/list.ts';

const TYPES = { Issue, MergeRequest, Snippet } as const;
const NAMES = { Issue: 'issue', MergeRequest: 'merge request', Snippet: 'snippet' } as const;

const NoteOrder = builder.enumType('NoteOrder', {
  description: 'What notes are sorted by.',
  values: {
    CREATED_AT: { value: 'created_at', description: 'When they were written.' },
    UPDATED_AT: { value: 'updated_at', description: 'When they were last changed.' },
  } as const,
});

const listArgs = builder.args((t) => ({
  activity: t.field({ type: NoteActivity, description: 'Which notes the list has; all when left out.' }),
  orderBy: t.field({
    type: NoteOrder,
    description: 'What the notes are sorted by; when they were written, if only `sort` is given.',
  }),
  sort: t.field({ type: SortDirection, description: 'In which direction; `DESC`, if only `orderBy` is given.' }),
}));

/** Adds notes to a type. */
function addNotes(type: NoteableType): void {
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => ({
    notes: t.field({
      type: NoteConnection,
      description: `The notes on the ${NAMES[type]}, oldest first by default, system notes included.`,
      args: { ...pageArgs, ...listArgs },
      resolve: ({ id }, args, context, info) =>
        pageBelow('Note', id, args, context, info, (_context, ids, page, selection) =>
          listNotesOn(context, type, ids, args, page, selection),
        ),
    }),
    note: t.field({
      type: Note,
      nullable: true,
      description: `A note on the ${NAMES[type]} by its ID.`,
      args: {
        id: t.arg({ ...idOf('Note'), required: true, description: 'Global or numeric ID of the note.' }),
        discussionId: t.arg({ ...idOf('Discussion'), description: 'ID of the thread that it must be in.' }),
      },
      resolve: (record, { id, discussionId }, context, info) =>
        findNote(context, { type, id: record.id }, id, selectionAt(info, 'Note'), discussionId),
    }),
  }));
}

for (const type of Object.keys(TYPES) as NoteableType[]) addNotes(type);
