import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { afterFailure } from '#src/domain/ci/jobs/after_failure.ts';
import { reviveSkipped } from '#src/domain/ci/jobs/clone.ts';
import type { FailureReason } from '#src/domain/ci/jobs/failure_reason.ts';
import { moveJob } from '#src/domain/ci/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { buildPipeline } from '#src/domain/ci/pipelines/build.ts';
import type { PipelineSource } from '#src/domain/ci/pipelines/config/base/origin.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import { predefined } from '#src/domain/ci/pipelines/config/base/variables.ts';
import { planText } from '#src/domain/ci/pipelines/config/read.ts';
import { layered } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import type { TriggerConfig } from '#src/domain/ci/pipelines/config/trigger.ts';
import { buildPlanned, type PlannedPipeline, planStart } from '#src/domain/ci/pipelines/create.ts';
import { decryptVariables, encryptVariables, type GivenVariable } from '#src/domain/ci/pipelines/given_variables.ts';
import { predefinedVariables, strongVariables } from '#src/domain/ci/pipelines/known.ts';
import { Expansion } from '#src/domain/ci/variables/expansion.ts';
import { variablesOfProject } from '#src/domain/ci/variables/of_pipeline.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, nullIfNotFound, ValidationFailed } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Starts the pipeline that a job is for. */
    'pipelines.trigger': { jobId: number };
    /** Has the job that started a pipeline follow its status. */
    'pipelines.follow': { pipelineId: number };
    /** Cancels the child pipelines of a canceled one. */
    'pipelines.cancel_children': { pipelineId: number };
  }
}

/** Levels of child pipelines below one that is none, pipelines above each other, and all that one leads to. */
const MAX_CHILD_LEVELS = 2;
const MAX_UPSTREAM_PIPELINES = 20;
const MAX_RELATED_PIPELINES = 1_000;
/** Characters of all variables that are passed on, and of one of them in another. */
const MAX_CHARACTERS = 256 * 1024;

interface Bridge {
  id: number;
  pipelineId: number;
  projectId: number;
  userId: number;
  options: { trigger?: TriggerConfig; variables?: Variables; raw_variables?: string[] };
  ref: string;
  tag: boolean;
  sha: string;
  source: PipelineSource;
  starterId: number;
  mergeRequestId: number | null;
  sourceBranch: string | null;
  predefined: Variables | null;
  variablesEncrypted: Uint8Array | null;
  /** The pipeline that it has started. */
  downstreamId: number | null;
}

/** Why a job could not start its pipeline. */
class Failure extends Error {
  readonly reason: FailureReason;
  /** The pipeline that failed at once because of its file. */
  readonly planned: PlannedPipeline | null;

  constructor(reason: FailureReason, planned: PlannedPipeline | null = null) {
    super(reason);
    this.reason = reason;
    this.planned = planned;
  }
}

/**
 * Starts the pipeline that a running job is for, with the rights of the job's user in the project. The job then succeeds, or waits for
 * the pipeline; if there is none to start, it fails.
 *
 * @param as the context of a user; null if the user is no longer active
 */
export async function startDownstream(
  stores: ChangeContext & { db: Db },
  { jobId }: { jobId: number },
  as: (userId: number) => Promise<Context | null>,
): Promise<void> {
  const bridge = await findBridge(stores.db, jobId);
  if (!bridge?.options.trigger) return;
  if (bridge.downstreamId === null) {
    const context = await as(bridge.userId);
    try {
      if (!context) throw new Failure('insufficient_bridge_permissions');
      const planned = await planDownstream(context, bridge, bridge.options.trigger);
      if (planned.plan.error !== null) throw new Failure('downstream_pipeline_creation_failed', planned);
      if (!planned.plan.jobs?.length) throw new Failure('downstream_pipeline_creation_failed');
      await build(context, planned);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // Shows what is wrong with its file.
      if (context && error.planned) await build(context, error.planned);
      return endBridge(stores, bridge, 'failed', error.reason);
    }
  }
  if (!bridge.options.trigger.depends) await endBridge(stores, bridge, 'success');
  else if (bridge.downstreamId !== null) await followDownstream(stores, { pipelineId: bridge.downstreamId });
}

/** Has the job that started a pipeline end as the pipeline does, or run again with it, if it waits for it. */
export async function followDownstream(
  stores: ChangeContext & { db: Db },
  { pipelineId }: { pipelineId: number },
): Promise<void> {
  const [above] = await stores.db.$queryRaw<{ id: number; pipelineId: number }[]>`
    SELECT j.id, j.pipeline_id AS "pipelineId" FROM pipelines p JOIN jobs j ON j.id = p.source_job_id
    WHERE p.id = ${pipelineId} AND NOT j.retried AND (j.options->'trigger'->>'depends')::boolean`;
  if (!above) return;
  await changeBridge(stores, above, async (tx, job) => {
    const { status } = await tx.pipeline.findUniqueOrThrow({ where: { id: pipelineId }, select: { status: true } });
    const end = ENDS[status];
    if (end && job.status === 'running') {
      await moveJob(tx, job, end);
      if (end === 'failed') await afterFailure(tx, job.id);
      if (end === 'success') await reviveSkipped(tx, { ...above, behind: job.stageIndex, userId: job.userId });
    } else if (!end && job.status === 'failed') {
      const data = { status: 'running', finishedAt: null, failureReason: null, updatedAt: new Date() } as const;
      await tx.job.update({ where: { id: job.id }, data });
    }
  });
}

