import { groupVisible, notExpired, type Seer } from '#src/access/permissions/visibility.ts';
import { mentions } from '#src/domain/tracking/references/scan.ts';
import { readersAmong } from '#src/domain/tracking/subjects/readers.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const group = alias('Namespace', 'g');

/** Maximum number of users that a mention of a group reaches. */
const MAX_MENTIONED_USERS = 500;

export interface MentionedUser {
  id: number;
  /** Whether the text begins with the mention. */
  isAddressed: boolean;
}

/**
 * The users mentioned in a text, individually, by group (`@group`) or as everyone in the project (`@all`), as far as they can see
 * the record of the text, and the note that it is of. In two statements; none if the text mentions no one.
 *
 * @param author the author of the text, who must be able to see the groups
 */
export async function mentionedUsers(
  db: Pick<Transaction, '$queryRaw'>,
  author: Seer,
  subject: { type: 'Issue' | 'MergeRequest'; id: number; project: { id: number } },
  text: string,
  noteId: number | null = null,
): Promise<MentionedUser[]> {
  const names = mentions(text);
  if (names.length === 0) return [];
  const projectId = subject.project.id;
  const named = sql`json_to_recordset(${JSON.stringify(names)}::json) AS r (name text, "isAddressed" boolean)`;
  const inGroups = sql`SELECT m.user_id, r."isAddressed" FROM ${named} JOIN ${table(group)} ON lower(${group.fullPath}) = r.name
      AND ${group.kind} = 'group' AND ${groupVisible(author, group)}
    JOIN members m ON m.namespace_id = ANY(${group.lineage}) AND ${notExpired('m')}`;
  const everybody = sql`SELECT m.user_id, r."isAddressed" FROM ${named} JOIN projects ap ON r.name = 'all' AND ap.id = ${projectId}
    JOIN namespaces an ON an.id = ap.namespace_id
    JOIN members m ON (m.project_id = ap.id OR m.namespace_id = ANY(an.lineage)) AND ${notExpired('m')}`;
  const meant = await queryRows<MentionedUser>(
    db,
    sql`WITH meant AS (
        SELECT one.id AS user_id, r."isAddressed" FROM ${named} JOIN users one ON lower(one.username) = r.name
        UNION ALL ${inGroups} UNION ALL ${everybody})
      SELECT user_id AS id, bool_or("isAddressed") AS "isAddressed" FROM meant GROUP BY user_id ORDER BY 1 LIMIT ${MAX_MENTIONED_USERS}`,
  );
  if (meant.length === 0) return [];
  const among = await readersAmong(db, subject, { ids: meant.map(({ id }) => id), noteId });
  const readers = new Set(among.map(({ id }) => id));
  return meant.filter(({ id }) => readers.has(id));
}
