import type { Actor, Place } from '#src/access/permissions/actor.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;

/** Today in UTC: memberships are without effect from the day of their expiry on. */
export const TODAY = sql`(now() AT TIME ZONE 'UTC')::date`;

/** Whether the membership or share under the alias has not expired. */
export function notExpired(alias: string): Prisma.Sql {
  const column = Prisma.raw(`${alias}.expires_at`);
  return sql`(${column} IS NULL OR ${column} > ${TODAY})`;
}

/**
 * The actor's effective access level in a project: the highest of ownership of the personal namespace, membership of the
 * project, of its group or a parent of it, and of a group it is shared with (capped by the share). 0 without any.
 */
export function projectAccessLevel(
  actor: MemberLike | null,
  project: Pick<Alias<'Project'>, 'id'>,
  namespace: Pick<Alias<'Namespace'>, 'ownerId' | 'lineage'>,
): Prisma.Sql {
  if (!actor) return sql`0`;
  const { membership, around, shared } = projectAccess(actor, project, namespace);
  return sql`GREATEST(CASE WHEN ${namespace.ownerId} = ${actor.id} THEN 50 ELSE 0 END,
    COALESCE(${membership}, 0), COALESCE(${around}, 0), COALESCE(${shared}, 0))`;
}

/** The sources of the actor's access to a project besides ownership: the level of each, null where it gives none. */
export function projectAccess(
  actor: MemberLike,
  project: Pick<Alias<'Project'>, 'id'>,
  namespace: Pick<Alias<'Namespace'>, 'lineage'>,
): Record<'membership' | 'around' | 'shared', Prisma.Sql> {
  return {
    membership: sql`(SELECT max(m.access_level) FROM ${membershipsOf(actor)} AND m.project_id = ${project.id})`,
    around: sql`(SELECT max(m.access_level) FROM ${membershipsOf(actor)} AND m.namespace_id = ANY(${namespace.lineage}))`,
    shared: sql`(SELECT max(LEAST(m.access_level, s.group_access)) FROM project_shares s
      JOIN namespaces g ON g.id = s.group_id
      JOIN members m ON m.namespace_id = ANY(g.lineage) AND m.user_id = ${actor.id}
      WHERE s.project_id = ${project.id} AND ${notExpired('s')} AND ${notExpired('m')})`,
  };
}

/** The facts about an actor that visibility depends on. */
export type Seer = Pick<Actor, 'id' | 'admin' | 'external' | 'place'>;

/** Whose memberships count: a user's, or the place of somebody who is no user. */
type MemberLike = { readonly id: Prisma.Sql } | { readonly id: number; readonly place?: Place | undefined };

/** What stands behind FROM for the memberships of an actor, as `m`, up to a condition. */
function membershipsOf(actor: MemberLike): Prisma.Sql {
  const place = placeOf(actor);
  if (!place) return sql`members m WHERE m.user_id = ${actor.id} AND ${notExpired('m')}`;
  const { projectId, namespaceId, level } = place;
  return sql`(SELECT ${projectId}::int AS project_id, ${namespaceId}::int AS namespace_id, ${level}::int AS access_level) m WHERE TRUE`;
}

/** The place of who is no user; none of the rows of a statement, whose aliases have no such column. */
function placeOf(actor: MemberLike): Place | undefined {
  return typeof actor.id === 'number' ? (actor as Pick<Actor, 'place'>).place : undefined;
}

/** Whether the actor, with that access level, may see a project: for one project, or few. */
export function projectVisible(
  actor: Seer | null,
  project: Pick<Alias<'Project'>, 'deletedAt' | 'visibility'>,
  level: Prisma.Sql,
): Prisma.Sql {
  if (!actor) return sql`(${project.deletedAt} IS NULL AND ${project.visibility} = 'public')`;
  if (actor.admin) return sql`${project.deletedAt} IS NULL`;
  return sql`(${project.deletedAt} IS NULL AND (${openTo(actor, project)} OR ${level} > 0))`;
}

/** Like projectVisible, for lists: the projects that the actor has access to are computed once for the whole list. */
export function projectListed(actor: Seer | null, project: Alias<'Project'>): Prisma.Sql {
  const { id, deletedAt, visibility } = project;
  if (!actor) return sql`(${deletedAt} IS NULL AND ${visibility} = 'public')`;
  if (actor.admin) return sql`${deletedAt} IS NULL`;
  return sql`(${deletedAt} IS NULL AND (${openTo(actor, project)} OR ${id} IN (${accessibleProjects(actor)})))`;
}

/**
 * A statement for the IDs of the projects in which the actor has any access level. Namespaces are passed as arrays, which lets
 * each branch find its rows by index.
 */
export function accessibleProjects(actor: Pick<Actor, 'id' | 'place'>): Prisma.Sql {
  const groups = sql`SELECT an.id FROM namespaces an WHERE an.lineage && ${memberNamespaces(actor)}`;
  return sql`SELECT m.project_id FROM ${membershipsOf(actor)} AND m.project_id IS NOT NULL
    UNION ALL SELECT ap.id FROM projects ap WHERE ap.namespace_id = ANY(ARRAY(
      SELECT an.id FROM namespaces an WHERE an.owner_id = ${actor.id} UNION ALL ${groups}))
    UNION ALL SELECT s.project_id FROM project_shares s WHERE ${notExpired('s')} AND ${!actor.place}::boolean
      AND s.group_id = ANY(ARRAY(${groups}))`;
}

