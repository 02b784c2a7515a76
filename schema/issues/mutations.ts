import { builder } from '#schema/builder.ts';
import { deprecated } from '#schema/deprecated.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { IssueLinkType } from '#schema/issue_links/types.ts';
import { IssueSeverity, IssueType } from '#schema/issues/record.ts';
import { Issue } from '#schema/issues/types.ts';
import { changed, deleted, mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { databaseIdOf, idOf, idsOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { createIssueFollowingUp } from '#src/domain/tracking/discussions/follow_up.ts';
import { deleteIssue } from '#src/domain/tracking/issues/delete.ts';
import type { IssueSeverity as StoredSeverity } from '#src/domain/tracking/issues/filter.ts';
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
    ...deprecated('Leave out what is refused: this is for the REST API.', '0.3.0', '0.5.0'),
    defaultValue: false,
    description:
      'Whether to silently ignore values that the caller cannot set, assignees who cannot read the project, and milestones of other projects, as the REST API does. By default they are refused.',
  }),
});

const NewIssueLink = builder.inputType('NewIssueLinkInput', {
  description: 'A link of an issue with another one.',
  fields: (t) => ({
    issueId: t.field({ ...idOf('Issue'), required: true, description: 'Global or numeric ID of the other issue.' }),
    linkType: linkTypeField(t),
  }),
});

/** What the issue of an input is to those that it is linked with. */
export function linkTypeField(t: InputFields) {
  return t.field({
    type: IssueLinkType,
    required: true,
    defaultValue: 'relates_to',
    description: 'What the issue is to the other one.',
  });
}

/** What an issue has to do with others of its own place. */
const relations = (t: InputFields) => ({
  addChildIds: t.field({
    ...idsOf('Issue'),
    description:
      'IDs of tasks that become parts of the issue, beside those that it has, in the same tree of groups; at most 20. For reporters of all their projects.',
  }),
  afterId: t.field({
    ...idOf('Issue'),
    description:
      'ID of the issue of the project that comes right before it in the order `RELATIVE_POSITION`. For reporters.',
  }),
  beforeId: t.field({
    ...idOf('Issue'),
    description:
      'ID of the issue of the project that comes right after it in the order `RELATIVE_POSITION`. For reporters.',
  }),
});

/** The severity as it is stored. */
function severityOf({ severity }: { severity?: string | null | undefined }) {
  return { severity: severity == null ? null : (severity.toLowerCase() as StoredSeverity) };
}

export const issuePayload: Payload<ChangedRecord> = changed('issue', Issue, 'Issue', changedIssue);

mutation('createIssue', {
  description: 'Opens an issue. For signed-in users who can see the project’s issues.',
  input: {
    description: 'A new issue of a project.',
    argument: 'Project, title and more of the issue.',
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
      type: t.field({
        type: IssueType,
        description: 'Kind of the issue; an issue like any other when left out. Incidents are for reporters.',
      }),
      severity: t.field({
        type: IssueSeverity,
        description: 'How severe the incident is; kept while the issue is none. For reporters.',
      }),
      parentId: t.field({
        ...idOf('Issue'),
        description:
          'ID of the issue or incident that the task is a part of, in the same tree of groups. For reporters of both projects.',
      }),
      ...relations(t),
      links: t.field({
        type: [NewIssueLink],
        description: 'Other issues to link it with; at most 20. For reporters of all their projects.',
      }),
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
  },
  resolve: ({ discussionToResolve: thread, ...input }, context) => {
    // Clients of typed languages send optional texts empty.
    const discussionToResolve = !thread?.trim() ? null : databaseIdOf('Discussion', thread, 'discussionToResolve');
    return createIssueFollowingUp(context, { ...input, ...severityOf(input), discussionToResolve });
  },
  payload: issuePayload,
});

mutation('updateIssue', {
  description: 'Changes, closes or reopens an issue. For its author, its assignees and reporters of the project.',
  input: {
    description: 'Changes to an issue: what is left out stays as it is, null clears.',
    argument: 'Names the issue, and the changes.',
    fields: (t) => ({
      ...which(t),
      title: t.string({ description: 'Title of the issue; at most 255 characters.' }),
      ...values(t, 'Titles of all its labels from now on.'),
      confidential: t.boolean({ description: CONFIDENTIAL }),
      type: t.field({
        type: IssueType,
        description:
          'Kind of the issue. A task with a parent stays one, and an issue with tasks cannot become one. For reporters.',
      }),
      severity: t.field({
        type: IssueSeverity,
        description: 'How severe the incident is; kept while the issue is none. For reporters.',
      }),
      parentId: t.field({
        ...idOf('Issue'),
        description:
          'ID of the issue or incident that the task is a part of, in the same tree of groups; null for none. For reporters of both projects.',
      }),
      ...relations(t),
      stateEvent: t.field({ type: IssueStateEvent, description: 'Whether to close or reopen the issue.' }),
      updatedAt: t.field({
        type: 'DateTime',
        description:
          'When the issue last changed; now when left out. For administrators and the owner of the personal namespace.',
      }),
    }),
  },
  resolve: ({ project, iid, ...changes }, context) =>
    updateIssue(context, project, iid, { ...changes, ...severityOf(changes) }),
  payload: toldChanged(issuePayload),
});

mutation('deleteIssue', {
  description: 'Deletes an issue. For administrators and owners of the project.',
  input: { description: 'Which issue to delete.', argument: 'Names the issue to delete.', fields: which },
  resolve: ({ project, iid }, context) => deleteIssue(context, project, iid),
  payload: { ...deleted('Issue', 'issue'), from: fromProject },
});

mutation('moveIssue', {
  description: 'Moves an issue to another project and returns the new issue. For reporters of both projects.',
  input: {
    description: 'Which issue to move, and where to.',
    argument: 'Names the issue and the other project.',
    fields: (t) => ({ ...which(t), to: projectField(t, 'that gets the issue') }),
  },
  resolve: ({ project, iid, to }, context) => moveIssue(context, project, iid, to),
  payload: issuePayload,
});

mutation('reorderIssue', {
  description:
    'Places an issue after, before or between others of its project, in the order `RELATIVE_POSITION` of lists. For reporters.',
  input: {
    description: 'Which issue to place, and between which others of its project.',
    argument: 'Names the issue and one or two others.',
    fields: (t) => ({
      ...which(t),
      afterId: t.field({ ...idOf('Issue'), description: 'ID of the issue that comes right before it.' }),
      beforeId: t.field({ ...idOf('Issue'), description: 'ID of the issue that comes right after it.' }),
    }),
  },
  resolve: ({ project, iid, afterId, beforeId }, context) =>
    reorderIssue(context, project, iid, { after: afterId, before: beforeId }),
  payload: issuePayload,
});

mutation('subscribeToIssue', {
  description: 'Subscribes to an issue. `changed` is false if the caller already is.',
  input: { description: 'Which issue to subscribe to.', argument: 'Names the issue to subscribe to.', fields: which },
  resolve: ({ project, iid }, context) => subscribeToIssue(context, project, iid, true),
  payload: toldChanged(issuePayload),
});

mutation('unsubscribeFromIssue', {
  description: 'Unsubscribes from an issue. `changed` is false if the caller is not subscribed.',
  input: {
    description: 'Which issue to unsubscribe from.',
    argument: 'Names the issue to unsubscribe from.',
    fields: which,
  },
  resolve: ({ project, iid }, context) => subscribeToIssue(context, project, iid, false),
  payload: toldChanged(issuePayload),
});
