import { builder } from '#schema/builder.ts';
import { MergeRequestStateEvent } from '#schema/merge_requests/mutations.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { mutation } from '#schema/mutation.ts';
import { idsOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { changesAlike, UNCHANGED, WHY } from '#schema/subjects/many.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';
import { updateMergeRequests } from '#src/domain/tracking/merge_requests/update_many.ts';
import type { Unchanged } from '#src/domain/tracking/subjects/change_each.ts';

const UnchangedMergeRequest = builder.objectRef<Unchanged>('UnchangedMergeRequest').implement({
  description: 'A merge request that stays as it is.',
  fields: (t) => ({
    mergeRequest: t.field({
      type: MergeRequest,
      nullable: true,
      description: 'The merge request; null if the caller cannot see it.',
      resolve: async ({ id }, _args, context, info) => {
        const projectOf = (project: number) => context.loaders.project.load(project);
        return (await findMergeRequestsByIds(context, [id], selectionAt(info, 'MergeRequest'), projectOf))[0] ?? null;
      },
    }),
    message: t.exposeString('message', { description: WHY }),
  }),
});

mutation('updateMergeRequests', {
  description:
    'Changes, closes or reopens several merge requests alike, each if the caller may: for its author, its assignees and developers of its target project.',
  input: {
    description: 'Which merge requests to change, and how: what is left out stays as it is.',
    argument: 'Names the merge requests, and the changes.',
    fields: (t) => ({
      ids: t.field({
        ...idsOf('MergeRequest'),
        required: true,
        description: 'Global or numeric IDs of the merge requests, of any projects; at most 100.',
      }),
      ...changesAlike(t, 'merge requests'),
      stateEvent: t.field({
        type: MergeRequestStateEvent,
        description: 'Whether to close or reopen the merge requests.',
      }),
    }),
  },
  resolve: ({ ids, ...changes }, context) => updateMergeRequests(context, ids, changes),
  payload: {
    description: 'Which merge requests were changed, and which were not.',
    fields: (t) => ({
      mergeRequests: t.field({
        type: [MergeRequest],
        description: 'Those that were changed, as they are now.',
        resolve: ({ changed }, _args, context, info) => {
          const projectOf = (project: number) => context.loaders.project.load(project);
          return findMergeRequestsByIds(context, changed, selectionAt(info, 'MergeRequest'), projectOf);
        },
      }),
      unchanged: t.field({
        type: [UnchangedMergeRequest],
        description: UNCHANGED,
        resolve: ({ unchanged }) => unchanged,
      }),
    }),
  },
});
