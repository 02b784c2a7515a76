import { groupAccessLevel } from '#src/access/permissions/visibility.ts';
import { chosenBy } from '#src/domain/changes/notification_setting.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

computedFields('Namespace', {
  accessLevel: (group, { params }) => params(({ actor }) => Prisma.sql`${groupAccessLevel(actor, group)}::int`),
  notificationSetting: ({ id }, { params }) => params(({ actor }) => chosenBy(actor, 'namespaceId', id)),
});
