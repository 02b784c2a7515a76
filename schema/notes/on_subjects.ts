import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Note, NoteConnection } from '#schema/notes/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Snippet } from '#schema/snippets/types.ts';
import { findNote, listNotesOn } from '#src/domain/tracking/notes/list.ts';
import type { NoteableType } from '#src/domain/tracking/notes/noteable.ts';

const TYPES = { Issue, MergeRequest, Snippet } as const;
const NAMES = { Issue: 'issue', MergeRequest: 'merge request', Snippet: 'snippet' } as const;

/** Adds notes to a type. */
function addNotes(type: NoteableType): void {
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => ({
    notes: t.field({
      type: NoteConnection,
      description: `The notes on the ${NAMES[type]}, oldest first, system notes included. For signed-in callers.`,
      args: pageArgs,
      resolve: ({ id }, args, context, info) =>
        pageBelow('Note', id, args, context, info, (_context, ids, page, selection) =>
          listNotesOn(context, type, ids, page, selection),
        ),
    }),
    note: t.field({
      type: Note,
      nullable: true,
      description: `A note on the ${NAMES[type]} by its ID. For signed-in callers.`,
      args: { id: t.arg({ ...idOf('Note'), required: true, description: 'Global or numeric ID of the note.' }) },
      resolve: (record, { id }, context, info) =>
        findNote(context, { type, id: record.id }, id, selectionAt(info, 'Note')),
    }),
  }));
}

for (const type of Object.keys(TYPES) as NoteableType[]) addNotes(type);
