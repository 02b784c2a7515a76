import { slugOf } from '#src/domain/ci/environments/values.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { isWebUrl } from '#src/platform/web_url.ts';

export interface NewDeployment {
  projectId: number;
  ref: string;
  tag: boolean;
  sha: string;
  userId: number;
  /** The job that deployed; null for another system. */
  jobId: number | null;
  /** Name of the environment, created if missing. */
  environment: string;
  /** New URL of the environment; null keeps the current one. */
  url: string | null;
}

/** Records the deployment of a job that succeeded, or stops its environment; does nothing for jobs without one. */
export async function recordDeployment(tx: Transaction, jobId: number): Promise<void> {
  const [job] = await tx.$queryRaw<(NewDeployment & { action: string | null })[]>`
    SELECT j.project_id AS "projectId", p.ref, p.tag, p.sha, j.user_id AS "userId", j.id AS "jobId", j.environment,
      j.environment_url AS url, j.environment_action AS action
    FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id WHERE j.id = ${jobId} AND j.environment IS NOT NULL`;
  if (!job) return;
  const { action, ...deployment } = job;
  if (action === 'stop') await stopEnvironment(tx, deployment);
  else await insertDeployment(tx, deployment);
}

async function stopEnvironment(tx: Transaction, { projectId, environment }: NewDeployment): Promise<void> {
  await tx.$executeRaw`UPDATE environments SET state = 'stopped', updated_at = now()
    WHERE project_id = ${projectId} AND name = ${environment}`;
}

/** Records a deployment; its environment is created if missing, and available from then on. Returns the ID of the deployment. */
export async function insertDeployment(tx: Transaction, deployment: NewDeployment): Promise<number> {
  const { projectId, ref, tag, sha, userId, jobId, environment, url } = deployment;
  const address = url !== null && url.length <= 255 && isWebUrl(url) ? url : null;
  const [row] = await tx.$queryRaw<[{ id: number }]>`
    WITH place AS (INSERT INTO environments (project_id, name, slug, external_url)
        VALUES (${projectId}, ${environment}, ${slugOf(environment)}, ${address})
        ON CONFLICT (project_id, name) DO UPDATE SET state = 'available', updated_at = now(),
          external_url = COALESCE(EXCLUDED.external_url, environments.external_url) RETURNING id),
      counter AS (UPDATE project_counters SET last_deployment_iid = last_deployment_iid + 1 WHERE project_id = ${projectId}
        RETURNING last_deployment_iid)
    INSERT INTO deployments (iid, project_id, environment_id, ref, tag, sha, user_id, job_id)
    SELECT last_deployment_iid, ${projectId}, place.id, ${ref}, ${tag}, ${sha}, ${userId}, ${jobId}::int FROM counter, place
    RETURNING id`;
  return row.id;
}
