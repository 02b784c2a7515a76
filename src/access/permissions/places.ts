import { REPORTER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { type Feature, featureThere, TRACKED } from '#src/access/permissions/features.ts';
import { openTo, projectLevels } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const project = alias('Project', 'p');
/** Whether none of the features to which labels and milestones belong is for members alone. */
const isPlanningOpen = sql`NOT ${project.membersOnly} && ${[...TRACKED]}::text[]`;

/**
 * The projects visible to the actor, as the subquery `places` for WITH, computed once for a whole list: their `id` and whether
 * the actor reads their `issues`, the `confidential` ones, their labels and milestones (`planning`), `commits`, `merge_requests`,
 * `deployments`, `packages` and `images`.
 * A condition on the aliases `p` (projects) and `n` (their namespaces) narrows them, and `feature` to those in which it is there for the actor.
 */
export function seenPlaces(actor: Actor | null, where: Prisma.Sql = sql`TRUE`, feature?: Feature): Prisma.Sql {
  const from = sql`projects p JOIN namespaces n ON n.id = p.namespace_id`;
  const isMember = actor === null ? false : actor.admin || sql`l.level > 0`;
  const there = (feature: Feature) => featureThere(feature, project, isMember);
  const narrowed = feature === undefined ? where : sql`${where} AND ${there(feature)}`;
  if (!actor) {
    return sql`places AS MATERIALIZED (SELECT p.id, ${there('issues')} AS issues, FALSE AS confidential,
        (${isPlanningOpen} OR ${Prisma.join(TRACKED.map(there), ' OR ')}) IS TRUE AS planning, ${there('repository')} AS commits, ${there('mergeRequests')} AS merge_requests, FALSE AS deployments, TRUE AS packages, ${there('containerRegistry')} AS images
      FROM ${from} WHERE p.deleted_at IS NULL AND ${openTo(null, project)} AND ${narrowed})`;
  }
  if (actor.admin) {
    return sql`places AS MATERIALIZED (SELECT p.id, ${there('issues')} AS issues, TRUE AS confidential, TRUE AS planning, ${there('repository')} AS commits,
        ${there('mergeRequests')} AS merge_requests, ${there('jobs')} AS deployments, TRUE AS packages,
        ${there('containerRegistry')} AS images
      FROM ${from} WHERE p.deleted_at IS NULL AND ${narrowed})`;
  }
  const isReporter = sql`COALESCE(l.level, 0) >= ${REPORTER}`;
  const readsCode = sql`(${openTo(actor, project)} OR ${isReporter})`;
  return sql`levels AS MATERIALIZED (${projectLevels(actor)}),
    places AS MATERIALIZED (SELECT p.id, ${there('issues')} AS issues, ${isReporter} AS confidential,
        (${isMember} OR ${isPlanningOpen} OR ${Prisma.join(TRACKED.map(there), ' OR ')}) IS TRUE AS planning,
        ${there('repository')} AND ${readsCode} AS commits, ${there('mergeRequests')} AND ${readsCode} AS merge_requests,
        ${there('jobs')} AND ${isReporter} AS deployments, ${readsCode} AS packages,
        ${there('containerRegistry')} AND ${readsCode} AS images
      FROM ${from} LEFT JOIN levels l ON l.project_id = p.id
      WHERE p.deleted_at IS NULL AND (${openTo(actor, project)} OR l.level > 0) AND ${narrowed})`;
}

/**
 * Whether the project of that ID is in `places`, optionally with readable issues, confidential ones, labels and milestones, commits,
 * merge requests, deployments, packages or images.
 * In this form each set is built once and looked up per row, while rows keep their order.
 */
export function within(
  projectId: Prisma.Sql,
  what?: 'issues' | 'confidential' | 'planning' | 'commits' | 'merge_requests' | 'deployments' | 'packages' | 'images',
): Prisma.Sql {
  const where = what === undefined ? Prisma.empty : Prisma.raw(`WHERE v.${what}`);
  return sql`((${projectId} IN (SELECT v.id FROM places v ${where})) IS TRUE)`;
}
