import { builder } from '#schema/builder.ts';
import type { InputFields } from '#schema/inputs.ts';
import { exclusionFields } from '#schema/subjects/filter.ts';

const MergeRequestScope = builder.enumType('MergeRequestScope', {
  description: 'The caller’s part in the merge requests of a list.',
  values: {
    CREATED_BY_ME: { value: 'created_by_me', description: 'Only those that the caller opened.' },
    ASSIGNED_TO_ME: { value: 'assigned_to_me', description: 'Only those that are assigned to the caller.' },
    REVIEWS_FOR_ME: { value: 'reviews_for_me', description: 'Only those that the caller was asked to review.' },
    ALL: { value: 'all', description: 'Those of everybody.' },
  } as const,
});

const MergeRequestExclusion = builder.inputType('MergeRequestExclusion', {
  description:
    'The merge requests that a list leaves out: those that match at least one of the fields. Unknown names leave out nothing.',
  fields: (t) => ({
    ...exclusionFields(t),
    reviewerId: t.field({ type: 'UserMatch', description: 'Leaves out those that this user was asked to review.' }),
    reviewerUsername: t.string({
      description:
        'Leaves out those that the user with this username, in any case, was asked to review; also `None` and `Any`.',
    }),
  }),
});

/** The filters of merge requests by reviewers and approvals. */
export function peopleFilterFields(t: InputFields) {
  return {
    scope: t.field({
      type: MergeRequestScope,
      description: 'Only merge requests in which the caller has this part.',
    }),
    reviewerId: t.field({
      type: 'UserMatch',
      description: 'Only merge requests that this user was asked to review.',
    }),
    reviewerUsername: t.string({
      description:
        'Only merge requests that the user with this username, in any case, was asked to review; also `None` and `Any`.',
    }),
    approved: t.boolean({ description: 'Whether to list only merge requests that somebody approved, or only others.' }),
    not: t.field({ type: MergeRequestExclusion, description: 'The merge requests that the list leaves out.' }),
  };
}
