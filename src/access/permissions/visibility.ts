import type { Actor, Place } from '#src/access/permissions/actor.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';

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
 * project, of its group or a parent of it, and of a group that it, its group or a parent of it is shared with (capped by the
 * share). 0 without any.
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
    around: levelAround(actor, namespace.lineage),
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

/**
 * The highest level that memberships of any of these groups give, and of groups that one of them is shared with; null without.
 * Shares are not passed on: members of a group that an invited group is shared with get nothing.
 */
function levelAround(actor: MemberLike, lineage: Prisma.Sql): Prisma.Sql {
  const own = sql`SELECT max(m.access_level) AS level FROM ${membershipsOf(actor)} AND m.namespace_id = ANY(${lineage})`;
  if (placeOf(actor)) return sql`(${own})`;
  return sql`GREATEST((${own}), (SELECT max(LEAST(m.access_level, s.group_access)) FROM group_shares s
    JOIN members m ON m.namespace_id = ANY(s.group_lineage) AND m.user_id = ${actor.id} AND ${notExpired('m')}
    WHERE s.namespace_id = ANY(${lineage}) AND ${notExpired('s')}))`;
}

/** An array of the groups with a membership of the actor, without those that only a share opens. */
function groupsOfMember(actor: MemberLike): Prisma.Sql {
  return sql`ARRAY(SELECT m.namespace_id FROM ${membershipsOf(actor)} AND m.namespace_id IS NOT NULL)`;
}

/** A statement for the groups that shares open to the actor, with the level that each gives (`namespace_id`, `access_level`). */
function openedGroups(actor: MemberLike): Prisma.Sql {
  return sql`SELECT s.namespace_id, LEAST(m.access_level, s.group_access) AS access_level FROM group_shares s
    JOIN members m ON m.namespace_id = ANY(s.group_lineage) AND m.user_id = ${actor.id} AND ${notExpired('m')}
    WHERE s.group_lineage && ${groupsOfMember(actor)} AND ${notExpired('s')}`;
}

/** Whether the actor, with that access level, may see a project: for one project, or few. */
export function projectVisible(
  actor: Seer | null,
  project: Pick<Alias<'Project'>, 'deletedAt' | 'visibility'>,
  level: Prisma.Sql,
): Prisma.Sql {
  if (!actor) return sql`(${project.deletedAt} IS NULL AND ${openTo(null, project)})`;
  if (actor.admin) return sql`${project.deletedAt} IS NULL`;
  return sql`(${project.deletedAt} IS NULL AND (${openTo(actor, project)} OR ${level} > 0))`;
}

/** Like projectVisible, for lists: the projects that the actor has access to are computed once for the whole list. */
export function projectListed(actor: Seer | null, project: Alias<'Project'>): Prisma.Sql {
  const { id, deletedAt } = project;
  if (!actor) return sql`(${deletedAt} IS NULL AND ${openTo(null, project)})`;
  if (actor.admin) return sql`${deletedAt} IS NULL`;
  return sql`(${deletedAt} IS NULL AND (${openTo(actor, project)} OR ${id} IN (${accessibleProjects(actor)})))`;
}

/**
 * A statement for the IDs of the projects in which the actor has any access level. Namespaces are passed as arrays, which lets
 * each branch find its rows by index.
 */
export function accessibleProjects(actor: Pick<Actor, 'id' | 'place'>): Prisma.Sql {
  const below = (groups: Prisma.Sql) => sql`SELECT an.id FROM namespaces an WHERE an.lineage && ${groups}`;
  return sql`SELECT m.project_id FROM ${membershipsOf(actor)} AND m.project_id IS NOT NULL
    UNION ALL SELECT ap.id FROM projects ap WHERE ap.namespace_id = ANY(ARRAY(
      SELECT an.id FROM namespaces an WHERE an.owner_id = ${actor.id} UNION ALL ${below(memberNamespaces(actor))}))
    UNION ALL SELECT s.project_id FROM project_shares s WHERE ${notExpired('s')} AND ${!actor.place}::boolean
      AND s.group_id = ANY(ARRAY(${below(groupsOfMember(actor))}))`;
}

/**
 * A statement for the projects in which the actor has any access level, with the level (`project_id`, `level`): for lists that
 * need the level of many projects, as projectAccessLevel finds it for one.
 */
export function projectLevels(actor: Pick<Actor, 'id' | 'place'>): Prisma.Sql {
  const mine = sql`SELECT m.project_id, m.namespace_id, m.access_level FROM ${membershipsOf(actor)}`;
  const opened = actor.place
    ? Prisma.empty
    : sql`UNION ALL SELECT o.namespace_id, o.access_level, NULL FROM (${openedGroups(actor)}) o`;
  // The groups and their subgroups, each found once by index: a join over lineages would read every namespace. Projects are
  // shared with the members of a group alone (own).
  const groups = sql`(SELECT an.id, max(m.level) AS level, max(m.own) AS own
    FROM (SELECT m.namespace_id, m.access_level AS level, m.access_level AS own FROM (${mine} AND m.namespace_id IS NOT NULL) m ${opened}) m
    CROSS JOIN LATERAL (SELECT an.id FROM namespaces an WHERE an.lineage @> ARRAY[m.namespace_id] OFFSET 0) an GROUP BY an.id) g`;
  return sql`SELECT given.project_id, max(given.level) AS level FROM (
      SELECT m.project_id, m.access_level AS level FROM (${mine} AND m.project_id IS NOT NULL) m
      UNION ALL SELECT ap.id, 50 FROM namespaces an JOIN projects ap ON ap.namespace_id = an.id WHERE an.owner_id = ${actor.id}
      UNION ALL SELECT ap.id, g.level FROM ${groups} JOIN projects ap ON ap.namespace_id = g.id
      UNION ALL SELECT s.project_id, LEAST(g.own, s.group_access) FROM ${groups}
        JOIN project_shares s ON s.group_id = g.id AND g.own IS NOT NULL AND ${notExpired('s')} AND ${!actor.place}::boolean
    ) given GROUP BY given.project_id`;
}

