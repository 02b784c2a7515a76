import { parseDuration } from '#src/base/duration.ts';
import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { TIERS, tierOf } from '#src/domain/ci/environments/tier.ts';
import { knownForUrl } from '#src/domain/ci/environments/url.ts';
import { ENVIRONMENT_NAME, slugOf } from '#src/domain/ci/environments/values.ts';
import { settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { commitTime } from '#src/domain/ci/pipelines/commit_time.ts';
import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { DefinedVariables } from '#src/domain/ci/pipelines/config/base/values.ts';
import { ofJobName } from '#src/domain/ci/pipelines/config/base/variables.ts';
import { type JobConfig, stageIndexOf } from '#src/domain/ci/pipelines/config/model.ts';
import type { CrossNeed } from '#src/domain/ci/pipelines/config/needs.ts';
import { pagesOptions } from '#src/domain/ci/pipelines/config/pages.ts';
import type { PipelinePlan } from '#src/domain/ci/pipelines/config/plan.ts';
import { type KnownVariables, layered } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import { Expansion, ExpansionBudget } from '#src/domain/ci/variables/expansion.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A pipeline to create for a commit in the repository. */
export interface NewPipeline extends PipelineOrigin {
  projectId: number;
  sha: string;
  beforeSha: string | null;
  userId: number;
  triggerId?: number;
  scheduleId?: number;
  /** The job of another pipeline that starts it. */
  sourceJobId?: number;
  /** The merge request that it is of. */
  mergeRequestId?: number;
  /** All variables that are known, for names of environments and tags; the jobs get those that are kept. */
  known: KnownVariables & { kept: Variables };
  /** The variables that it is given, encrypted, for the runner. */
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
    const made = await insertPipeline(tx, input, plan, commit && commitTime(commit));
    if (made === null) return null;
    const { id } = made;
    const variables = new PipelineVariables(input.known, made.iid);
    await nameIt(tx, id, plan, variables);
    if (!input.isSkipped) await insertJobs(tx, id, input, { plan, variables });
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
  { error, autoCancel }: PipelinePlan,
  committedAt: number | null,
): Promise<{ id: number; iid: number } | null> {
  const {
    projectId,
    ref,
    tag,
    sha,
    beforeSha,
    userId,
    triggerId,
    scheduleId,
    sourceJobId,
    mergeRequestId,
    variablesEncrypted,
    pushKey,
  } = input;
  // Pipelines of merge requests are those that have one.
  const source = input.source === 'merge_request_event' || input.source === 'web' ? 'api' : input.source;
  const status = error !== null ? 'failed' : input.isSkipped ? 'skipped' : 'pending';
  const [row] = await tx.$queryRaw<{ id: number; iid: number }[]>`
    INSERT INTO pipelines (project_id, ref, tag, sha, before_sha, status, source, user_id, trigger_id, schedule_id, source_job_id,
      merge_request_id, variables_encrypted, predefined, auto_cancel, yaml_errors, push_key, committed_at, finished_at)
    VALUES (${projectId}, ${ref}, ${tag}, ${sha}, ${beforeSha}, ${status}::job_status,
      ${source}::pipeline_source, ${userId}, ${triggerId ?? null}::int, ${scheduleId ?? null}::int, ${sourceJobId ?? null}::int,
      ${mergeRequestId ?? null}::int, ${variablesEncrypted ?? null}::bytea,
      ${JSON.stringify(input.known.kept)}::jsonb, ${autoCancel && JSON.stringify(autoCancel)}::jsonb, ${error}, ${pushKey ?? null},
      to_timestamp(${committedAt}::float8), CASE WHEN ${error}::text IS NULL THEN NULL ELSE now() END)
    ON CONFLICT (push_key) DO NOTHING RETURNING id, iid`;
  return row ?? null;
}

/** Writes the name that the file gives the pipeline, which may have its number in it. */
async function nameIt(
  tx: Transaction,
  id: number,
  { name, variables }: PipelinePlan,
  known: PipelineVariables,
): Promise<void> {
  const shown = name && known.with(variables).text(name, MAX_TEXT_LENGTH).trim().slice(0, MAX_NAME_LENGTH);
  if (shown) await tx.pipeline.update({ where: { id }, data: { name: shown } });
}

/** What is known when a pipeline is made, with its number. */
class PipelineVariables {
  readonly #known: KnownVariables;
  readonly #budget = new ExpansionBudget();

  constructor({ weak, ...known }: KnownVariables, iid: number) {
    this.#known = { ...known, weak: { ...weak, CI_PIPELINE_IID: String(iid) } };
  }

  /** Together with variables of the file, and with predefined ones of a job. */
  with(own: DefinedVariables, ofJob: Variables = {}): Expansion {
    const { weak, ...known } = this.#known;
    return new Expansion(layered({ ...known, weak: { ...weak, ...ofJob } }, own), 'final', this.#budget);
  }
}

/** Characters of the longest text with variables in it. */
const MAX_TEXT_LENGTH = 1_000;

/** One statement for all jobs, in the order of stages. */
async function insertJobs(
  tx: Transaction,
  pipelineId: number,
  input: NewPipeline,
  { plan, variables: known }: { plan: PipelinePlan; variables: PipelineVariables },
): Promise<void> {
  const { stages, jobs } = plan;
  if (!jobs || jobs.length === 0) return;
  const rows = jobs.map((job) => {
    const own = { values: job.variables, raw: job.raw };
    const variables = known.with(own, ofJobName(job));
    const environment = environmentOf(job, variables);
    const ofEnvironment = environment ? variablesOfEnvironment(environment) : {};
    return {
      name: job.name,
      stage: job.stage,
      stage_index: stageIndexOf(stages, job.stage),
      allow_failure: job.allowFailure,
      when: job.when,
      options: {
        ...optionsOf(job),
        ...environmentOptions(job, known.with(own, { ...ofJobName(job), ...ofEnvironment }), input.known.strong),
        ...triggerOptions(job, variables),
        ...tokenOptions(job, variables),
        ...crossOptions(job, variables),
        ...pagesOptions(job.options, (text) =>
          known.with(own, { ...ofJobName(job), ...ofEnvironment }).text(text, MAX_TEXT_LENGTH),
        ),
      },
      tags: job.tags.map((tag) => variables.text(tag, MAX_TEXT_LENGTH)),
      needs: job.needs && [...new Set(job.needs.map((need) => need.job))],
      interruptible: job.interruptible,
      bridge: job.trigger !== null,
      resource_group: job.resourceGroup === null ? null : shortText(job.resourceGroup, variables) || null,
      ...environment,
    };
  });
  await insertGroups(
    tx,
    input.projectId,
    rows.flatMap((row) => row.resource_group ?? []),
  );
  rows.sort((left, right) => left.stage_index - right.stage_index);
  await tx.$executeRaw(sql`
    INSERT INTO jobs (project_id, pipeline_id, user_id, name, stage, stage_index, allow_failure, "when", options,
      tags, needs, interruptible, bridge, resource_group, environment, environment_url, environment_action, on_stop)
    SELECT ${input.projectId}::int, ${pipelineId}::int, ${input.userId}::int, j.name, j.stage, j.stage_index, j.allow_failure,
      j."when", j.options, j.tags, j.needs, j.interruptible, j.bridge, j.resource_group, j.environment, j.environment_url, j.environment_action, j.on_stop
    FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS (name text, stage text, stage_index int,
      allow_failure boolean, "when" text, options jsonb, tags text[], needs text[], interruptible boolean, bridge boolean, resource_group text, environment text, environment_url text, environment_action text,
      on_stop text)) WITH ORDINALITY AS j (name, stage, stage_index, allow_failure, "when", options, tags, needs, interruptible, bridge, resource_group, environment,
      environment_url, environment_action, on_stop, ord) ORDER BY j.ord`);
}

/** Makes the resource groups that are not there yet. */
async function insertGroups(tx: Transaction, projectId: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const data = [...new Set(keys)].sort().map((key) => ({ projectId, key }));
  await tx.resourceGroup.createMany({ data, skipDuplicates: true });
}

/** What the job row keeps under the names of the file. A job gets the artifacts of those that it needs, unless it names others. */
function optionsOf({ options, variables, raw, needs, startIn }: JobConfig): Record<string, unknown> {
  const needed = needs?.filter((need) => need.artifacts).map((need) => need.job);
  return {
    ...options,
    ...(needed ? { dependencies: named(options.dependencies, needed) } : {}),
    ...(startIn === null ? {} : { start_in: startIn }),
    variables,
    ...(raw.length > 0 ? { raw_variables: raw } : {}),
  };
}

/** A text for which variables of the environment are known; cut after as many characters as names and groups have. */
function shortText(text: string, variables: Expansion): string {
  return variables.text(text, MAX_TEXT_LENGTH, 'vanish').slice(0, MAX_NAME_LENGTH).trim();
}

function named(dependencies: unknown, needed: readonly string[]): string[] {
  return Array.isArray(dependencies) ? needed.filter((name) => dependencies.includes(name)) : [...needed];
}

/** What the file says of the environment beyond its name, with known variables expanded; what makes no sense then is left out. */
function environmentOptions(
  { environment }: JobConfig,
  variables: Expansion,
  strong: Variables,
): Record<string, unknown> {
  if (!environment) return {};
  const [duration, tier] = [environment.autoStopIn, environment.tier].map((text) => text && shortText(text, variables));
  const known =
    environment.url === null
      ? null
      : knownForUrl(environment.url, variables, { isStrong: (name) => Object.hasOwn(strong, name) });
  const options = {
    ...(duration && parseDuration(duration) !== null ? { auto_stop_in: duration } : {}),
    ...(TIERS.some((one) => one === tier) ? { tier } : {}),
    ...(known ? { known } : {}),
  };
  return Object.keys(options).length === 0 ? {} : { environment: options };
}

/** For whom the job gets tokens, with known variables expanded. */
function tokenOptions({ options }: JobConfig, variables: Expansion): Record<string, unknown> {
  const { id_tokens: tokens } = options as { id_tokens?: Record<string, string[]> };
  if (!tokens) return {};
  const expanded = Object.entries(tokens).map(([name, all]) => [
    name,
    all.map((one) => variables.text(one, MAX_TEXT_LENGTH)),
  ]);
  return { id_tokens: Object.fromEntries(expanded) };
}

/** Which jobs of other pipelines the job needs, with known variables expanded. */
function crossOptions({ options }: JobConfig, variables: Expansion): Record<string, unknown> {
  const { cross_needs: needs } = options as { cross_needs?: CrossNeed[] };
  if (!needs) return {};
  return {
    cross_needs: needs.map(({ pipeline, job }) => ({ pipeline: variables.text(pipeline, MAX_TEXT_LENGTH), job })),
  };
}

/** Which pipeline the job starts, with known variables expanded. */
function triggerOptions({ trigger }: JobConfig, variables: Expansion): Record<string, unknown> {
  if (!trigger) return {};
  const [project, branch] = [trigger.project, trigger.branch].map(
    (text) => text && variables.text(text, MAX_TEXT_LENGTH),
  );
  return { trigger: { ...trigger, project, branch } };
}

/** Characters of the longest name of a pipeline, an environment or a resource group. */
const MAX_NAME_LENGTH = 255;

/** The environment of a job, with known variables expanded; null if that gives no valid name. Its URL stays as it is written. */
function environmentOf({ environment }: JobConfig, variables: Expansion) {
  if (!environment) return null;
  const name = shortText(environment.name, variables);
  if (!ENVIRONMENT_NAME.test(name)) return null;
  return {
    environment: name,
    environment_url: environment.url,
    environment_action: environment.action,
    on_stop: environment.onStop,
  };
}

function variablesOfEnvironment({
  environment,
  environment_action: action,
}: {
  environment: string;
  environment_action: string;
}): Variables {
  return {
    CI_ENVIRONMENT_NAME: environment,
    CI_ENVIRONMENT_SLUG: slugOf(environment),
    CI_ENVIRONMENT_ACTION: action,
    CI_ENVIRONMENT_TIER: tierOf({ tier: null, name: environment }),
  };
}
