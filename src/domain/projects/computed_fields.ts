import { REPORTER } from '#src/access/permissions/abilities.ts';
import {
  assignedTo,
  groupVisible,
  notExpired,
  projectAccess,
  projectVisible,
} from '#src/access/permissions/visibility.ts';
import { chosenBy } from '#src/domain/changes/notification_setting.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { computedFields, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [share, group, star] = [alias('ProjectShare', 's'), alias('Namespace', 'g'), alias('ProjectStar', 'st')];
const ref = alias('RecordedRef', 'rr');
type Row = Alias<'Project'>;

computedFields('Project', {
  approvalsBeforeMerge: ({ id }) => sql`COALESCE((SELECT ar.approvals_required FROM approval_rules ar
    WHERE ar.project_id = ${id} AND ar.merge_request_id IS NULL AND ar.rule_type = 'any_approver'), 0)`,
  fullPath: (project, tools) => sql`${namespaceOf(tools).fullPath} || '/' || ${project.path}`,
  fullName: (project, tools) => sql`${namespaceOf(tools).fullName} || ' / ' || ${project.name}`,
  ownerId: (_, tools) => namespaceOf(tools).ownerId,
  isVisible: (project, tools) => {
    const { level } = accessOf(project, tools);
    return tools.params(({ actor }) => projectVisible(actor, project, level));
  },
  accessLevel: (project, tools) => accessOf(project, tools).level,
  projectMembership: (project, tools) => accessOf(project, tools).membership,
  groupMembership: (project, tools) => accessOf(project, tools).around,
  openIssuesCount: openIssues,
  isEmpty: ({ id }) => sql`NOT EXISTS (SELECT 1 FROM ${table(ref)}
    WHERE ${ref.projectId} = ${id} AND starts_with(${ref.name}, 'refs/heads/'))`,
  isStarred: ({ id }, { params }) => sql`EXISTS (SELECT 1 FROM ${table(star)}
    WHERE ${star.projectId} = ${id} AND ${star.userId} = ${params(({ actor }) => sql`${actor?.id ?? 0}`)})`,
  notificationSetting: ({ id }, { params }) => params(({ actor }) => chosenBy(actor, 'projectId', id)),
  groupNotificationSetting: ({ namespaceId }, { params }) =>
    params(({ actor }) => chosenBy(actor, 'namespaceId', namespaceId)),
  sharedWithGroups: ({ id }, { params }) => sql`COALESCE((SELECT json_agg(json_build_object('id', ${share.id},
      'projectId', ${share.projectId}, 'groupId', ${group.id}, 'groupName', ${group.name}, 'groupFullPath', ${group.fullPath},
      'groupAccessLevel', ${share.groupAccess}, 'expiresAt', ${share.expiresAt}) ORDER BY ${share.id})
    FROM ${table(share)} JOIN ${table(group)} ON ${group.id} = ${share.groupId}
    WHERE ${share.projectId} = ${id} AND ${notExpired('s')} AND ${params(({ actor }) => groupVisible(actor, group))}), '[]')`,
});

const namespaceOf = ({ related }: Tools) => related('namespace', 'Namespace');

/** The actor's access, computed once for all that uses it: OFFSET keeps PostgreSQL from inlining it. */
function accessOf(project: Row, tools: Tools): Record<'level' | 'membership' | 'around', Prisma.Sql> {
  const namespace = namespaceOf(tools);
  const found = tools.lateral('access', () =>
    tools.params(({ actor }) => {
      if (!actor) return sql`SELECT 0 AS level, NULL::int AS membership, NULL::int AS around`;
      const { membership, around, shared } = projectAccess(actor, project, namespace);
      const owned = sql`CASE WHEN ${namespace.ownerId} = ${actor.id} THEN 50 ELSE 0 END`;
      return sql`SELECT GREATEST(a.owned, a.membership, a.around, a.shared) AS level, a.membership, a.around
        FROM (SELECT ${owned} AS owned, ${membership} AS membership, ${around} AS around, ${shared} AS shared OFFSET 0) a`;
    }),
  );
  return { level: sql`${found}.level`, membership: sql`${found}.membership`, around: sql`${found}.around` };
}

/** How many open issues the actor can see, counted as in lists of issues. */
function openIssues(project: Row, tools: Tools): Prisma.Sql {
  const { level } = accessOf(project, tools);
  const c = tools.related('counters', 'ProjectCounters');
  return tools.params(({ actor }) => {
    if (!actor) return sql`${c.opened} - ${c.openedConfidential}`;
    if (actor.admin) return c.opened;
    return sql`CASE WHEN ${c.openedConfidential} = 0 OR ${level} >= ${REPORTER} THEN ${c.opened}
      ELSE ${c.opened} - ${c.openedConfidential} + (SELECT count(*)::int FROM issues i WHERE i.project_id = ${project.id}
        AND i.confidential AND i.state = 'opened' AND i.deleted_at IS NULL
        AND (i.author_id = ${actor.id} OR ${assignedTo('Issue', { id: sql`i.id`, assigneeId: sql`i.assignee_id` }, actor.id)})) END`;
  });
}
