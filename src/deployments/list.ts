import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { type EnvironmentRow, environmentJson } from '#src/environments/list.ts';
import { JOB_JSON, JOB_RELATIONS, type JobRow } from '#src/jobs/rows.ts';
import { Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** That a commit was brought to an environment. */
export interface DeploymentRow {
  id: number;
  /** Counts the deployments of the project. */
  iid: number;
  projectId: number;
  ref: string;
  tag: boolean;
  sha: string;
  /** ISO 8601. */
  createdAt: string;
  user: UserRow;
  environment: EnvironmentRow;
  /** The job that did it; null where another system deployed. */
  job: JobRow | null;
}

/** The deployments of a project, oldest first. Throws Forbidden, Unauthenticated. */
export async function listDeployments(
  context: Context,
  project: ProjectRow,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<DeploymentRow>> {
  authorize(requireActor(context), 'read_deployment', project);
  const source = sql`deployments WHERE project_id = ${project.id}`;
  const rows = sql`SELECT * FROM ${source} ORDER BY id LIMIT ${limit} OFFSET ${offset}`;
  return queryPage(context.db, offset, deploymentRows(rows), withTotal && sql`(SELECT count(*) FROM ${source})`);
}

/** One deployment of the project. Throws NotFound, Forbidden, Unauthenticated. */
export async function findDeployment(context: Context, project: ProjectRow, id: number): Promise<DeploymentRow> {
  authorize(requireActor(context), 'read_deployment', project);
  const rows = sql`SELECT * FROM deployments WHERE project_id = ${project.id} AND id = ${id}`;
  const [row] = await queryJson<DeploymentRow[]>(context.db, deploymentRows(rows));
  if (!row) throw new NotFound('Deployment');
  return row;
}

function deploymentRows(rows: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', d.id, 'iid', d.iid, 'projectId', d.project_id, 'ref', d.ref,
      'tag', d.tag, 'sha', d.sha, 'createdAt', d.created_at, 'user', ${userJson('u')}, 'environment', ${environmentJson('e')},
      'job', (SELECT ${JOB_JSON} FROM jobs j ${JOB_RELATIONS} WHERE j.id = d.job_id)) ORDER BY d.id), '[]')
    FROM (${rows}) d JOIN users u ON u.id = d.user_id JOIN environments e ON e.id = d.environment_id)`;
}
