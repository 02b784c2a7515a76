import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { timestamp } from '#src/platform/database/timestamp.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [deployment, environment] = [alias('Deployment', 'd'), alias('Environment', 'de')];

/** A deployment of a project. */
export const { find: findDeployment, findByIds: findDeploymentsByIds } = projectScoped({
  ability: 'read_deployment',
  rows: deployment,
});

export const DEPLOYMENT_STATUSES = ['created', 'running', 'success', 'failed', 'canceled'] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** Which deployments are listed. Times are inclusive. */
export interface DeploymentFilter {
  /** Name of the environment. */
  environment?: string | null | undefined;
  status?: DeploymentStatus | null | undefined;
  updatedAfter?: Date | null | undefined;
  updatedBefore?: Date | null | undefined;
  finishedAfter?: Date | null | undefined;
  finishedBefore?: Date | null | undefined;
}

const COLUMNS = {
  id: null,
  iid: 'iid',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  finished_at: 'finishedAt',
  ref: 'ref',
} as const;

/** In which order deployments are listed. */
export interface DeploymentOrder {
  orderBy: keyof typeof COLUMNS;
  sort: Direction;
}

/** The deployments of each project, in one statement; Forbidden in place of unreadable ones. Throws Unauthenticated. */
export async function listDeployments<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: DeploymentFilter,
  { orderBy, sort }: DeploymentOrder,
  page: PageRequest,
  selection: Selection<'Deployment', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const column = COLUMNS[orderBy];
  const sorted = order('Deployment', column === null ? ['id'] : [column, 'id'], sort, {
    nulls: column === 'finishedAt' ? 'last' : undefined,
  });
  const pageOf = ({ project }: Asked<{ project: number }>) => {
    const where = all([sql`${deployment.projectId} = ${project}`, ...conditionsOf(filter)]);
    return pageOfRows(selection, { rows: deployment, where, order: sorted }, page);
  };
  return forPermittedParents(
    projects,
    (project) => authorize(actor, 'read_deployment', project),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ project: id }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
    },
  );
}

/** An environment, with its project. */
export interface DeploymentsParent {
  project: ProjectRow;
  environmentId: number;
}

/** The deployments to each environment, newest first, in one statement; Forbidden in place of unreadable ones. Throws Unauthenticated. */
export async function listDeploymentsTo<R>(
  context: Context,
  environments: readonly DeploymentsParent[],
  page: PageRequest,
  selection: Selection<'Deployment', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = (asked: Asked<{ environment: number }>) => {
    const where = sql`${deployment.environmentId} = ${asked.environment}`;
    return pageOfRows(selection, { rows: deployment, where, order: order('Deployment', ['id'], 'desc') }, page);
  };
  return forPermittedParents(
    environments,
    ({ project }) => authorize(actor, 'read_deployment', project),
    (permitted) => {
      const parents = permitted.map(({ environmentId }) => ({ environment: environmentId }));
      return readPages<R>(context.db, page, perParent(parents, { environment: 'int' }, pageOf));
    },
  );
}

function conditionsOf(filter: DeploymentFilter): Prisma.Sql[] {
  const { environment: name, status, updatedAfter, updatedBefore, finishedAfter, finishedBefore } = filter;
  const { updatedAt, finishedAt } = deployment;
  return [
    ...(name
      ? [
          sql`${deployment.environmentId} IN (SELECT ${environment.id} FROM ${table(environment)}
            WHERE ${environment.projectId} = ${deployment.projectId} AND ${environment.name} = ${name})`,
        ]
      : []),
    ...(status ? [sql`${deployment.status} = ${status}::deployment_status`] : []),
    ...(updatedAfter ? [sql`${updatedAt} >= ${timestamp(updatedAfter)}`] : []),
    ...(updatedBefore ? [sql`${updatedAt} <= ${timestamp(updatedBefore)}`] : []),
    ...(finishedAfter ? [sql`${finishedAt} >= ${timestamp(finishedAfter)}`] : []),
    ...(finishedBefore ? [sql`${finishedAt} <= ${timestamp(finishedBefore)}`] : []),
  ];
}
