import { builder } from '#schema/builder.ts';
import { IssueStateEvent } from '#schema/issues/mutations.ts';
import { Issue } from '#schema/issues/types.ts';
import { mutation } from '#schema/mutation.ts';
import { idsOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { changesAlike, UNCHANGED, WHY } from '#schema/subjects/many.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import { updateIssues } from '#src/domain/tracking/issues/update_many.ts';
import type { Unchanged } from '#src/domain/tracking/subjects/change_each.ts';

const UnchangedIssue = builder.objectRef<Unchanged>('UnchangedIssue').implement({
  description: 'An issue that stays as it is.',
  fields: (t) => ({
    issue: t.field({
      type: Issue,
      nullable: true,
      description: 'The issue; null if the caller cannot see it.',
      resolve: async ({ id }, _args, context, info) => {
        const projectOf = (project: number) => context.loaders.project.load(project);
        return (await findIssuesByIds(context, [id], selectionAt(info, 'Issue'), projectOf))[0] ?? null;
      },
    }),
    message: t.exposeString('message', { description: WHY }),
  }),
});

mutation('updateIssues', {
  description:
    'Changes, closes or reopens several issues alike, each if the caller may: for its author, its assignees and reporters of its project.',
  input: {
    description: 'Which issues to change, and how: what is left out stays as it is.',
    argument: 'Names the issues, and the changes.',
    fields: (t) => ({
      ids: t.field({
        ...idsOf('Issue'),
        required: true,
        description: 'Global or numeric IDs of the issues, of any projects; at most 100.',
      }),
      ...changesAlike(t, 'issues'),
      stateEvent: t.field({ type: IssueStateEvent, description: 'Whether to close or reopen the issues.' }),
    }),
  },
  resolve: ({ ids, ...changes }, context) => updateIssues(context, ids, changes),
  payload: {
    description: 'Which issues were changed, and which were not.',
    fields: (t) => ({
      issues: t.field({
        type: [Issue],
        description: 'Those that were changed, as they are now.',
        resolve: ({ changed }, _args, context, info) => {
          const projectOf = (project: number) => context.loaders.project.load(project);
          return findIssuesByIds(context, changed, selectionAt(info, 'Issue'), projectOf);
        },
      }),
      unchanged: t.field({
        type: [UnchangedIssue],
        description: UNCHANGED,
        resolve: ({ unchanged }) => unchanged,
      }),
    }),
  },
});
