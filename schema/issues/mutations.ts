import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { Issue } from '#schema/issues/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { databaseIdOf, idOf, idsOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { createIssueFollowingUp } from '#src/domain/tracking/discussions/follow_up.ts';
import { deleteIssue } from '#src/domain/tracking/issues/delete.ts';
import { changedIssue } from '#src/domain/tracking/issues/find.ts';
import { moveIssue } from '#src/domain/tracking/issues/move.ts';
import { reorderIssue } from '#src/domain/tracking/issues/reorder.ts';
import { subscribeToIssue } from '#src/domain/tracking/issues/subscribe.ts';
import { updateIssue } from '#src/domain/tracking/issues/update.ts';

export const IssueStateEvent = builder.enumType('IssueStateEvent', {
  description: 'How the state of an issue changes.',
  values: {
    CLOSE: { value: 'close', description: 'Closes the issue.' },
    REOPEN: { value: 'reopen', description: 'Opens the issue again.' },
  } as const,
});

/** The issue that an input concerns. */
export const which = (t: InputFields) => ({
  project: projectField(t, 'of the issue'),
  iid: t.int({ required: true, description: 'Number of the issue within its project, as in its URL.' }),
});

const CONFIDENTIAL = 'Whether only the author, the assignees and the project’s reporters can see the issue.';

/** The fields of an issue besides its title; `labels` describes the list of titles. */
const values = (t: InputFields, labels: string) => ({
  description: t.string({ description: 'Text of the issue, in Markdown.' }),
  assigneeId: t.field({
    ...idOf('User'),
    description: 'ID of the user to assign the issue to, who must be able to read the project. For reporters.',
  }),
  assigneeIds: t.field({
    ...idsOf('User'),
    description:
      'IDs of the users to assign the issue to, at most 200, who must be able to read it; an empty list, or 0, for nobody. Wins over `assigneeId`. For reporters.',
  }),
  assigneeUsernames: t.stringList({
    description:
      'Usernames of the users to assign the issue to, at most 200, who must be able to read it; an empty list for nobody. Wins over `assigneeId`, but not over `assigneeIds`. For reporters.',
  }),
  milestoneId: t.field({ ...idOf('Milestone'), description: 'ID of a milestone of the project. For reporters.' }),
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
  dueDate: t.field({ type: 'Date', description: 'Due date of the issue. For reporters.' }),
  discussionLocked: t.boolean({
    description: 'Whether only members of the project can comment. For reporters.',
  }),
  ignoreForbidden: t.boolean({
    required: true,
    defaultValue: false,
    description:
      'Whether to silently ignore values that the caller cannot set, assignees who cannot read the project, and milestones of other projects, as the REST API does. By default they are refused.',
  }),
});

const CreateIssueInput = builder.inputType('CreateIssueInput', {
  description: 'A new issue of a project.',
  fields: (t) => ({
    project: projectField(t, 'of the issue'),
    title: t.string({
      description:
        'Title of the issue; at most 255 characters. Required unless the issue follows up on the threads of a merge request.',
    }),
    ...values(t, 'Titles of its labels.'),
    mergeRequestToResolveDiscussionsOf: t.int({
      description:
        'Number of a merge request of the project whose open threads the issue follows up on: they are resolved, and title and description name them by default. For those who can resolve threads.',
    }),
    discussionToResolve: t.string({
      description:
        'Global or numeric ID of the one thread to follow up on, beside `mergeRequestToResolveDiscussionsOf`; all that are not resolved when left out.',
    }),
    confidential: t.boolean({ required: true, defaultValue: false, description: CONFIDENTIAL }),
    createdAt: t.field({
      type: 'DateTime',
      description:
        'When the issue was opened; now when left out. For administrators and the owner of the personal namespace.',
    }),
    iid: t.int({
      description:
        'Number of the issue, which no other issue of the project has; the next one when left out. For administrators and owners of the project.',
    }),
  }),
});

const UpdateIssueInput = builder.inputType('UpdateIssueInput', {
  description: 'Changes to an issue: what is left out stays as it is, null clears.',
  fields: (t) => ({
    ...which(t),
    title: t.string({ description: 'Title of the issue; at most 255 characters.' }),
    ...values(t, 'Titles of all its labels from now on.'),
    confidential: t.boolean({ description: CONFIDENTIAL }),
    stateEvent: t.field({ type: IssueStateEvent, description: 'Whether to close or reopen the issue.' }),
    updatedAt: t.field({
      type: 'DateTime',
      description:
        'When the issue last changed; now when left out. For administrators and the owner of the personal namespace.',
    }),
  }),
});

const DeleteIssueInput = builder.inputType('DeleteIssueInput', {
  description: 'Which issue to delete.',
  fields: which,
});

