import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { ENVIRONMENT_NAME } from '#src/domain/ci/environments/values.ts';
import { commitTime } from '#src/domain/ci/pipelines/commit_time.ts';
import type { JobConfig, Variables } from '#src/domain/ci/pipelines/config/model.ts';
import type { PipelinePlan } from '#src/domain/ci/pipelines/config/plan.ts';
import type { Occasion } from '#src/domain/ci/pipelines/config/select.ts';
import { expand, predefined } from '#src/domain/ci/pipelines/config/variables.ts';
import { settlePipeline } from '#src/domain/ci/pipelines/settle.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A pipeline to create for a commit in the repository. */
export interface NewPipeline extends Occasion {
  projectId: number;
  sha: string;
  beforeSha: string | null;
  userId: number;
  triggerId?: number;
  /** The merge request that it is of. */
  mergeRequestId?: number;
  /** The variables of a trigger, for names of environments and, encrypted, for the runner. */
  variables?: Variables;
  variablesEncrypted?: Uint8Array<ArrayBuffer> | null;
  /** No second pipeline is created for the same key. */
  pushKey?: string;
  /** Whether the commit asks to skip CI, so that it has no jobs. */
  isSkipped?: boolean;
}

/**
 * Creates a pipeline with the jobs of its plan, and queues the first of them. Without a file it is pending until a status is
 * posted; with an invalid one it has failed. Null if the push has its pipeline already.
 */
export async function buildPipeline(
  context: ChangeContext,
  input: NewPipeline,
  { repository, plan }: { repository: RepositoryReader; plan: PipelinePlan },
): Promise<number | null> {
  const commit = await repository.commit(input.sha);
  return context.db.$transaction(async (tx) => {
    const id = await insertPipeline(tx, input, plan, commit && commitTime(commit));
    if (id === null) return null;
    if (!input.isSkipped) await insertJobs(tx, id, input, plan);
    await settlePipeline(tx, context, id);
    // A pipeline that failed from the start has no later end.
    if (plan.error !== null) {
      const pipeline = { id, projectId: input.projectId };
      await recordChange(tx, context, {
        type: 'pipelineChanged',
        pipeline,
        status: 'failed',
        hasEnded: true,
        isAwaited: false,
      });
    }
    return id;
  });
}

async function insertPipeline(
  tx: Transaction,
  input: NewPipeline,
  { error }: PipelinePlan,
  committedAt: number | null,
): Promise<number | null> {
  const { projectId, ref, tag, sha, beforeSha, userId, triggerId, mergeRequestId, variablesEncrypted, pushKey } = input;
  const source = input.source === 'merge_request_event' ? 'api' : input.source;
  const status = error !== null ? 'failed' : input.isSkipped ? 'skipped' : 'pending';
  const [row] = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO pipelines (project_id, ref, tag, sha, before_sha, status, source, user_id, trigger_id, merge_request_id, variables_encrypted,
      yaml_errors, push_key, committed_at, finished_at)
    VALUES (${projectId}, ${ref}, ${tag}, ${sha}, ${beforeSha}, ${status}::job_status,
      ${source}::pipeline_source, ${userId}, ${triggerId ?? null}::int, ${mergeRequestId ?? null}::int, ${variablesEncrypted ?? null}::bytea, ${error}, ${pushKey ?? null},
      to_timestamp(${committedAt}::float8), CASE WHEN ${error}::text IS NULL THEN NULL ELSE now() END)
    ON CONFLICT (push_key) DO NOTHING RETURNING id`;
  return row?.id ?? null;
}

/** One statement for all jobs, in the order of stages. */
async function insertJobs(tx: Transaction, pipelineId: number, input: NewPipeline, plan: PipelinePlan): Promise<void> {
  const { config, jobs } = plan;
  if (!config || !jobs || jobs.length === 0) return;
  const known = predefined(input, input.sha);
  const rows = jobs.map((job) => ({
    name: job.name,
    stage: job.stage,
    stage_index: config.stages.indexOf(job.stage),
    allow_failure: job.allowFailure,
    when: job.when,
    options: { ...job.options, variables: job.variables },
    tags: job.tags,
    ...environmentOf(job, { ...known, ...job.variables, ...input.variables }),
  }));
  rows.sort((left, right) => left.stage_index - right.stage_index);
  await tx.$executeRaw(sql`
    INSERT INTO jobs (project_id, pipeline_id, user_id, name, stage, stage_index, allow_failure, "when", options,
      tags, environment, environment_url, environment_action, on_stop)
    SELECT ${input.projectId}::int, ${pipelineId}::int, ${input.userId}::int, j.name, j.stage, j.stage_index, j.allow_failure,
      j."when", j.options, j.tags, j.environment, j.environment_url, j.environment_action, j.on_stop
    FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS (name text, stage text, stage_index int,
      allow_failure boolean, "when" text, options jsonb, tags text[], environment text, environment_url text, environment_action text,
      on_stop text)) WITH ORDINALITY AS j (name, stage, stage_index, allow_failure, "when", options, tags, environment,
      environment_url, environment_action, on_stop, ord) ORDER BY j.ord`);
}

/** Characters of the longest name and URL of an environment. */
const LONGEST = 255;

/** The environment of a job, with known variables expanded; none if that gives no valid name. */
function environmentOf({ environment }: JobConfig, variables: Variables) {
  if (!environment) return {};
  const name = expand(environment.name, variables, LONGEST).trim();
  if (!ENVIRONMENT_NAME.test(name)) return {};
  return {
    environment: name,
    environment_url: environment.url === null ? null : expand(environment.url, variables, LONGEST),
    environment_action: environment.action,
    on_stop: environment.onStop,
  };
}
