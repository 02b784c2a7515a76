import { aggregate, COMPLETE, coveredSeconds, type JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { recordDeploymentStarts } from '#src/domain/ci/deployments/record.ts';
import { Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** The fields of a current job that determine the pipeline's values. Times are ISO 8601. */
interface LatestJob {
  id: number;
  status: JobStatus;
  allowFailure: boolean;
  when: string;
  /** Whether it starts another pipeline. */
  isBridge: boolean;
  /** Jobs of the project with the same one run one at a time. */
  resourceGroup: string | null;
  holdsResource: boolean;
  stageIndex: number;
  name: string;
  /** Names of the jobs that it waits for; null for all of the earlier stages. */
  needs: string[] | null;
  coverage: number | null;
  startedAt: string | null;
  finishedAt: string | null;
}

/** Locks the jobs of a pipeline until the transaction ends. Throws NotFound. */
export async function lockPipeline(tx: Transaction, id: number): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM pipelines WHERE id = ${id} FOR UPDATE`;
  if (rows.length === 0) throw new NotFound('Pipeline');
}

/**
 * Updates a pipeline after its jobs have changed: jobs whose turn it is are queued or skipped, and status, times and coverage
 * follow (behaviour.md 8). A status given by a user overrides that of the jobs. The pipeline is locked. A job notifies open merge
 * requests of its commit if it succeeds, and its author gets mail when it ends.
 */
export async function settlePipeline(
  tx: Transaction,
  context: ChangeContext,
  id: number,
  wish?: JobStatus,
): Promise<void> {
  const jobs = await latestJobs(tx, id);
  await writeTurns(tx, takeTurns(jobs));
  if (jobs.some(({ resourceGroup }) => resourceGroup !== null)) await queueForResources(tx, context, id, jobs);
  await startBridges(tx, context, jobs);
  const status = wish ?? (jobs.length === 0 ? null : aggregate(jobs));
  if (status === null) return;
  const { hasChanged, isAwaited, isDownstream, projectId } = await write(tx, id, status, jobs);
  const hasEnded = hasChanged && (status === 'success' || status === 'failed');
  const pipeline = { id, projectId };
  if (hasChanged && isDownstream) await context.jobs?.enqueue(tx, 'pipelines.follow', { pipelineId: id });
  await recordChange(tx, context, { type: 'pipelineChanged', pipeline, status, hasEnded, isAwaited });
}

function latestJobs(tx: Transaction, pipelineId: number): Promise<LatestJob[]> {
  return queryJson(
    tx,
    sql`(SELECT COALESCE(json_agg(json_build_object('id', id, 'status', status, 'allowFailure', allow_failure, 'when', "when", 'isBridge', bridge, 'resourceGroup', resource_group, 'holdsResource', holds_resource,
      'stageIndex', stage_index, 'name', name, 'needs', needs, 'coverage', coverage, 'startedAt', started_at, 'finishedAt', finished_at)
      ORDER BY stage_index, id), '[]') FROM jobs WHERE pipeline_id = ${pipelineId} AND NOT retried)`,
  );
}

/** The statuses of the earlier stages after which a job runs. */
const RUNS_AFTER: Record<string, readonly JobStatus[]> = {
  on_success: ['success', 'skipped'],
  on_failure: ['failed'],
  always: ['success', 'failed', 'skipped'],
  manual: ['success', 'skipped'],
  delayed: ['success', 'skipped'],
};

/** The state in which a job waits, once its turn has come, unless for a runner. */
const WAITING: Record<string, JobStatus> = { manual: 'manual', delayed: 'scheduled' };

/** Assigns new statuses to jobs that wait for others; returns those that changed. `jobs` are in the order of stages. */
function takeTurns(jobs: readonly LatestJob[]): LatestJob[] {
  const changed: LatestJob[] = [];
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const hasNeeds = jobs.some(({ needs }) => needs !== null);
  for (let again = true; again; ) {
    again = false;
    let stage: number | null = null;
    let earlier: JobStatus | null = null;
    for (const job of jobs) {
      if (job.stageIndex !== stage) [stage, earlier] = [job.stageIndex, null];
      if (job.status !== 'created') continue;
      if (job.needs === null) earlier ??= aggregate(jobs.filter(({ stageIndex }) => stageIndex < job.stageIndex));
      const its = job.needs === null ? afterStages(job, earlier ?? 'success') : afterNeeds(job, byName);
      if (its === null) continue;
      job.status = its ? (WAITING[job.when] ?? 'pending') : 'skipped';
      changed.push(job);
      // A job that is skipped may be what one before it in the order waits for.
      again = hasNeeds;
    }
  }
  return changed;
}

/** Whether the job runs after the earlier stages; null while it waits for them. */
function afterStages({ when }: LatestJob, before: JobStatus): boolean | null {
  return COMPLETE.includes(before) ? (RUNS_AFTER[when]?.includes(before) ?? false) : null;
}

/**
 * Whether the job runs after those that it needs; null while it waits for them. A manual job that may be left out counts as skipped,
 * and a job does not run without one that it needs.
 */
function afterNeeds({ needs, when }: LatestJob, byName: ReadonlyMap<string, LatestJob>): boolean | null {
  const needed = (needs ?? []).flatMap((name) => byName.get(name) ?? []);
  const isLeftOut = ({ status, allowFailure }: LatestJob) => status === 'manual' && allowFailure;
  if (!needed.every((job) => COMPLETE.includes(job.status) || isLeftOut(job))) return null;
  if (when === 'always') return true;
  if (needed.some((job) => job.status === 'skipped' || isLeftOut(job))) return false;
  return RUNS_AFTER[when]?.includes(aggregate(needed)) ?? false;
}

async function writeTurns(tx: Transaction, changed: readonly LatestJob[]): Promise<void> {
  if (changed.length === 0) return;
  const turns = JSON.stringify(changed.map(({ id, status }) => ({ id, status })));
  await tx.$executeRaw`
    UPDATE jobs SET status = turn.status::job_status, updated_at = now(),
      queued_at = CASE WHEN turn.status = 'pending' THEN now() ELSE queued_at END,
      scheduled_at = CASE WHEN turn.status = 'scheduled'
        THEN now() + make_interval(secs => COALESCE((options->>'start_in')::float8, 0)) END
    FROM jsonb_to_recordset(${turns}::jsonb) AS turn (id int, status text) WHERE jobs.id = turn.id`;
}

/** Lets jobs wait for the others of their resource groups, and those go on for which jobs that have ended made room. */
async function queueForResources(
  tx: Transaction,
  { jobs: queue }: ChangeContext,
  id: number,
  jobs: readonly LatestJob[],
): Promise<void> {
  const waiting = jobs.filter((job) => job.status === 'pending' && job.resourceGroup !== null && !job.holdsResource);
  for (const job of waiting) job.status = 'waiting_for_resource';
  if (waiting.length > 0) {
    await tx.$executeRaw`UPDATE jobs SET status = 'waiting_for_resource', updated_at = now()
      WHERE id = ANY(${waiting.map((job) => job.id)}::int[])`;
  }
  await tx.$executeRaw`
    UPDATE jobs SET holds_resource = false WHERE pipeline_id = ${id} AND holds_resource AND status NOT IN ('pending', 'running', 'canceling')`;
  // Jobs of other pipelines may wait for some here whose turn will never come.
  const names = jobs.flatMap(({ resourceGroup }) => resourceGroup ?? []);
  const awaited = await tx.$queryRaw<{ projectId: number; name: string }[]>`
    SELECT DISTINCT w.project_id AS "projectId", w.resource_group AS name FROM jobs w JOIN pipelines p ON p.project_id = w.project_id
    WHERE p.id = ${id} AND w.resource_group = ANY(${[...new Set(names)]}::text[]) AND w.status = 'waiting_for_resource'
      AND NOT EXISTS (SELECT 1 FROM jobs h WHERE h.project_id = w.project_id AND h.resource_group = w.resource_group AND h.holds_resource)`;
  for (const group of awaited) await queue?.enqueue(tx, 'resource_groups.assign', group);
}

/** Has the jobs whose turn has come and that start other pipelines do so, without a runner. */
async function startBridges(
  tx: Transaction,
  { jobs: queue }: ChangeContext,
  jobs: readonly LatestJob[],
): Promise<void> {
  const bridges = jobs.filter(({ isBridge, status }) => isBridge && status === 'pending');
  if (bridges.length === 0) return;
  await tx.$executeRaw`UPDATE jobs SET status = 'running', queued_at = COALESCE(queued_at, now()), started_at = now(), updated_at = now()
    WHERE id = ANY(${bridges.map(({ id }) => id)}::int[])`;
  await recordDeploymentStarts(
    tx,
    bridges.map(({ id }) => id),
  );
  for (const job of bridges) {
    [job.status, job.startedAt] = ['running', new Date().toISOString()];
    await queue?.enqueue(tx, 'pipelines.trigger', { jobId: job.id });
  }
}

interface Written {
  /** Whether the status has changed. */
  hasChanged: boolean;
  /** Whether the commit is the head of an open merge request. */
  isAwaited: boolean;
  /** Whether a job of another pipeline started it. */
  isDownstream: boolean;
  projectId: number;
}

/** Throws NotFound when the pipeline is gone. */
async function write(tx: Transaction, id: number, status: JobStatus, jobs: readonly LatestJob[]): Promise<Written> {
  const finished = ['success', 'failed', 'canceled'].includes(status);
  const values = jobs.flatMap(({ coverage }) => (coverage === null ? [] : [coverage]));
  const coverage = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  const spans = jobs.flatMap(({ startedAt, finishedAt }) =>
    startedAt && finishedAt ? [{ from: Date.parse(startedAt), to: Date.parse(finishedAt) }] : [],
  );
  const duration = finished ? coveredSeconds(spans) : null;
  const started = jobs.flatMap(({ startedAt }) => startedAt ?? []).sort()[0] ?? null;
  const [written] = await tx.$queryRaw<Written[]>`
    UPDATE pipelines p SET status = ${status}::job_status, coverage = ${coverage}::float8, duration = ${duration}::int,
      started_at = COALESCE(p.started_at, ${started}::timestamptz), updated_at = now(),
      finished_at = CASE WHEN ${finished} THEN COALESCE(CASE WHEN p.status::text = ${status} THEN p.finished_at END, now()) END
    FROM pipelines before WHERE p.id = ${id} AND before.id = p.id
    RETURNING p.project_id AS "projectId", p.source_job_id IS NOT NULL AS "isDownstream", before.status::text <> ${status} AS "hasChanged",
      EXISTS (SELECT 1 FROM merge_requests m WHERE m.state = 'opened' AND m.source_project_id = p.project_id
        AND (m.source_branch = p.ref OR m.id = p.merge_request_id) AND m.sha = p.sha) AS "isAwaited"`;
  if (!written) throw new NotFound('Pipeline');
  return written;
}
