import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { DiffPosition } from '#schema/discussions/types.ts';
import { draftNoteFilter } from '#schema/filters.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { draftNoteOrder } from '#schema/orders.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import { lineCode, type DiffPosition as Position } from '#src/domain/tracking/discussions/position.ts';
import { findDraftNote, listDraftNotes } from '#src/domain/tracking/drafts/list.ts';

/** Stored with the draft by `createDraftNote`. */
const positionIn = (json: unknown) => (json ?? null) as Position | null;

export const DraftNote = builder.prismaObject('DraftNote', {
  description: 'A note of a review of a merge request that is not published yet. Only its author sees it.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the draft note, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('DraftNote', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the draft note.' }),
    body: t.exposeString('body', { description: 'Text of the note, in Markdown, with its quick actions.' }),
    author: t.relation('author', { description: 'The user who drafted the note: the caller.' }),
    authorId: t.exposeInt('authorId', { description: 'Numeric ID of its author.' }),
    mergeRequestId: t.exposeInt('mergeRequestId', {
      description: 'Numeric ID of the merge request that the note is to be on.',
    }),
    discussionId: t.id({
      nullable: true,
      description: 'Global ID of the thread that it answers in; null for a note that begins a thread.',
      select: { discussionId: true },
      resolve: ({ discussionId }) => (discussionId === null ? null : toGlobalId('Discussion', discussionId)),
    }),
    discussionKey: t.string({
      nullable: true,
      description: 'The `key` of the thread that it answers in; null for a note that begins a thread.',
      select: { discussionId: true },
      resolve: ({ discussionId }) => (discussionId === null ? null : threadKey('Discussion', discussionId)),
    }),
    resolveDiscussion: t.exposeBoolean('resolveDiscussion', {
      description: 'Whether publishing the note resolves the thread that it answers in.',
    }),
    commitSha: t.exposeString('commitSha', {
      nullable: true,
      description: 'Full hash of the commit of the merge request that the position is in; null if there is none.',
    }),
    position: t.field({
      type: DiffPosition,
      nullable: true,
      description: 'The line or file that it begins a thread on; null if it is on none.',
      select: { position: true },
      resolve: ({ position }) => positionIn(position),
    }),
    lineCode: t.string({
      nullable: true,
      description:
        'Name of the line that it is on: the SHA-1 of the path, and the number of the line on both sides. Null if it is on no line.',
      select: { position: true },
      resolve: ({ position }) => {
        const place = positionIn(position);
        return place && lineCode(place);
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the note was drafted.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the draft was last changed.' }),
  }),
});

const DraftNoteConnection = connectionOf('DraftNote', DraftNote);

builder.prismaObjectFields(MergeRequest, (t) => ({
  draftNotes: t.field({
    type: DraftNoteConnection,
    description: 'The notes that the caller has drafted and not published, oldest first.',
    args: { ...pageArgs, ...draftNoteFilter, ...draftNoteOrder('ID', 'asc') },
    resolve: ({ id }, args, context, info) => pageBelow('DraftNote', id, args, context, info, listDraftNotes),
  }),
  draftNote: t.field({
    type: DraftNote,
    nullable: true,
    description: 'One of the `draftNotes` by its ID. For signed-in callers.',
    args: {
      id: t.arg({ ...idOf('DraftNote'), required: true, description: 'Global or numeric ID of the draft note.' }),
    },
    resolve: ({ id: mergeRequestId }, { id }, context, info) =>
      findDraftNote(context, mergeRequestId, id, selectionAt(info, 'DraftNote')),
  }),
}));