/** An array of the groups with a membership of the actor, or that are shared with such a group. */
export function memberNamespaces(actor: Pick<Actor, 'id' | 'place'>): Prisma.Sql {
  if (placeOf(actor)) return groupsOfMember(actor);
  return sql`ARRAY(SELECT m.namespace_id FROM ${membershipsOf(actor)} AND m.namespace_id IS NOT NULL
    UNION ALL SELECT o.namespace_id FROM (${openedGroups(actor)}) o)`;
}

/** The actor's effective access level in a group: the highest of it, its parents, and groups that one of them is shared with. */
export function groupAccessLevel(
  actor: Pick<Actor, 'id' | 'place'> | null,
  { lineage }: Pick<Alias<'Namespace'>, 'lineage'>,
): Prisma.Sql {
  if (!actor) return sql`0`;
  return sql`COALESCE(${levelAround(actor, lineage)}, 0)`;
}

/**
 * Whether the actor may see a group. A private one is visible to its members, to those of its parents, and to users with access
 * to a project inside (behaviour.md 6).
 */
export function groupVisible(actor: Seer | null, group: Alias<'Namespace'>): Prisma.Sql {
  const { id, deletedAt } = group;
  if (!actor) return sql`(${deletedAt} IS NULL AND ${openTo(null, group)})`;
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

/** Whether what is public is so to visitors without an account: not while the server restricts that visibility. */
export const PUBLIC_IS_OPEN = sql`NOT EXISTS (SELECT FROM application_settings aps WHERE aps.restricted_visibility_levels @> '["public"]')`;

/** Whether a project or group is visible to the actor without any access level. */
export function openTo(actor: Seer | null, { visibility }: { readonly visibility: Prisma.Sql }): Prisma.Sql {
  if (!actor) return sql`(${visibility} = 'public' AND ${PUBLIC_IS_OPEN})`;
  return actor.external ? sql`${visibility} = 'public'` : sql`${visibility} IN ('public', 'internal')`;
}

const OWN_MEMBERSHIP = sql`m.id, m.user_id, m.project_id, m.namespace_id, m.access_level, m.expires_at, m.created_at, m.created_by_id`;

/** A statement for the direct memberships of a group and of those below it that the actor sees, in the form of `membershipsAt`. */
export function membershipsBelow(actor: Seer | null, group: Prisma.Sql | number): Prisma.Sql {
  return sql`SELECT ${OWN_MEMBERSHIP} FROM namespaces g JOIN members m ON m.namespace_id = g.id
    WHERE g.lineage @> ARRAY[${group}]::int[] AND ${groupVisible(actor, alias('Namespace', 'g'))} AND ${notExpired('m')}`;
}

/**
 * A statement for all memberships that give access to a project or group, of any user, in the form of rows of `members` with the
 * level and expiry that they have there: its own, those of the groups around it, and of groups with which it or one of these is
 * shared. A user may have several.
 *
 * @param project the ID of the project; null for a group
 * @param lineage the IDs of the group, or the namespace of the project, and of those around it
 * @param condition on the memberships `m`, such as for some users
 * @param seen on the groups `g` with whose members something is shared
 */
export function membershipsAt(
  project: Prisma.Sql | number | null,
  lineage: Prisma.Sql,
  { condition = sql`TRUE`, seen = sql`TRUE` }: { condition?: Prisma.Sql; seen?: Prisma.Sql } = {},
): Prisma.Sql {
  const where = sql`${notExpired('m')} AND ${condition}`;
  const own = OWN_MEMBERSHIP;
  const shared = sql`m.id, m.user_id, m.project_id, m.namespace_id, LEAST(m.access_level, s.group_access),
    LEAST(m.expires_at, s.expires_at), m.created_at, m.created_by_id`;
  const invited = sql`JOIN namespaces g ON g.id = s.group_id AND ${seen} JOIN members m ON m.namespace_id = ANY(g.lineage)`;
  const ofProject =
    project === null
      ? Prisma.empty
      : sql`SELECT ${own} FROM members m WHERE m.project_id = ${project} AND ${where}
        UNION ALL SELECT ${shared} FROM project_shares s ${invited} WHERE s.project_id = ${project} AND ${notExpired('s')} AND ${where}
        UNION ALL`;
  return sql`${ofProject} SELECT ${own} FROM members m WHERE m.namespace_id = ANY(${lineage}) AND ${where}
    UNION ALL SELECT ${shared} FROM group_shares s ${invited}
      WHERE s.namespace_id = ANY(${lineage}) AND ${notExpired('s')} AND ${where}`;
}
