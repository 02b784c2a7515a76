import { parseDuration } from '#src/base/duration.ts';
import type { DeploymentStatus } from '#src/domain/ci/deployments/list.ts';
import { finalUrl, type KnownForUrl } from '#src/domain/ci/environments/url.ts';
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
  /** What the environment is for, if it is created; null for what its name says. */
  tier?: string | null;
  /** Succeeded when absent. */
  status?: DeploymentStatus;
}

interface OfJob extends NewDeployment {
  action: string | null;
  /** How long the environment is used from then on, as the file says it. */
  autoStopIn: string | null;
  /** What its URL refers to; null for those of earlier versions, which are as they should be. */
  known: KnownForUrl | null;
  /** The variables that the job has reported. */
  reported: Record<string, string> | null;
}

/** Records the deployments of jobs that have begun to run, whose pipelines are locked. */
export async function recordDeploymentStarts(tx: Transaction, jobIds: readonly number[]): Promise<void> {
  const jobs = await tx.$queryRaw<NewDeployment[]>`
    SELECT j.project_id AS "projectId", p.ref, p.tag, p.sha, j.user_id AS "userId", j.id AS "jobId", j.environment,
      NULL AS url, j.options->'environment'->>'tier' AS tier, 'running' AS status
    FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id
    WHERE j.id = ANY(${[...jobIds]}::int[]) AND j.status = 'running' AND j.environment IS NOT NULL
      AND COALESCE(j.environment_action, 'start') = 'start' AND NOT EXISTS (SELECT 1 FROM deployments d WHERE d.job_id = j.id)
    ORDER BY j.id`;
  for (const job of jobs) await insertDeployment(tx, job);
}

/** Ends the deployments of jobs that have ended without success, or are deleted. */
export async function endDeployments(
  tx: Transaction,
  jobIds: readonly number[],
  status: 'failed' | 'canceled',
): Promise<void> {
  if (jobIds.length === 0) return;
  await tx.$executeRaw`
    UPDATE deployments SET status = ${status}::deployment_status, finished_at = now(), updated_at = now()
    WHERE job_id = ANY(${[...jobIds]}::int[]) AND status IN ('created', 'running')`;
}

/** Does what a job that succeeded says of its environment: its deployment has succeeded, or it stops it, or sets when it is stopped. */
export async function recordDeployment(tx: Transaction, jobId: number): Promise<void> {
  const [job] = await tx.$queryRaw<OfJob[]>`
    SELECT j.project_id AS "projectId", p.ref, p.tag, p.sha, j.user_id AS "userId", j.id AS "jobId", j.environment,
      j.environment_url AS url, j.environment_action AS action, j.options->'environment'->>'tier' AS tier,
      j.options->'environment'->>'auto_stop_in' AS "autoStopIn", j.options->'environment'->'known' AS known,
      (SELECT r.variables FROM job_reports r WHERE r.job_id = j.id AND r.type = 'dotenv') AS reported
    FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id WHERE j.id = ${jobId} AND j.environment IS NOT NULL`;
  if (!job) return;
  const { action, autoStopIn, known, reported, ...written } = job;
  const url = written.url !== null && known !== null ? finalUrl(written.url, known, reported ?? {}) : written.url;
  const deployment = { ...written, url };
  if (action === 'stop') return stopEnvironment(tx, deployment);
  // Statuses of jobs of other systems have no action.
  if (action === null || action === 'start') await succeed(tx, deployment);
  if (autoStopIn !== null) await setAutoStop(tx, deployment, autoStopIn);
}

/** The deployment of a job that has just succeeded: the one that its start has recorded, if it did. */
async function succeed(tx: Transaction, deployment: NewDeployment): Promise<void> {
  const [begun] = await tx.$queryRaw<{ environmentId: number }[]>`
    UPDATE deployments SET status = 'success', user_id = ${deployment.userId}, finished_at = now(), updated_at = now()
    WHERE id = (SELECT max(id) FROM deployments WHERE job_id = ${deployment.jobId}::int) RETURNING environment_id AS "environmentId"`;
  if (!begun) return void (await insertDeployment(tx, deployment));
  await tx.$executeRaw`
    UPDATE environments SET state = 'available', external_url = COALESCE(${addressOf(deployment.url)}, external_url), updated_at = now()
    WHERE id = ${begun.environmentId}`;
}

function addressOf(url: string | null): string | null {
  return url !== null && url.length <= 255 && isWebUrl(url) ? url : null;
}

/** Makes an environment available again whose stop job did not succeed. */
export async function recordFailedStop(tx: Transaction, jobId: number): Promise<void> {
  await tx.$executeRaw`UPDATE environments e SET state = 'available', updated_at = now() FROM jobs j
    WHERE j.id = ${jobId} AND j.environment_action = 'stop' AND e.project_id = j.project_id AND e.name = j.environment
      AND e.state = 'stopping'`;
}

async function stopEnvironment(tx: Transaction, { projectId, environment }: NewDeployment): Promise<void> {
  await tx.$executeRaw`UPDATE environments SET state = 'stopped', auto_stop_at = NULL, updated_at = now()
    WHERE project_id = ${projectId} AND name = ${environment}`;
}

async function setAutoStop(tx: Transaction, { projectId, environment }: NewDeployment, text: string): Promise<void> {
  const duration = parseDuration(text);
  if (duration === null) return;
  const seconds = Number.isFinite(duration) ? duration / 1_000 : null;
  await tx.$executeRaw`UPDATE environments SET auto_stop_at = now() + make_interval(secs => ${seconds}::float8), updated_at = now()
    WHERE project_id = ${projectId} AND name = ${environment} AND state <> 'stopped'`;
}

/**
 * Records a deployment; its environment is created if missing, and available once one has succeeded. Returns the ID of the deployment.
 */
export async function insertDeployment(tx: Transaction, deployment: NewDeployment): Promise<number> {
  const { projectId, ref, tag, sha, userId, jobId, environment, url, tier = null, status = 'success' } = deployment;
  const address = addressOf(url);
  const isOver = status !== 'created' && status !== 'running';
  const [row] = await tx.$queryRaw<[{ id: number }]>`
    WITH place AS (INSERT INTO environments (project_id, name, slug, external_url, tier)
        VALUES (${projectId}, ${environment}, ${slugOf(environment)}, ${address}, ${tier})
        ON CONFLICT (project_id, name) DO UPDATE SET updated_at = now(),
          state = CASE WHEN ${status === 'success'} THEN 'available' ELSE environments.state END,
          external_url = COALESCE(EXCLUDED.external_url, environments.external_url) RETURNING id),
      counter AS (UPDATE project_counters SET last_deployment_iid = last_deployment_iid + 1 WHERE project_id = ${projectId}
        RETURNING last_deployment_iid)
    INSERT INTO deployments (iid, project_id, environment_id, ref, tag, sha, user_id, job_id, status, finished_at)
    SELECT last_deployment_iid, ${projectId}, place.id, ${ref}, ${tag}, ${sha}, ${userId}, ${jobId}::int, ${status}::deployment_status,
      CASE WHEN ${isOver} THEN now() END FROM counter, place
    RETURNING id`;
  return row.id;
}
