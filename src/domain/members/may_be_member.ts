import type { MemberPlace } from '#src/domain/members/source.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;

/**
 * Whether a user can be made a member of a project or group: people, and service accounts of the server, of the project, and of the
 * group or one that it is in. Whoever owns what a service account was made for can act as it, and so gets no further by it.
 */
export function mayBeMember(user: Alias<'User'>, { kind, record }: MemberPlace): Prisma.Sql {
  const inGroup =
    kind === 'project'
      ? sql`(SELECT n.lineage FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ${record.id})`
      : sql`(SELECT n.lineage FROM namespaces n WHERE n.id = ${record.id})`;
  return sql`NOT ${user.ghost} AND CASE ${user.serviceAccount}
    WHEN 'server' THEN TRUE
    WHEN 'group' THEN ${user.provisionedByGroupId} = ANY(${inGroup}::int[])
    WHEN 'project' THEN ${kind === 'project'}::boolean AND ${user.provisionedByProjectId} = ${record.id}
    ELSE NOT ${user.bot} END`;
}
