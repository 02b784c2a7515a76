import { OWNER } from '#src/access/permissions/abilities.ts';
import { groupAccessLevel, groupVisible, notExpired } from '#src/access/permissions/visibility.ts';
import { chosenBy } from '#src/domain/changes/notification_setting.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [share, invited] = [alias('GroupShare', 's'), alias('Namespace', 'ig')];

computedFields('Namespace', {
  accessLevel: (group, { params }) => params(({ actor }) => sql`${groupAccessLevel(actor, group)}::int`),
  notificationSetting: ({ id }, { params }) => params(({ actor }) => chosenBy(actor, 'namespaceId', id)),
  membersCount: (group, { params }) =>
    params(({ actor }) => {
      if (!actor) return sql`NULL::int`;
      const isOwner = sql`${actor.admin}::boolean OR ${groupAccessLevel(actor, group)} >= ${OWNER}`;
      const inside = sql`ARRAY(SELECT inn.id FROM namespaces inn WHERE inn.lineage @> ARRAY[${group.id}])`;
      const projects = sql`ARRAY(SELECT ip.id FROM projects ip WHERE ip.namespace_id = ANY(${inside}))`;
      return sql`CASE WHEN ${group.kind} = 'group' AND (${isOwner}) THEN (SELECT count(*)::int FROM (
          SELECT m.user_id FROM members m WHERE m.namespace_id = ANY(${inside}) AND ${notExpired('m')}
          UNION SELECT m.user_id FROM members m WHERE m.project_id = ANY(${projects}) AND ${notExpired('m')}
        ) inn JOIN users u ON u.id = inn.user_id AND NOT u.bot) END`;
    }),
  sharedWithGroups: ({ id }, { params }) => sql`COALESCE((SELECT json_agg(json_build_object('id', ${share.id},
      'groupId', ${invited.id}, 'groupName', ${invited.name}, 'groupFullPath', ${invited.fullPath},
      'groupAccessLevel', ${share.groupAccess}, 'expiresAt', ${share.expiresAt}) ORDER BY ${share.id})
    FROM ${table(share)} JOIN ${table(invited)} ON ${invited.id} = ${share.groupId}
    WHERE ${share.namespaceId} = ${id} AND ${notExpired('s')} AND ${params(({ actor }) => groupVisible(actor, invited))}), '[]')`,
});
