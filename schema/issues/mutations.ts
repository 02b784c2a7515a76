import { builder } from '#schema/builder.ts';
import { Issue } from '#schema/issues/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createIssue } from '#src/issues/create.ts';
import { deleteIssue } from '#src/issues/delete.ts';
import { changedIssue } from '#src/issues/find.ts';
import { moveIssue } from '#src/issues/move.ts';
import { subscribeToIssue } from '#src/issues/subscribe.ts';
import { updateIssue } from '#src/issues/update.ts';
import type { ChangedRecord } from '#src/projects/below.ts';

const IssueStateEvent = builder.enumType('IssueStateEvent', {
  description: 'What to do with an issue.',
  values: {
    CLOSE: { value: 'close', description: 'Close it.' },
    REOPEN: { value: 'reopen', description: 'Open it again.' },
  } as const,
});

const CreateIssueInput = builder.inputType('CreateIssueInput', {
  description: 'A new issue. What the caller may not set is left out silently, as in the REST API.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    title: t.string({ required: true, description: 'At most 255 characters.' }),
    description: t.string({ description: 'Markdown.' }),
    confidential: t.boolean({ description: 'Whether only author, assignee and reporters see it.' }),
    assigneeId: t.int({ description: 'Numeric ID of a user. Reporters may set it.' }),
    milestoneId: t.int({ description: 'Numeric ID of a milestone. Reporters may set it.' }),
    labels: t.stringList({ description: 'Label titles; missing ones are created. Reporters may set them.' }),
    dueDate: t.field({ type: 'Date', description: 'When it is to be done. Reporters may set it.' }),
    createdAt: t.field({ type: 'DateTime', description: 'For administrators and owners of the personal namespace.' }),
  }),
});

const UpdateIssueInput = builder.inputType('UpdateIssueInput', {
  description: 'Changes to an issue: unset means unchanged, null cleared.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    iid: t.int({ required: true, description: 'Number within the project.' }),
    title: t.string({ description: 'At most 255 characters.' }),
    description: t.string({ description: 'Markdown.' }),
    confidential: t.boolean({ description: 'Whether only author, assignee and reporters see it.' }),
    assigneeId: t.int({ description: 'Numeric ID of a user. Reporters may set it.' }),
    milestoneId: t.int({ description: 'Numeric ID of a milestone. Reporters may set it.' }),
    labels: t.stringList({ description: 'Its only label titles from now on. Reporters may set them.' }),
    stateEvent: t.field({ type: IssueStateEvent, description: 'Close or reopen it.' }),
    dueDate: t.field({ type: 'Date', description: 'When it is to be done. Reporters may set it.' }),
    updatedAt: t.field({ type: 'DateTime', description: 'For administrators and owners of the personal namespace.' }),
  }),
});

const IssueInput = builder.inputType('IssueInput', {
  description: 'Which issue.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    iid: t.int({ required: true, description: 'Number within the project.' }),
  }),
});

const MoveIssueInput = builder.inputType('MoveIssueInput', {
  description: 'Which issue to move, and where to.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    iid: t.int({ required: true, description: 'Number within the project.' }),
    to: t.field({ type: 'ProjectRef', required: true, description: 'The project to move it to.' }),
  }),
});

const IssuePayload = builder.objectRef<ChangedRecord>('IssuePayload').implement({
  description: 'The issue as it is now.',
  fields: (t) => ({
    issue: t.field({
      type: Issue,
      description: 'The issue.',
      resolve: (changed, _args, context, info) => changedIssue(context, changed, selectionAt(info, 'Issue')),
    }),
  }),
});

const DeleteIssuePayload = builder.objectRef<{ iid: number }>('DeleteIssuePayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({ iid: t.exposeInt('iid', { description: 'Number of the issue that is gone.' }) }),
});

builder.mutationFields((t) => ({
  createIssue: t.field({
    type: IssuePayload,
    description: 'Opens an issue.',
    args: { input: t.arg({ type: CreateIssueInput, required: true, description: 'The new issue.' }) },
    resolve: (_root, { input }, context) => createIssue(context, input),
  }),
  updateIssue: t.field({
    type: IssuePayload,
    description: 'Changes, closes or reopens an issue.',
    args: { input: t.arg({ type: UpdateIssueInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { project, iid, ...changes } }, context) => updateIssue(context, project, iid, changes),
  }),
  deleteIssue: t.field({
    type: DeleteIssuePayload,
    description: 'Deletes an issue. For administrators and owners of the project.',
    args: { input: t.arg({ type: IssueInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, iid } }, context) => {
      await deleteIssue(context, project, iid);
      return { iid };
    },
  }),
  moveIssue: t.field({
    type: IssuePayload,
    description: 'Moves an issue to another project; the answer is the issue there.',
    args: { input: t.arg({ type: MoveIssueInput, required: true, description: 'Which one, and where to.' }) },
    resolve: (_root, { input: { project, iid, to } }, context) => moveIssue(context, project, iid, to),
  }),
  subscribeToIssue: t.field({
    type: IssuePayload,
    description: 'Follows an issue. NOT_MODIFIED when the caller does already.',
    args: { input: t.arg({ type: IssueInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, iid } }, context) => subscribeToIssue(context, project, iid, true),
  }),
  unsubscribeFromIssue: t.field({
    type: IssuePayload,
    description: 'Stops following an issue. NOT_MODIFIED when the caller does not.',
    args: { input: t.arg({ type: IssueInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, iid } }, context) => subscribeToIssue(context, project, iid, false),
  }),
}));