/** How a job ends that waits for a pipeline in that state. */
const ENDS: Partial<Record<JobStatus, 'success' | 'failed' | 'canceled'>> = {
  success: 'success',
  skipped: 'success',
  failed: 'failed',
  canceled: 'canceled',
};

interface LockedBridge {
  id: number;
  status: JobStatus;
  stageIndex: number;
  userId: number;
}

async function changeBridge(
  stores: ChangeContext & { db: Db },
  { id, pipelineId }: { id: number; pipelineId: number },
  change: (tx: Transaction, job: LockedBridge) => Promise<unknown>,
): Promise<void> {
  await stores.db
    .$transaction(async (tx) => {
      await lockPipeline(tx, pipelineId);
      const select = { id: true, status: true, stageIndex: true, userId: true };
      const job = await tx.job.findUnique({ where: { id }, select });
      if (!job) return;
      await change(tx, job);
      await settlePipeline(tx, stores, pipelineId);
    })
    .catch((error) => {
      if (!(error instanceof NotFound)) throw error;
    });
}

function endBridge(
  stores: ChangeContext & { db: Db },
  bridge: Bridge,
  end: 'success' | 'failed',
  reason: FailureReason | null = null,
): Promise<void> {
  return changeBridge(stores, bridge, async (tx, job) => {
    if (job.status !== 'running') return;
    await moveJob(tx, job, end);
    if (end === 'success') return;
    await tx.job.update({ where: { id: job.id }, data: { failureReason: reason } });
    await afterFailure(tx, job.id);
  });
}

async function findBridge(db: Db, id: number): Promise<Bridge | null> {
  const [bridge] = await db.$queryRaw<Bridge[]>`
    SELECT j.id, j.pipeline_id AS "pipelineId", j.project_id AS "projectId", j.user_id AS "userId", COALESCE(j.options, '{}') AS options,
      p.ref, p.tag, p.sha, p.source::text AS source, p.user_id AS "starterId", p.merge_request_id AS "mergeRequestId",
      m.source_branch AS "sourceBranch", p.predefined, p.variables_encrypted AS "variablesEncrypted",
      (SELECT max(d.id) FROM pipelines d WHERE d.source_job_id = j.id) AS "downstreamId"
    FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id LEFT JOIN merge_requests m ON m.id = p.merge_request_id
    WHERE j.id = ${id} AND j.bridge AND j.status = 'running'`;
  return bridge ?? null;
}

/** Child pipelines never supersede another pipeline. */
function build(context: Context, planned: PlannedPipeline): Promise<number | null> {
  return planned.input.source === 'parent_pipeline'
    ? buildPipeline(context, planned.input, planned)
    : buildPlanned(context, planned);
}

async function planDownstream(context: Context, bridge: Bridge, trigger: TriggerConfig): Promise<PlannedPipeline> {
  const above = await pipelinesAbove(context.db, bridge.pipelineId);
  if (above.length > MAX_UPSTREAM_PIPELINES || (await sizeOf(context.db, above)) >= MAX_RELATED_PIPELINES) {
    throw new Failure('reached_max_pipeline_hierarchy_size');
  }
  const own = await findProject(context, bridge.projectId).catch(nullIfNotFound);
  if (!own || !can(context.actor, 'create_pipeline', own)) throw new Failure('insufficient_bridge_permissions');
  const variables = await passedOn(context, own, bridge, trigger);
  if (trigger.project === null) {
    const level = above.findIndex(({ source }) => source !== 'parent_pipeline');
    if (level >= MAX_CHILD_LEVELS) throw new Failure('reached_max_descendant_pipelines_depth');
    return planChild(context, own, bridge, { trigger, variables });
  }
  const project = await findProject(context, trigger.project).catch(nullIfNotFound);
  if (!project) throw new Failure('downstream_bridge_project_not_found');
  const branch = trigger.branch ?? (await branchOf(context, project));
  const { inputs } = trigger;
  const start = {
    source: 'pipeline',
    sourceJobId: bridge.id,
    variables,
    inputs,
    pushKey: `trigger ${bridge.id}`,
  } as const;
  try {
    const planned = await planStart(context, project, branch, start);
    const { sha, ref } = planned.input;
    if (above.some((one) => one.projectId === project.id && one.ref === ref && one.sha === sha)) {
      throw new Failure('pipeline_loop_detected');
    }
    return planned;
  } catch (error) {
    if (error instanceof Forbidden) throw new Failure('insufficient_bridge_permissions');
    if (error instanceof ValidationFailed) throw new Failure('downstream_pipeline_creation_failed');
    throw error;
  }
}

