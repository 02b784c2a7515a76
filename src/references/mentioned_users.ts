import { REPORTER } from '#src/access/abilities.ts';
import { groupVisible, live, projectAccessLevel, type Seer } from '#src/access/visibility.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { mentions } from '#src/references/scan.ts';

const { sql } = Prisma;
const [user, project, namespace] = [alias('User', 'u'), alias('Project', 'p'), alias('Namespace', 'n')];
const group = alias('Namespace', 'g');

/** Users that one text reaches; of a larger group the others are not reached. */
const MOST = 500;

export interface MentionedUser {
  id: number;
  /** Whether the text begins with the mention. */
  isAddressed: boolean;
}

/**
 * The users whom a text mentions, by themselves, by their group (`@group`) or as everybody in the project (`@all`), as far as
 * they see what the text is about. By one statement; by none where the text mentions nobody.
 *
 * @param author who wrote the text, and must see the groups
 */
export async function mentionedUsers(
  db: Pick<Transaction, '$queryRaw'>,
  author: Seer,
  subject: { type: 'Issue' | 'MergeRequest'; id: number; project: { id: number } },
  text: string,
): Promise<MentionedUser[]> {
  const names = mentions(text);
  if (names.length === 0) return [];
  const projectId = subject.project.id;
  const named = sql`json_to_recordset(${JSON.stringify(names)}::json) AS r (name text, "isAddressed" boolean)`;
  const inGroups = sql`SELECT m.user_id, r."isAddressed" FROM ${named} JOIN ${table(group)} ON lower(${group.fullPath}) = r.name
      AND ${group.kind} = 'group' AND ${groupVisible(author, group)}
    JOIN members m ON m.namespace_id = ANY(${group.lineage}) AND ${live('m')}`;
  const everybody = sql`SELECT m.user_id, r."isAddressed" FROM ${named} JOIN projects ap ON r.name = 'all' AND ap.id = ${projectId}
    JOIN namespaces an ON an.id = ap.namespace_id
    JOIN members m ON (m.project_id = ap.id OR m.namespace_id = ANY(an.lineage)) AND ${live('m')}`;
  return queryRows<MentionedUser>(
    db,
    sql`WITH meant AS (
        SELECT one.id AS user_id, r."isAddressed" FROM ${named} JOIN users one ON lower(one.username) = r.name
        UNION ALL ${inGroups} UNION ALL ${everybody}),
      each AS (SELECT user_id, bool_or("isAddressed") AS "isAddressed" FROM meant GROUP BY user_id)
      SELECT u.id, e."isAddressed" FROM each e JOIN ${table(user)} ON ${user.id} = e.user_id
      JOIN ${table(project)} ON ${project.id} = ${projectId} AND ${project.deletedAt} IS NULL
      JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId}
      CROSS JOIN LATERAL (SELECT ${projectAccessLevel({ id: user.id }, project, namespace)} AS level OFFSET 0) l
      WHERE ${user.state} = 'active' AND NOT ${user.ghost} AND ${seesSubject(subject)}
      ORDER BY u.id LIMIT ${MOST}`,
  );
}

/** Whether the user `u`, whose level in the project is `l.level`, sees the subject. */
function seesSubject({ type, id }: { type: 'Issue' | 'MergeRequest'; id: number }): Prisma.Sql {
  const isOpen = sql`(${project.visibility} = 'public' OR (${project.visibility} = 'internal' AND NOT ${user.external}))`;
  if (type === 'MergeRequest') {
    return sql`(${project.mergeRequestsEnabled} AND (${user.admin} OR ${isOpen} OR l.level >= ${REPORTER}))`;
  }
  return sql`(${project.issuesEnabled} AND (${user.admin} OR ((${isOpen} OR l.level > 0) AND EXISTS (
    SELECT 1 FROM issues i WHERE i.id = ${id} AND i.deleted_at IS NULL
      AND (NOT i.confidential OR l.level >= ${REPORTER} OR i.author_id = u.id OR i.assignee_id = u.id)))))`;
}