/**
 * A statement for the projects in which the actor has any access level, with the level (`project_id`, `level`): for lists that
 * need the level of many projects, as projectAccessLevel finds it for one.
 */
export function projectLevels(actor: Pick<Actor, 'id' | 'place'>): Prisma.Sql {
  const mine = sql`SELECT m.project_id, m.namespace_id, m.access_level FROM ${membershipsOf(actor)}`;
  // The groups and their subgroups, each found once by index: a join over lineages would read every namespace.
  const groups = sql`(SELECT an.id, max(m.access_level) AS level FROM (${mine} AND m.namespace_id IS NOT NULL) m
    CROSS JOIN LATERAL (SELECT an.id FROM namespaces an WHERE an.lineage @> ARRAY[m.namespace_id] OFFSET 0) an GROUP BY an.id) g`;
  return sql`SELECT given.project_id, max(given.level) AS level FROM (
      SELECT m.project_id, m.access_level AS level FROM (${mine} AND m.project_id IS NOT NULL) m
      UNION ALL SELECT ap.id, 50 FROM namespaces an JOIN projects ap ON ap.namespace_id = an.id WHERE an.owner_id = ${actor.id}
      UNION ALL SELECT ap.id, g.level FROM ${groups} JOIN projects ap ON ap.namespace_id = g.id
      UNION ALL SELECT s.project_id, LEAST(g.level, s.group_access) FROM ${groups}
        JOIN project_shares s ON s.group_id = g.id AND ${notExpired('s')} AND ${!actor.place}::boolean
    ) given GROUP BY given.project_id`;
}

/** An array of the namespaces with a membership of the actor. */
export function memberNamespaces(actor: Pick<Actor, 'id' | 'place'>): Prisma.Sql {
  return sql`ARRAY(SELECT m.namespace_id FROM ${membershipsOf(actor)} AND m.namespace_id IS NOT NULL)`;
}

/** The actor's effective access level in a group: the highest of it and its parents. */
export function groupAccessLevel(
  actor: Pick<Actor, 'id' | 'place'> | null,
  { lineage }: Pick<Alias<'Namespace'>, 'lineage'>,
): Prisma.Sql {
  if (!actor) return sql`0`;
  return sql`COALESCE((SELECT max(m.access_level) FROM ${membershipsOf(actor)} AND m.namespace_id = ANY(${lineage})), 0)`;
}

/**
 * Whether the actor may see a group. A private one is visible to its members, to those of its parents, and to users with access
 * to a project inside (behaviour.md 6).
 */
export function groupVisible(actor: Seer | null, group: Alias<'Namespace'>): Prisma.Sql {
  if (!actor) return sql`FALSE`;
  const { id, deletedAt } = group;
  if (actor.admin) return sql`${deletedAt} IS NULL`;
  return sql`(${deletedAt} IS NULL AND (${openTo(actor, group)} OR ${id} IN (
    SELECT vn.id FROM namespaces vn WHERE vn.lineage && ${memberNamespaces(actor)}
    UNION ALL SELECT unnest(vn.lineage) FROM namespaces vn WHERE vn.id = ANY(ARRAY(
      SELECT DISTINCT vp.namespace_id FROM projects vp
      WHERE vp.deleted_at IS NULL AND vp.id = ANY(ARRAY(${accessibleProjects(actor)})))))))`;
}

/** Which issues of a visible project the actor sees; the argument says whether that includes confidential ones. */
export function issueVisible(
  issue: Pick<Alias<'Issue'>, 'id' | 'confidential' | 'authorId' | 'assigneeId'>,
  actor: Seer | null,
  seesConfidential: Prisma.Sql | boolean,
): Prisma.Sql {
  if (!actor) return sql`NOT ${issue.confidential}`;
  if (actor.admin || seesConfidential === true) return sql`TRUE`;
  const own = sql`NOT ${issue.confidential} OR ${issue.authorId} = ${actor.id} OR ${assignedTo('Issue', issue, actor.id)}`;
  return seesConfidential === false ? sql`(${own})` : sql`(${own} OR ${seesConfidential})`;
}

const FURTHER = {
  Issue: { people: sql`issue_assignees`, subjectId: sql`issue_id` },
  MergeRequest: { people: sql`merge_request_assignees`, subjectId: sql`merge_request_id` },
} as const;

/**
 * Whether an issue or merge request is assigned to a user; null or false if not. Its column names the first assignee; the further
 * ones, which most users have few of, are an array, so that both parts are found by an index.
 */
export function assignedTo(
  type: keyof typeof FURTHER,
  { id, assigneeId }: { readonly id: Prisma.Sql; readonly assigneeId: Prisma.Sql },
  userId: Prisma.Sql | number,
): Prisma.Sql {
  return sql`(${assigneeId} = ${userId} OR ${id} = ANY(ARRAY(${furtherOf(type, userId)})))`;
}

/** A statement for the IDs of the records that a user is an assignee of, but not the first. */
export function furtherOf(type: keyof typeof FURTHER, userId: Prisma.Sql | number): Prisma.Sql {
  const { people, subjectId } = FURTHER[type];
  return sql`SELECT fa.${subjectId} FROM ${people} fa WHERE fa.user_id = ${userId} AND fa.position > 0`;
}

/** Whether a project or group is visible to the actor without any access level. */
export function openTo(actor: Seer, { visibility }: { readonly visibility: Prisma.Sql }): Prisma.Sql {
  return actor.external ? sql`${visibility} = 'public'` : sql`${visibility} IN ('public', 'internal')`;
}
