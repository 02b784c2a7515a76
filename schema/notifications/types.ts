import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { Project } from '#schema/projects/types.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { EVENT_NAMES, type NotificationEvent } from '#src/domain/changes/notification_events.ts';
import { INHERITED } from '#src/domain/changes/notification_setting.ts';
import { type GlobalSetting, globalNotificationSetting } from '#src/domain/notifications/update.ts';
import type { NotificationSetting as Setting } from '#src/platform/records/computed_types.ts';

export const NotificationLevel = builder.enumType('NotificationLevel', {
  description: 'How much of what happens a user wants to get mail about.',
  values: {
    DISABLED: { value: 'disabled', description: 'The user wants no mail at all.' },
    PARTICIPATING: {
      value: 'participating',
      description: 'What the user takes part in: as author or assignee, by comments, mentions or subscription.',
    },
    WATCH: { value: 'watch', description: 'Everything that happens in the place.' },
    GLOBAL: {
      value: 'global',
      description: 'What is chosen for the group, or else for the whole server; there it means participating.',
    },
    MENTION: { value: 'mention', description: 'Only what mentions the user.' },
    CUSTOM: { value: 'custom', description: 'What the user takes part in, and events of chosen kinds.' },
  } as const,
});

/** Descriptions of the kinds of events. */
export const EVENT_WORDS: Readonly<Record<NotificationEvent, string>> = {
  newNote: 'new comments',
  newIssue: 'new issues',
  reopenIssue: 'issues that are reopened',
  closeIssue: 'issues that are closed',
  reassignIssue: 'issues that get another assignee',
  issueDue: 'issues that are due tomorrow',
  newMergeRequest: 'new merge requests',
  reopenMergeRequest: 'merge requests that are reopened',
  closeMergeRequest: 'merge requests that are closed',
  reassignMergeRequest: 'merge requests that get another assignee',
  mergeMergeRequest: 'merge requests that are merged',
  failedPipeline: 'pipelines that fail',
  successPipeline: 'pipelines that succeed',
};

const Events = builder.objectRef<Setting['events']>('NotificationEvents').implement({
  description: 'The kinds of events that a user wants to get mail about.',
  fields: (t) =>
    Object.fromEntries(
      EVENT_NAMES.map((name) => [
        name,
        t.exposeBoolean(name, { description: `Whether the user wants mail about ${EVENT_WORDS[name]}.` }),
      ]),
    ),
});

export const NotificationSetting = builder.objectRef<Setting>('NotificationSetting').implement({
  description: 'What the caller wants to get mail about in a project or group.',
  fields: (t) => ({
    level: t.expose('level', { type: NotificationLevel, description: 'How much the caller wants to hear of.' }),
    events: t.field({
      type: Events,
      nullable: true,
      description: 'The kinds of events that are wanted; null unless the level is `CUSTOM`.',
      resolve: ({ level, events }) => (level === 'custom' ? events : null),
    }),
  }),
});

export const GlobalNotificationSetting = builder.objectRef<GlobalSetting>('GlobalNotificationSetting').implement({
  description: 'What the caller wants to get mail about wherever nothing else is chosen.',
  fields: (t) => ({
    level: t.expose('level', { type: NotificationLevel, description: 'How much the caller wants to hear of.' }),
    email: t.exposeString('email', { description: 'E-mail address that the mail goes to.' }),
    events: t.field({
      type: Events,
      nullable: true,
      description: 'The kinds of events that are wanted; null unless the level is `CUSTOM`.',
      resolve: ({ level, events }) => (level === 'custom' ? events : null),
    }),
  }),
});

const VIEWERS = {
  type: NotificationSetting,
  nullable: true,
  select: { notificationSetting: true },
  resolve: ({ notificationSetting }: { notificationSetting: Setting | null }, _args: object, context: Context) => {
    requireActor(context);
    return notificationSetting ?? INHERITED;
  },
} as const;

builder.prismaObjectFields(Project, (t) => ({
  viewerNotificationSetting: t.field({
    ...VIEWERS,
    description: 'What the caller wants to get mail about in the project. For signed-in callers.',
  }),
}));

builder.prismaObjectFields(Group, (t) => ({
  viewerNotificationSetting: t.field({
    ...VIEWERS,
    description: 'What the caller wants to get mail about in the projects of the group. For signed-in callers.',
  }),
}));

builder.queryFields((t) => ({
  viewerNotificationSetting: t.field({
    type: GlobalNotificationSetting,
    description: 'What the caller wants to get mail about wherever nothing else is chosen.',
    resolve: (_root, _args, context) => globalNotificationSetting(context),
  }),
}));
