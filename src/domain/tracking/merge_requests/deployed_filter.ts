import { REPORTER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { within } from '#src/access/permissions/places.ts';
import { projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import { timestamp } from '#src/platform/database/timestamp.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [deployment, environment] = [alias('Deployment', 'fd'), alias('Environment', 'fe')];
const [project, namespace] = [alias('Project', 'fp'), alias('Namespace', 'fn')];

/** Filters by the deployments of merge commits; those that the actor cannot see do not count. */
export interface DeployedFilter {
  /** Name of the environment, case-sensitive. */
  environment?: string | null | undefined;
  /** Inclusive. */
  deployedAfter?: Date | null | undefined;
  deployedBefore?: Date | null | undefined;
}

/**
 * The condition that one deployment of the merge commit that has succeeded meets all of these filters, of a merge request of a project, or of those
 * in the subquery `places` if it is null. Each merge commit is looked up by index: a project may have any number of deployments.
 */
export function deployedConditions(
  { targetProjectId, mergeCommitSha }: Pick<Alias<'MergeRequest'>, 'targetProjectId' | 'mergeCommitSha'>,
  { environment: name, deployedAfter, deployedBefore }: DeployedFilter,
  actor: Actor | null,
  projectId: number | Prisma.Sql | null,
): Prisma.Sql[] {
  if (!name && !deployedAfter && !deployedBefore) return [];
  const time = sql`COALESCE(${deployment.finishedAt}, ${deployment.createdAt})`;
  const conditions = [
    sql`${deployment.projectId} = ${targetProjectId} AND ${deployment.sha} = ${mergeCommitSha} AND ${deployment.status} = 'success'`,
    ...(name ? [sql`${environment.name} = ${name}`] : []),
    ...(deployedAfter ? [sql`${time} >= ${timestamp(deployedAfter)}`] : []),
    ...(deployedBefore ? [sql`${time} <= ${timestamp(deployedBefore)}`] : []),
  ];
  return [
    sql`${mergeCommitSha} IS NOT NULL`,
    projectId === null ? within(targetProjectId, 'deployments') : readsDeployments(actor, projectId),
    sql`EXISTS (SELECT 1 FROM ${table(deployment)} JOIN ${table(environment)} ON ${environment.id} = ${deployment.environmentId}
      WHERE ${all(conditions)} OFFSET 0)`,
  ];
}

/** Whether the actor can read the deployments of a project. */
function readsDeployments(actor: Actor | null, projectId: number | Prisma.Sql): Prisma.Sql {
  const isReader = actor?.admin ? sql`TRUE` : sql`${projectAccessLevel(actor, project, namespace)} >= ${REPORTER}`;
  return sql`(SELECT ${project.jobsEnabled} AND ${isReader} FROM ${table(project)}
    JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId} WHERE ${project.id} = ${projectId})`;
}
