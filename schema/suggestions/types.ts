import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { Note } from '#schema/notes/types.ts';
import { applySuggestions } from '#src/domain/tracking/suggestions/apply.ts';
import { findSuggestions, isAppliable, suggestedSpan } from '#src/domain/tracking/suggestions/find.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { SuggestionFacts } from '#src/platform/records/computed_types.ts';

const Suggestion = builder.objectRef<SuggestionFacts>('Suggestion').implement({
  description:
    'A change of lines that a note on a merge request suggests, in a fenced block with the info string `suggestion`, or `suggestion:-2+1` for two lines above that of the thread and one below.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the suggestion, for the mutations that apply it.',
      resolve: ({ id }) => toGlobalId('Suggestion', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the suggestion.' }),
    fromLine: t.int({
      description: 'Number of the first line that it replaces, in the latest version of the file, from 1.',
      resolve: (suggestion) => suggestedSpan(suggestion).from,
    }),
    toLine: t.int({
      description: 'Number of the last line that it replaces.',
      resolve: (suggestion) => suggestedSpan(suggestion).to,
    }),
    fromContent: t.exposeString('fromContent', { description: 'The lines that it replaces, as they were then.' }),
    toContent: t.exposeString('toContent', { description: 'The lines in their place; empty to remove them.' }),
    appliable: t.boolean({
      description:
        'Whether it can be applied: it was not, the merge request is open, and its lines are what they were. It follows a new version within moments.',
      resolve: isAppliable,
    }),
    viewerCanApply: t.boolean({
      description:
        'Whether it can be applied, as `appliable` says, and the caller can push to the source branch of the merge request.',
      resolve: async (suggestion, _args, { loaders }) => {
        const { sourceProjectId, sourceBranch } = suggestion;
        const source =
          sourceProjectId === null || !isAppliable(suggestion) ? null : await loaders.project.load(sourceProjectId);
        return source !== null && (await loaders.sourcePushable.load(source))(sourceBranch);
      },
    }),
    applied: t.boolean({
      description: 'Whether it was applied.',
      resolve: ({ commitSha }) => commitSha !== null,
    }),
    commitSha: t.exposeString('commitSha', {
      nullable: true,
      description: 'Full hash of the commit that applied it; null before.',
    }),
    outdated: t.boolean({
      description: 'Whether its lines were changed or removed since, be it by itself.',
      resolve: ({ isOutdated }) => isOutdated,
    }),
  }),
});

builder.prismaObjectFields(Note, (t) => ({
  suggestions: t.field({
    type: [Suggestion],
    nullable: true,
    description:
      'The changes of lines that the note suggests, in the order of its text, at most 50; null unless it is on a line or file of a merge request.',
    select: { suggestionFacts: true },
    resolve: ({ suggestionFacts }) => suggestionFacts,
  }),
}));

const MESSAGE = 'Message of the commit, at most 65,536 characters; one that tells how many there are when left out.';

mutation('applySuggestion', {
  description:
    'Commits the lines that a note on a merge request suggests to its source branch, and resolves the thread. For those who may push there.',
  input: {
    description: 'Which suggestion to apply.',
    argument: 'Names the suggestion to apply.',
    fields: (t) => ({
      id: t.field({ ...idOf('Suggestion'), required: true, description: 'Global or numeric ID of the suggestion.' }),
      commitMessage: t.string({ description: MESSAGE }),
    }),
  },
  resolve: async ({ id, commitMessage }, context) => {
    await applySuggestions(context, [id], commitMessage);
    return { id };
  },
  payload: {
    description: 'The suggestion after the mutation.',
    fields: (t) => ({
      suggestion: t.field({
        type: Suggestion,
        description: 'The suggestion as it is now.',
        resolve: async ({ id }, _args, context) => {
          const [found] = await findSuggestions(context, [id]);
          if (!found) throw new NotFound('Suggestion');
          return found;
        },
      }),
    }),
  },
});

mutation('applySuggestions', {
  description:
    'Like `applySuggestion`, for several on one merge request, as one commit. They must not change the same lines.',
  input: {
    description: 'Which suggestions to apply.',
    argument: 'Names the suggestions to apply.',
    fields: (t) => ({
      ids: t.field({
        ...idsOf('Suggestion'),
        required: true,
        description: 'Global or numeric IDs of the suggestions, at most 100, all on one merge request.',
      }),
      commitMessage: t.string({ description: MESSAGE }),
    }),
  },
  resolve: async ({ ids, commitMessage }, context) => {
    await applySuggestions(context, ids, commitMessage);
    return { ids };
  },
  payload: {
    description: 'The suggestions after the mutation.',
    fields: (t) => ({
      suggestions: t.field({
        type: [Suggestion],
        description: 'The suggestions as they are now, in the given order.',
        resolve: ({ ids }, _args, context) => findSuggestions(context, ids),
      }),
    }),
  },
});
