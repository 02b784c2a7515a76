import { type Context, requireApiScope } from '#src/access/actor.ts';
import { groupVisible, live } from '#src/access/visibility.ts';
import { all, Prisma, queryPage } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { userMatches } from '#src/users/matching.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/**
 * The users who work on a project, newest first: its owner, its members, those of the groups around it and those of groups
 * with which it is shared, as far as the actor sees these groups. For anonymous callers too.
 */
export async function listProjectUsers(
  context: Context,
  { id, namespaceId }: ProjectRow,
  search: string | null | undefined,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<UserRow>> {
  const { db, actor } = context;
  requireApiScope(actor);
  const team = sql`SELECT n.owner_id FROM namespaces n WHERE n.id = ${namespaceId}
    UNION SELECT m.user_id FROM members m WHERE m.project_id = ${id} AND ${live('m')}
    UNION SELECT m.user_id FROM namespaces n JOIN members m ON m.namespace_id = ANY(n.lineage)
      WHERE n.id = ${namespaceId} AND ${live('m')}
    UNION SELECT m.user_id FROM project_shares s JOIN namespaces g ON g.id = s.group_id
      JOIN members m ON m.namespace_id = ANY(g.lineage)
      WHERE s.project_id = ${id} AND ${live('s')} AND ${live('m')} AND ${groupVisible(actor, alias('Namespace', 'g'))}`;
  const conditions = [sql`u.id IN (${team})`, ...(search?.trim() ? [userMatches(actor, search.trim())] : [])];
  const source = sql`users u WHERE ${all(conditions)}`;
  const nodes = sql`(SELECT COALESCE(json_agg(${userJson('u')} ORDER BY u.id DESC), '[]')
    FROM (SELECT u.* FROM ${source} ORDER BY u.id DESC LIMIT ${limit} OFFSET ${offset}) u)`;
  return queryPage(db, offset, nodes, withTotal && sql`(SELECT count(*) FROM ${source})`);
}
