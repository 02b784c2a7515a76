import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Events are shown only for the level `custom` (behaviour.md 7, Notification setting). */
const omitNull = ['events'];

export const notifications: Route[] = [
  {
    method: 'GET',
    path: '/notification_settings',
    operation: operations.NotificationSettingDocument,
    result: 'viewerNotificationSetting',
    omitNull,
  },
  {
    method: 'PUT',
    path: '/notification_settings',
    ...mutation('UpdateNotificationSetting', 'updateNotificationSetting.setting', '...GlobalNotificationSettingRecord'),
    omitNull,
  },
  {
    method: 'GET',
    path: '/groups/:id/notification_settings',
    operation: operations.GroupNotificationSettingDocument,
    result: 'group.viewerNotificationSetting',
    omitNull,
  },
  {
    method: 'PUT',
    path: '/groups/:id/notification_settings',
    ...mutation(
      'UpdateGroupNotificationSetting',
      'updateGroupNotificationSetting.group.viewerNotificationSetting',
      '...NotificationSettingRecord',
    ),
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/notification_settings',
    operation: operations.ProjectNotificationSettingDocument,
    result: 'project.viewerNotificationSetting',
    omitNull,
  },
  {
    method: 'PUT',
    path: '/projects/:id/notification_settings',
    ...mutation(
      'UpdateProjectNotificationSetting',
      'updateProjectNotificationSetting.project.viewerNotificationSetting',
      '...NotificationSettingRecord',
    ),
    omitNull,
  },
];