async function branchOf({ repositories }: Context, project: ProjectRow): Promise<string> {
  const repository = await repositories.open(project);
  return (repository && (await defaultBranch(project, repository))) ?? '';
}

interface Child {
  trigger: TriggerConfig;
  variables: readonly GivenVariable[];
}

/** A pipeline of the same commit, of a file that includes what the job says. */
async function planChild(
  context: Context,
  project: ProjectRow,
  bridge: Bridge,
  { trigger, variables }: Child,
): Promise<PlannedPipeline> {
  const repository = await context.repositories.open(project);
  if (!repository || !context.actor || (await repository.commit(bridge.sha)) === null) {
    throw new Failure('downstream_pipeline_creation_failed');
  }
  const { ref, tag, sha, mergeRequestId, sourceBranch } = bridge;
  const branch = sourceBranch === null ? {} : { branch: sourceBranch };
  const origin = { ref, tag, ...branch, source: 'parent_pipeline', project: project.fullPath } as const;
  const subject = {
    project,
    repository,
    origin,
    sha,
    beforeSha: null,
    starter: context.actor,
    mergeRequestId,
    given: variables,
  };
  const known = await predefinedVariables(context, subject);
  // JSON is YAML.
  const text = JSON.stringify({ include: trigger.include });
  const ground = { repository, commit: sha, base: null, parentId: bridge.pipelineId };
  const plan = await planText(context, ground, origin, { known, text });
  const input = {
    ...origin,
    ...(mergeRequestId === null ? {} : { mergeRequestId }),
    ...{ sourceJobId: bridge.id, pushKey: `trigger ${bridge.id}`, known, projectId: project.id, sha, beforeSha: null },
    variablesEncrypted: encryptVariables(variables, context.secret),
    userId: context.actor.id,
  };
  return { input, repository, plan };
}

interface Above {
  id: number;
  projectId: number;
  ref: string;
  sha: string;
  source: PipelineSource;
}

/** A pipeline, the one that started it, and so on. */
function pipelinesAbove(db: Db, id: number): Promise<Above[]> {
  return db.$queryRaw<Above[]>`
    WITH RECURSIVE above AS (
      SELECT p.*, 1 AS level FROM pipelines p WHERE p.id = ${id}
      UNION ALL SELECT p.*, above.level + 1 FROM above JOIN jobs j ON j.id = above.source_job_id JOIN pipelines p ON p.id = j.pipeline_id
        WHERE above.level <= ${MAX_UPSTREAM_PIPELINES})
    SELECT id, project_id AS "projectId", ref, sha, source::text AS source FROM above ORDER BY level`;
}

/** How many pipelines there are below the topmost one, itself included, up to the limit. */
async function sizeOf(db: Db, above: readonly Above[]): Promise<number> {
  const [row] = await db.$queryRaw<[{ count: number }]>`
    WITH RECURSIVE below AS (
      SELECT ${above.at(-1)?.id ?? 0}::int AS id
      UNION ALL SELECT p.id FROM below JOIN jobs j ON j.pipeline_id = below.id AND j.bridge JOIN pipelines p ON p.source_job_id = j.id)
    SELECT count(*)::int AS count FROM (SELECT 1 FROM below LIMIT ${MAX_RELATED_PIPELINES}) counted`;
  return row.count;
}

/** The variables that a job gives to its pipeline: those of the file, with what they refer to, and those that its own pipeline was given. */
async function passedOn(
  context: Context,
  project: ProjectRow,
  bridge: Bridge,
  { forwardsOwn, forwardsGiven }: TriggerConfig,
): Promise<GivenVariable[]> {
  const { db, secret } = context;
  const given = decryptVariables(bridge.variablesEncrypted, secret);
  const { variables = {}, raw_variables: raw = [] } = bridge.options;
  const { projectId, ref, tag, mergeRequestId, userId, starterId } = bridge;
  const receiver = { projectId, ref, tag, mergeRequestId, userIds: [userId, starterId], environment: null };
  const weak = {
    ...predefined({ ...bridge, branch: bridge.sourceBranch ?? ref, project: project.fullPath }, bridge.sha),
    ...bridge.predefined,
    ...{ CI_PIPELINE_ID: String(bridge.pipelineId), CI_PROJECT_ID: String(projectId) },
  };
  const strong = strongVariables([...(await variablesOfProject(db, receiver, secret)), ...given]);
  // What is not known here may be there.
  const known = new Expansion(layered({ weak, ...strong }, { values: variables, raw }), 'again');
  const own = Object.entries(variables).map(([key, value]) => {
    const isRaw = raw.includes(key);
    const isOverridden = Object.hasOwn(strong.strong, key);
    const made = isOverridden ? known.text(value, MAX_CHARACTERS) : (known.value(key) ?? value);
    return { key, value: isRaw ? value : made, isFile: false, raw: isRaw };
  });
  const passed = [...(forwardsOwn ? own : []), ...(forwardsGiven ? given : [])];
  const size = passed.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  if (size > MAX_CHARACTERS) throw new Failure('downstream_pipeline_creation_failed');
  return passed;
}
