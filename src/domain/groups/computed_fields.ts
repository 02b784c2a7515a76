import { groupAccessLevel } from '#src/access/permissions/visibility.ts';
import { chosenBy, type NotificationSetting } from '#src/domain/changes/notification_setting.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

declare module '#src/platform/records/computed_fields.ts' {
  interface ComputedFields {
    Namespace: {
      /** The effective level of the actor in the group: the highest of it and the groups around it; 0 without any. */
      accessLevel: number;
      /** What the actor wants to hear of the group; null where nothing was chosen. */
      notificationSetting: NotificationSetting | null;
    };
  }
}

computedFields('Namespace', {
  accessLevel: (group, { params }) => params(({ actor }) => Prisma.sql`${groupAccessLevel(actor, group)}::int`),
  notificationSetting: ({ id }, { params }) => params(({ actor }) => chosenBy(actor, 'namespaceId', id)),
});