const SubscribeToIssueInput = builder.inputType('SubscribeToIssueInput', {
  description: 'Which issue to subscribe to.',
  fields: which,
});

const UnsubscribeFromIssueInput = builder.inputType('UnsubscribeFromIssueInput', {
  description: 'Which issue to unsubscribe from.',
  fields: which,
});

const MoveIssueInput = builder.inputType('MoveIssueInput', {
  description: 'Which issue to move, and where to.',
  fields: (t) => ({ ...which(t), to: projectField(t, 'that gets the issue') }),
});

const ReorderIssueInput = builder.inputType('ReorderIssueInput', {
  description: 'Which issue to place, and between which others of its project.',
  fields: (t) => ({
    ...which(t),
    afterId: t.field({ ...idOf('Issue'), description: 'ID of the issue that comes right before it.' }),
    beforeId: t.field({ ...idOf('Issue'), description: 'ID of the issue that comes right after it.' }),
  }),
});

export function issuePayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The issue after the mutation.',
    fields: (t) => ({
      issue: t.field({
        type: Issue,
        description: 'The issue as it is now.',
        resolve: (changed, _args, context, info) => changedIssue(context, changed, selectionAt(info, 'Issue')),
      }),
    }),
  });
}

const DeleteIssuePayload = builder.objectRef<{ id: number }>('DeleteIssuePayload').implement({
  description: 'The issue that was deleted.',
  fields: (t) => ({
    deletedIssueId: t.id({
      description: 'Global ID of the issue that was deleted.',
      resolve: ({ id }) => toGlobalId('Issue', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createIssue: t.field({
    type: issuePayload('createIssue'),
    description: 'Opens an issue. For signed-in users who can see the project’s issues.',
    args: {
      input: t.arg({ type: CreateIssueInput, required: true, description: 'Project, title and more of the issue.' }),
    },
    resolve: (_root, { input: { discussionToResolve: thread, ...input } }, context) => {
      const discussionToResolve = thread == null ? null : databaseIdOf('Discussion', thread, 'discussionToResolve');
      return createIssueFollowingUp(context, { ...input, discussionToResolve });
    },
  }),
  updateIssue: t.field({
    type: issuePayload('updateIssue'),
    description: 'Changes, closes or reopens an issue. For its author, its assignees and reporters of the project.',
    args: {
      input: t.arg({ type: UpdateIssueInput, required: true, description: 'Names the issue, and the changes.' }),
    },
    resolve: (_root, { input: { project, iid, ...changes } }, context) => updateIssue(context, project, iid, changes),
  }),
  deleteIssue: t.field({
    type: DeleteIssuePayload,
    description: 'Deletes an issue. For administrators and owners of the project.',
    args: { input: t.arg({ type: DeleteIssueInput, required: true, description: 'Names the issue to delete.' }) },
    resolve: (_root, { input: { project, iid } }, context) => deleteIssue(context, project, iid),
  }),
  moveIssue: t.field({
    type: issuePayload('moveIssue'),
    description: 'Moves an issue to another project and returns the new issue. For reporters of both projects.',
    args: {
      input: t.arg({ type: MoveIssueInput, required: true, description: 'Names the issue and the other project.' }),
    },
    resolve: (_root, { input: { project, iid, to } }, context) => moveIssue(context, project, iid, to),
  }),
  reorderIssue: t.field({
    type: issuePayload('reorderIssue'),
    description:
      'Places an issue after, before or between others of its project, in the order `RELATIVE_POSITION` of lists. For reporters.',
    args: {
      input: t.arg({ type: ReorderIssueInput, required: true, description: 'Names the issue and one or two others.' }),
    },
    resolve: (_root, { input: { project, iid, afterId, beforeId } }, context) =>
      reorderIssue(context, project, iid, { after: afterId, before: beforeId }),
  }),
  subscribeToIssue: t.field({
    type: issuePayload('subscribeToIssue'),
    description: 'Subscribes to an issue. NOT_MODIFIED if the caller already is.',
    args: {
      input: t.arg({ type: SubscribeToIssueInput, required: true, description: 'Names the issue to subscribe to.' }),
    },
    resolve: (_root, { input: { project, iid } }, context) => subscribeToIssue(context, project, iid, true),
  }),
  unsubscribeFromIssue: t.field({
    type: issuePayload('unsubscribeFromIssue'),
    description: 'Unsubscribes from an issue. NOT_MODIFIED if the caller is not subscribed.',
    args: {
      input: t.arg({
        type: UnsubscribeFromIssueInput,
        required: true,
        description: 'Names the issue to unsubscribe from.',
      }),
    },
    resolve: (_root, { input: { project, iid } }, context) => subscribeToIssue(context, project, iid, false),
  }),
}));
