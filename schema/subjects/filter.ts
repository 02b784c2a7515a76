import { builder } from '#schema/builder.ts';
import type { InputFields } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';

const SubjectScope = builder.enumType('SubjectScope', {
  description: 'The caller’s part in the issues or merge requests of a list.',
  values: {
    CREATED_BY_ME: { value: 'created_by_me', description: 'Only those that the caller opened.' },
    ASSIGNED_TO_ME: { value: 'assigned_to_me', description: 'Only those that are assigned to the caller.' },
    ALL: { value: 'all', description: 'Those of everybody.' },
  } as const,
});

const SearchedText = builder.enumType('SearchedText', {
  description: 'The texts of an issue or merge request that can be searched.',
  values: {
    TITLE: { value: 'title', description: 'The title of the issue or merge request.' },
    DESCRIPTION: { value: 'description', description: 'The description of the issue or merge request.' },
  } as const,
});

const SubjectExclusion = builder.inputType('SubjectExclusion', {
  description:
    'The issues or merge requests that a list leaves out: those that match at least one of the fields. Unknown names leave out nothing.',
  fields: (t) => ({
    ...exclusionFields(t),
    iids: t.intList({ description: 'Leaves out those with these numbers within their projects.' }),
  }),
});

/** What lists of issues and of merge requests leave out. */
export function exclusionFields(t: InputFields) {
  return {
    labels: t.stringList({
      description:
        'Leaves out those with any label of these titles; `None` stands for those without labels, `Any` for those with labels.',
    }),
    milestone: t.string({
      description:
        'Leaves out those of the milestone with this title; also `None` or `No Milestone`, `Any`, `#upcoming`, `#started`.',
    }),
    authorId: t.field({ ...idOf('User'), description: 'Leaves out those that this user opened.' }),
    authorUsername: t.string({ description: 'Leaves out those that the user with this username opened, in any case.' }),
    assigneeId: t.field({ type: 'UserMatch', description: 'Leaves out those that are assigned to this user.' }),
    assigneeUsername: t.string({
      description: 'Leaves out those that are assigned to the user with this username, in any case.',
    }),
    myReactionEmoji: t.string({
      description: 'Leaves out those that the caller reacted to with this emoji; also `None`, `Any`.',
    }),
  };
}

/** The common filters of lists of issues and of merge requests; `which` follows "Only". */
export function subjectFilterFields(t: InputFields, which: 'issues' | 'merge requests') {
  return {
    scope: t.field({ type: SubjectScope, description: `Only ${which} in which the caller has this part.` }),
    iids: t.intList({ description: `Only ${which} with these numbers within their projects.` }),
    labels: t.stringList({
      description: `Only ${which} with all labels of these titles; \`None\` or \`No Label\` for those without labels, \`Any\` for those with labels.`,
    }),
    milestone: t.string({
      description: `Only ${which} of the milestone with this title; also \`None\` or \`No Milestone\`, \`Any\`, \`#upcoming\`, \`#started\`.`,
    }),
    authorId: t.field({ ...idOf('User'), description: `Only ${which} that this user opened.` }),
    authorUsername: t.string({ description: `Only ${which} that the user with this username opened, in any case.` }),
    assigneeId: t.field({ type: 'UserMatch', description: `Only ${which} that are assigned to this user.` }),
    assigneeUsername: t.string({
      description: `Only ${which} that are assigned to the user with this username, in any case.`,
    }),
    myReactionEmoji: t.string({
      description: `Only ${which} that the caller reacted to with this emoji, such as \`thumbsup\`; also \`None\`, \`Any\`.`,
    }),
    createdAfter: t.field({ type: 'DateTime', description: `Only ${which} opened at this time or later.` }),
    createdBefore: t.field({ type: 'DateTime', description: `Only ${which} opened at this time or earlier.` }),
    updatedAfter: t.field({ type: 'DateTime', description: `Only ${which} last changed at this time or later.` }),
    updatedBefore: t.field({ type: 'DateTime', description: `Only ${which} last changed at this time or earlier.` }),
    search: t.string({ description: `Only ${which} with this text in title or description.` }),
    in: t.field({
      type: [SearchedText],
      description: 'Where `search` looks for the text; in title and description when left out.',
    }),
    not: t.field({ type: SubjectExclusion, description: `The ${which} that the list leaves out.` }),
  };
}

/** The orders by what other tables have, with descriptions of the values of their enums. */
export const keyedOrders = (which: 'issues' | 'merge requests') =>
  ({
    CLOSED_AT: {
      value: 'closed_at',
      description: `By the time when they were closed last; ${which} that are not closed are last in either direction.`,
    },
    LABEL_PRIORITY: {
      value: 'label_priority',
      description: `By the priority of their most important label, the lowest number first; ${which} without a label that has a priority are last in either direction.`,
    },
    MILESTONE_DUE: {
      value: 'milestone_due',
      description: `By the due date of their milestone; ${which} without one are last in either direction.`,
    },
    POPULARITY: { value: 'popularity', description: 'By the number of thumbs-up reactions.' },
    PRIORITY: {
      value: 'priority',
      description: `By the due date of their milestone, then by the priority of their most important label; ${which} without one are last in either direction.`,
    },
  }) as const;
