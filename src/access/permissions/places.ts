import { REPORTER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { openTo, projectLevels } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const project = alias('Project', 'p');

/**
 * The projects visible to the actor, as the subquery `places` for WITH, computed once for a whole list: their `id` and whether
 * the actor reads their `issues`, the `confidential` ones, their `commits`, `merge_requests` and `deployments`. A condition on the aliases
 * `p` (projects) and `n` (their namespaces) narrows them.
 */
export function seenPlaces(actor: Actor, where: Prisma.Sql = sql`TRUE`): Prisma.Sql {
  const from = sql`projects p JOIN namespaces n ON n.id = p.namespace_id`;
  if (actor.admin) {
    return sql`places AS MATERIALIZED (SELECT p.id, p.issues_enabled AS issues, TRUE AS confidential, TRUE AS commits,
        p.merge_requests_enabled AS merge_requests, p.jobs_enabled AS deployments
      FROM ${from} WHERE p.deleted_at IS NULL AND ${where})`;
  }
  const readsCode = sql`${openTo(actor, project)} OR COALESCE(l.level, 0) >= ${REPORTER}`;
  return sql`levels AS MATERIALIZED (${projectLevels(actor)}),
    places AS MATERIALIZED (SELECT p.id, p.issues_enabled AS issues, COALESCE(l.level, 0) >= ${REPORTER} AS confidential,
        ${readsCode} AS commits, p.merge_requests_enabled AND (${readsCode}) AS merge_requests,
        p.jobs_enabled AND COALESCE(l.level, 0) >= ${REPORTER} AS deployments
      FROM ${from} LEFT JOIN levels l ON l.project_id = p.id
      WHERE p.deleted_at IS NULL AND (${openTo(actor, project)} OR l.level > 0) AND ${where})`;
}

/**
 * Whether the project of that ID is in `places`, optionally with readable issues, confidential ones, commits, merge requests or
 * deployments.
 * In this form each set is built once and looked up per row, while rows keep their order.
 */
export function within(
  projectId: Prisma.Sql,
  what?: 'issues' | 'confidential' | 'commits' | 'merge_requests' | 'deployments',
): Prisma.Sql {
  const where = what === undefined ? Prisma.empty : Prisma.raw(`WHERE v.${what}`);
  return sql`((${projectId} IN (SELECT v.id FROM places v ${where})) IS TRUE)`;
}
