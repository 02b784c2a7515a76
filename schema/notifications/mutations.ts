import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import { groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { EVENT_WORDS, GlobalNotificationSetting, NotificationLevel } from '#schema/notifications/types.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import {
  globalNotificationSetting,
  updateGlobalNotifications,
  updateGroupNotifications,
  updateProjectNotifications,
} from '#src/domain/notifications/update.ts';

const changes = (t: InputFields) => ({
  level: t.field({ type: NotificationLevel, description: 'How much to get mail about.' }),
  newNote: t.boolean({ description: wanted('newNote') }),
  newIssue: t.boolean({ description: wanted('newIssue') }),
  reopenIssue: t.boolean({ description: wanted('reopenIssue') }),
  closeIssue: t.boolean({ description: wanted('closeIssue') }),
  reassignIssue: t.boolean({ description: wanted('reassignIssue') }),
  issueDue: t.boolean({ description: wanted('issueDue') }),
  newMergeRequest: t.boolean({ description: wanted('newMergeRequest') }),
  reopenMergeRequest: t.boolean({ description: wanted('reopenMergeRequest') }),
  closeMergeRequest: t.boolean({ description: wanted('closeMergeRequest') }),
  reassignMergeRequest: t.boolean({ description: wanted('reassignMergeRequest') }),
  mergeMergeRequest: t.boolean({ description: wanted('mergeMergeRequest') }),
  failedPipeline: t.boolean({ description: wanted('failedPipeline') }),
  successPipeline: t.boolean({ description: wanted('successPipeline') }),
});

function wanted(name: keyof typeof EVENT_WORDS): string {
  return `Whether to get mail about ${EVENT_WORDS[name]}, at the level \`CUSTOM\`.`;
}

mutation('updateNotificationSetting', {
  description: 'Changes what the caller wants to get mail about wherever nothing else is chosen.',
  input: {
    description: 'What the caller wants to get mail about: what is left out stays as it is.',
    argument: 'The level, events and address from now on.',
    fields: (t) => ({
      notificationEmail: t.string({
        description: 'Address that the mail goes to: the primary one, or a confirmed secondary one of the caller.',
      }),
      ...changes(t),
    }),
  },
  resolve: async ({ notificationEmail, ...more }, context) => {
    await updateGlobalNotifications(context, notificationEmail, more);
    return {};
  },
  payload: {
    description: 'The setting after the mutation.',
    fields: (t) => ({
      setting: t.field({
        type: GlobalNotificationSetting,
        description: 'The setting as it is now.',
        resolve: (_payload, _args, context) => globalNotificationSetting(context),
      }),
    }),
  },
});

mutation('updateProjectNotificationSetting', {
  description: 'Changes what the caller wants to get mail about in a project. For whoever can see it.',
  input: {
    description: 'What the caller wants to get mail about in a project: what is left out stays as it is.',
    argument: 'Names the project, and the changes.',
    fields: (t) => ({ project: projectField(t, 'to hear of'), ...changes(t) }),
  },
  resolve: ({ project, ...more }, context) => updateProjectNotifications(context, project, more),
  payload: {
    description: 'The project with its setting after the mutation.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description: 'The project, with `viewerNotificationSetting` as it is now.',
        resolve: ({ id }, _args, context, info) => requireProject(context, info, id),
      }),
    }),
  },
});

mutation('updateGroupNotificationSetting', {
  description: 'Changes what the caller wants to get mail about in a group. For whoever can see it.',
  input: {
    description: 'What the caller wants to get mail about in a group: what is left out stays as it is.',
    argument: 'Names the group, and the changes.',
    fields: (t) => ({ group: groupField(t, 'to hear of'), ...changes(t) }),
  },
  resolve: ({ group, ...more }, context) => updateGroupNotifications(context, group, more),
  payload: {
    description: 'The group with its setting after the mutation.',
    fields: (t) => ({
      group: t.field({
        type: Group,
        nullable: true,
        description: 'The group, with `viewerNotificationSetting` as it is now.',
        resolve: ({ id }, _args, context, info) => groupOf(context, info, id),
      }),
    }),
  },
});
