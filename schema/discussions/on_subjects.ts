import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { pageArgs } from '#schema/connection.ts';
import { Discussion, DiscussionConnection } from '#schema/discussions/types.ts';
import { sortField } from '#schema/inputs.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { NoteActivity } from '#schema/notes/activity.ts';
import { Note } from '#schema/notes/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Snippet } from '#schema/snippets/types.ts';
import {
  findCommitDiscussion,
  findCommitNote,
  listCommitDiscussions,
} from '#src/domain/tracking/commits/discussions.ts';
import type { NoteableType } from '#src/domain/tracking/noteable.ts';
import { findDiscussion, listDiscussionsOn } from '#src/domain/tracking/notes/discussions.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';

const TYPES = { Issue, MergeRequest, Snippet } as const;
const NAMES = { Issue: 'issue', MergeRequest: 'merge request', Snippet: 'snippet' } as const;

const threadArgs = builder.args((t) => ({
  ...pageArgs,
  activity: t.field({
    type: NoteActivity,
    description: 'Only threads that people began, or only what the server noted; all by default.',
  }),
  sort: sortField(t, 'asc'),
}));

/** Adds threads to a type. */
function addDiscussions(type: NoteableType): void {
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => ({
    discussions: t.field({
      type: DiscussionConnection,
      description: `The threads on the ${NAMES[type]}, oldest first unless said otherwise; single notes and system notes are threads of one note.`,
      args: threadArgs,
      resolve: ({ id }, args, context, info) =>
        pageBelow('Note', id, args, context, info, (_context, ids, page, selection) =>
          listDiscussionsOn(context, type, ids, page, selection, args),
        ),
    }),
    discussion: t.field({
      type: Discussion,
      nullable: true,
      description: `A thread on the ${NAMES[type]} by its ID.`,
      args: {
        id: t.arg({ ...idOf('Discussion'), required: true, description: 'Global or numeric ID of the thread.' }),
      },
      resolve: (record, { id }, context, info) =>
        findDiscussion(context, { type, id: record.id }, id, selectionAt(info, 'Note')),
    }),
  }));
}

builder.objectFields(Commit, (t) => ({
  discussions: t.field({
    type: DiscussionConnection,
    description: 'The threads on the commit, oldest first; single comments are threads of one note.',
    args: pageArgs,
    resolve: (commit, args, context, info) => pageBelow('Note', commit, args, context, info, listCommitDiscussions),
  }),
  discussion: t.field({
    type: Discussion,
    nullable: true,
    description: 'A thread on the commit by its ID.',
    args: {
      id: t.arg({ ...idOf('CommitDiscussion'), required: true, description: 'Global or numeric ID of the thread.' }),
    },
    resolve: (commit, { id }, context, info) => findCommitDiscussion(context, commit, id, selectionAt(info, 'Note')),
  }),
  note: t.field({
    type: Note,
    nullable: true,
    description: 'A comment on the commit by its ID, in the form of a note.',
    args: {
      id: t.arg({ ...idOf('CommitComment'), required: true, description: 'Global or numeric ID of the comment.' }),
      discussionId: t.arg({ ...idOf('CommitDiscussion'), description: 'ID of the thread that it must be in.' }),
    },
    resolve: (commit, { id, discussionId }, context, info) =>
      findCommitNote(context, commit, id, selectionAt(info, 'Note'), discussionId),
  }),
}));

for (const type of Object.keys(TYPES) as NoteableType[]) addDiscussions(type);

builder.prismaObjectFields(MergeRequest, (t) => ({
  discussionsOnChanges: t.field({
    type: DiscussionConnection,
    description: 'Those of the threads that are on lines, files or images of the changes, oldest first.',
    args: pageArgs,
    select: { id: true },
    resolve: ({ id }, args, context, info) =>
      pageBelow('Note', id, args, context, info, (_context, ids, page, selection) =>
        listDiscussionsOn(context, 'MergeRequest', ids, page, selection, { onChanges: true }),
      ),
  }),
  resolvableDiscussionsCount: t.exposeInt('resolvableDiscussionsCount', {
    description: 'Number of threads that can be resolved, whether they are or not.',
  }),
  resolvedDiscussionsCount: t.exposeInt('resolvedDiscussionsCount', {
    description: 'Number of threads that are resolved.',
  }),
  mergeableDiscussionsState: t.exposeBoolean('mergeableDiscussionsState', {
    description:
      'Whether no thread keeps the merge request from being merged: all are resolved, or the project does not ask for that.',
  }),
}));
