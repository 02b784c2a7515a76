import type { Actor } from '#src/access/actor.ts';
import { Prisma } from '#src/db.ts';

const { sql } = Prisma;

/** Membership rows give nothing from the day of their expiry on (UTC). */
const TODAY = sql`(now() AT TIME ZONE 'UTC')::date`;

/**
 * The actor's effective access level in a project: the highest of ownership of the personal namespace, membership of the
 * project, of its group or a parent of it, and of a group it is shared with (capped by the share). 0 without any.
 * Reads the aliases `p` (projects) and `n` (its namespace).
 */
export function projectAccessLevel(actor: Actor | null): Prisma.Sql {
  if (!actor) return sql`0`;
  return sql`GREATEST(
    CASE WHEN n.owner_id = ${actor.id} THEN 50 ELSE 0 END,
    COALESCE((SELECT max(m.access_level) FROM members m WHERE m.user_id = ${actor.id} AND m.project_id = p.id
      AND (m.expires_at IS NULL OR m.expires_at > ${TODAY})), 0),
    COALESCE((SELECT max(m.access_level) FROM members m WHERE m.user_id = ${actor.id} AND m.namespace_id = ANY(n.lineage)
      AND (m.expires_at IS NULL OR m.expires_at > ${TODAY})), 0),
    COALESCE((SELECT max(LEAST(m.access_level, s.group_access)) FROM project_shares s
      JOIN namespaces g ON g.id = s.group_id
      JOIN members m ON m.namespace_id = ANY(g.lineage) AND m.user_id = ${actor.id}
      WHERE s.project_id = p.id AND (s.expires_at IS NULL OR s.expires_at > ${TODAY})
      AND (m.expires_at IS NULL OR m.expires_at > ${TODAY})), 0))`;
}

/** Whether the actor may see the project that aliases `p` and `n` name. */
export function projectVisible(actor: Actor | null): Prisma.Sql {
  if (!actor) return sql`p.visibility = 'public'`;
  if (actor.admin) return sql`TRUE`;
  return sql`(${openTo(actor, sql`p.visibility`)} OR ${projectAccessLevel(actor)} > 0)`;
}

/** The actor's effective access level in the group under alias `n`: the highest of it and its parents. */
export function groupAccessLevel(actor: Actor | null): Prisma.Sql {
  if (!actor) return sql`0`;
  return sql`COALESCE((SELECT max(m.access_level) FROM members m WHERE m.user_id = ${actor.id}
    AND m.namespace_id = ANY(n.lineage) AND (m.expires_at IS NULL OR m.expires_at > ${TODAY})), 0)`;
}

/**
 * Whether the actor may see the group under alias `n`. A private one is seen by its members and by
 * whoever has access to a project inside (behaviour.md 6).
 */
export function groupVisible(actor: Actor | null): Prisma.Sql {
  if (!actor) return sql`FALSE`;
  if (actor.admin) return sql`TRUE`;
  return sql`(${openTo(actor, sql`n.visibility`)} OR ${groupAccessLevel(actor)} > 0 OR EXISTS (
    SELECT 1 FROM members m JOIN projects p ON p.id = m.project_id JOIN namespaces pn ON pn.id = p.namespace_id
    WHERE m.user_id = ${actor.id} AND n.id = ANY(pn.lineage) AND (m.expires_at IS NULL OR m.expires_at > ${TODAY})))`;
}

/** Which issues of a visible project the actor sees, given the level in it, for alias `i`. */
export function issueVisible(actor: Actor, seesConfidential: Prisma.Sql | boolean): Prisma.Sql {
  if (actor.admin || seesConfidential === true) return sql`TRUE`;
  const own = sql`NOT i.confidential OR i.author_id = ${actor.id} OR i.assignee_id = ${actor.id}`;
  return seesConfidential === false ? sql`(${own})` : sql`(${own} OR ${seesConfidential})`;
}

function openTo(actor: Actor, column: Prisma.Sql): Prisma.Sql {
  return actor.external ? sql`${column} = 'public'` : sql`${column} IN ('public', 'internal')`;
}
