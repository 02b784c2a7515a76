import { builder } from '#schema/builder.ts';
import { deprecated } from '#schema/deprecated.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { changed, deleted, mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { createMergeRequest } from '#src/domain/tracking/merge_requests/create.ts';
import { deleteMergeRequest } from '#src/domain/tracking/merge_requests/delete.ts';
import { changedMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { subscribeToMergeRequest } from '#src/domain/tracking/merge_requests/subscribe.ts';
import { updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';

export const MergeRequestStateEvent = builder.enumType('MergeRequestStateEvent', {
  description: 'How the state of a merge request changes. One that is merged stays as it is.',
  values: {
    CLOSE: { value: 'close', description: 'Closes the merge request without merging it.' },
    REOPEN: { value: 'reopen', description: 'Opens the merge request again.' },
  } as const,
});

/** The merge request that an input concerns. */
export const whichMergeRequest = (t: InputFields) => ({
  project: projectField(t, 'that the merge request is in: the target project'),
  iid: t.int({ required: true, description: 'Number of the merge request within its project, as in its URL.' }),
});

/** The fields of a merge request besides title and branches; `labels` describes the list of titles. */
const values = (t: InputFields, labels: string) => ({
  description: t.string({ description: 'Text of the merge request, in Markdown.' }),
  assigneeId: t.field({
    ...idOf('User'),
    description: 'ID of the user to assign the merge request to, who must be able to read the project. For reporters.',
  }),
  assigneeIds: t.field({
    ...idsOf('User'),
    description:
      'IDs of the users to assign the merge request to, at most 200, who must be able to read it; an empty list, or 0, for nobody. Wins over `assigneeId`. For reporters.',
  }),
  assigneeUsernames: t.stringList({
    description:
      'Usernames of the users to assign the merge request to, at most 200, who must be able to read it; an empty list for nobody. Wins over `assigneeId`, but not over `assigneeIds`. For reporters.',
  }),
  reviewerIds: t.field({
    ...idsOf('User'),
    description:
      'IDs of the users to ask for a review, at most 200, who must be able to read it; an empty list, or 0, for nobody. For reporters.',
  }),
  reviewerUsernames: t.stringList({
    description:
      'Usernames of the users to ask for a review, at most 200, who must be able to read it; an empty list for nobody. Not beside `reviewerIds`, which win. For reporters.',
  }),
  milestoneId: t.field({
    ...idOf('Milestone'),
    description: 'ID of a milestone of the target project. For reporters.',
  }),
  milestone: t.string({
    description:
      'Title of a milestone of the project or of a group around it, where no `milestoneId` is given; an empty text for none. For reporters.',
  }),
  labels: t.stringList({ description: `${labels} Missing labels are created. For reporters.` }),
  addLabels: t.stringList({
    description: 'Titles of labels to add to the others. Missing labels are created. For reporters.',
  }),
  removeLabels: t.stringList({
    description: 'Titles of labels to remove, or not to add. Wins over `labels` and `addLabels`. For reporters.',
  }),
  draft: t.boolean({
    description: 'Whether the title marks a draft: true puts `Draft:` in front of it, false removes the mark.',
  }),
  removeSourceBranch: t.boolean({ description: 'Whether to remove the source branch when it was merged.' }),
  squash: t.boolean({ description: 'Whether its commits become one when it is merged; not by default.' }),
  allowCollaboration: t.boolean({
    description:
      'Whether those who may merge it may push to the source branch, unless that is protected. Only for merge requests from forks, and for developers of the fork.',
  }),
  ignoreForbidden: t.boolean({
    required: true,
    ...deprecated('Leave out what is refused: this is for the REST API.', '0.3.0', '0.5.0'),
    defaultValue: false,
    description:
      'Whether to silently ignore values that the caller cannot set, assignees who cannot read the project, and milestones of other projects, as the REST API does. By default they are refused.',
  }),
});

/** The payload of a mutation that changes a merge request. */

export const mergeRequestPayload: Payload<ChangedRecord> = changed(
  'mergeRequest',
  MergeRequest,
  'MergeRequest',
  changedMergeRequest,
);

mutation('createMergeRequest', {
  description:
    'Opens a merge request. For developers of the project that the changes come from, who can read the target project. CONFLICT if one is open for the same branches.',
  input: {
    description: 'A new merge request.',
    argument: 'Branches, title and more of the merge request.',
    fields: (t) => ({
      project: projectField(t, 'that the changes come from'),
      sourceBranch: t.string({ required: true, description: 'Name of the branch to merge.' }),
      targetProject: t.field({
        type: 'ProjectRef',
        description:
          'The project that gets the changes: the source project itself, as by default, or the one that it is a fork of. Given by full path, global ID or numeric ID.',
      }),
      targetBranch: t.string({ required: true, description: 'Name of the branch to merge into.' }),
      title: t.string({
        required: true,
        description: 'Title of the merge request; at most 255 characters. `Draft:` in front marks a draft.',
      }),
      ...values(t, 'Titles of its labels.'),
    }),
  },
  resolve: (input, context) => createMergeRequest(context, input),
  payload: mergeRequestPayload,
});

mutation('updateMergeRequest', {
  description:
    'Changes, closes or reopens a merge request. For its author, its assignees and developers of the target project. CONFLICT if another one is open for the same branches.',
  input: {
    description: 'Changes to a merge request: what is left out stays as it is, null clears.',
    argument: 'Names the merge request, and the changes.',
    fields: (t) => ({
      ...whichMergeRequest(t),
      title: t.string({
        description: 'Title of the merge request; at most 255 characters. `Draft:` in front marks a draft.',
      }),
      targetBranch: t.string({ description: 'Name of another branch to merge into. Not for merged ones.' }),
      ...values(t, 'Titles of all its labels from now on.'),
      discussionLocked: t.boolean({
        description: 'Whether only members of the project can comment. For developers of the target project.',
      }),
      stateEvent: t.field({
        type: MergeRequestStateEvent,
        description: 'Whether to close or reopen the merge request.',
      }),
    }),
  },
  resolve: ({ project, iid, ...changes }, context) => updateMergeRequest(context, project, iid, changes),
  payload: toldChanged(mergeRequestPayload),
});

mutation('deleteMergeRequest', {
  description: 'Deletes a merge request. For administrators and owners of the target project.',
  input: {
    description: 'Which merge request to delete.',
    argument: 'Names the merge request to delete.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => deleteMergeRequest(context, project, iid),
  payload: { ...deleted('MergeRequest', 'merge request'), from: fromProject },
});

mutation('subscribeToMergeRequest', {
  description:
    'Subscribes to a merge request. For those who can change it. `changed` is false if the caller is subscribed already.',
  input: {
    description: 'Which merge request to subscribe to.',
    argument: 'Names the merge request to subscribe to.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => subscribeToMergeRequest(context, project, iid, true),
  payload: toldChanged(mergeRequestPayload),
});

mutation('unsubscribeFromMergeRequest', {
  description:
    'Unsubscribes from a merge request. For those who can change it. `changed` is false if the caller is not subscribed.',
  input: {
    description: 'Which merge request to unsubscribe from.',
    argument: 'Names the merge request to unsubscribe from.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => subscribeToMergeRequest(context, project, iid, false),
  payload: toldChanged(mergeRequestPayload),
});
