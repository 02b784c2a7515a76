import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { buildPipeline, type NewPipeline } from '#src/domain/ci/pipelines/build.ts';
import { cancelRedundant } from '#src/domain/ci/pipelines/cancel_redundant.ts';
import type { PipelineSource } from '#src/domain/ci/pipelines/config/base/origin.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { Raw } from '#src/domain/ci/pipelines/config/base/values.ts';
import type { PipelinePlan } from '#src/domain/ci/pipelines/config/plan.ts';
import { planPipeline } from '#src/domain/ci/pipelines/config/read.ts';
import { readInputs } from '#src/domain/ci/pipelines/given_inputs.ts';
import { encryptVariables, type GivenVariable, validateVariables } from '#src/domain/ci/pipelines/given_variables.ts';
import { predefinedVariables } from '#src/domain/ci/pipelines/known.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** What starts a pipeline for a branch or tag. */
export interface Start {
  source: PipelineSource;
  /** Whether the ref is a tag; either if it is not said. */
  isTag?: boolean;
  /** The trigger, schedule or job of another pipeline that starts it. */
  triggerId?: number;
  sourceJobId?: number;
  scheduleId?: number;
  /** Variables for the jobs. */
  variables?: readonly GivenVariable[];
  /** Values of the inputs that the file declares. */
  inputs?: Raw | undefined;
  /** Predefined variables that say what started it. */
  about?: Variables;
  /** No second pipeline is created for the same key. */
  pushKey?: string;
}

/** A pipeline that can be built. */
export interface PlannedPipeline {
  input: NewPipeline;
  repository: RepositoryReader;
  plan: PipelinePlan;
}

/**
 * Creates a pipeline for the commit of a branch or tag, with the jobs of its `.gitlab-ci.yml`; without such a file it waits for
 * posted statuses. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function createPipeline(
  context: Context,
  project: IdOrPath,
  ref: string,
  { variables = [], inputs }: { variables?: readonly GivenVariable[]; inputs?: unknown } = {},
): Promise<ChangedRecord> {
  validateVariables(variables);
  const start = { source: 'api', variables, inputs: readInputs(inputs) } as const;
  return startPipeline(context, await findProject(context, project), ref, start);
}

/** Like createPipeline, for any kind of start. */
export async function startPipeline(
  context: Context,
  project: ProjectRow,
  ref: string,
  start: Start,
): Promise<ChangedRecord> {
  const planned = await planStart(context, project, ref, start);
  const { plan } = planned;
  if (plan.error !== null) throw invalid(plan.error);
  if (plan.isFiltered) throw invalid('Pipeline filtered out by workflow rules.');
  if (plan.jobs?.length === 0) throw invalid('No builds for this pipeline.');
  const id = await buildPlanned(context, planned);
  if (id === null) throw new Error('A pipeline without a key was taken for another one');
  return { project, id };
}

/** What a start leads to, of a developer of the project. Throws Forbidden, and ValidationFailed for a ref that is not there. */
export async function planStart(
  context: Context,
  project: ProjectRow,
  ref: string,
  { source, isTag, variables = [], about = {}, inputs, ...links }: Start,
): Promise<PlannedPipeline> {
  const actor = requireActor(context);
  authorize(actor, 'create_pipeline', project);
  const repository = await context.repositories.open(project);
  const branch = isTag ? null : ((await repository?.branch(ref)) ?? null);
  const tag = branch || isTag === false ? null : ((await repository?.tag(ref)) ?? null);
  const sha = branch?.commit ?? tag?.commit ?? null;
  if (!repository || sha === null) throw invalid('Reference not found');
  const origin = { ref, tag: tag !== null, source, project: project.fullPath };
  const subject = {
    project,
    repository,
    origin,
    sha,
    beforeSha: null,
    starter: actor,
    mergeRequestId: null,
    given: variables,
  };
  const known = await predefinedVariables(context, { ...subject, about });
  const ground = { repository, commit: sha, base: null, configPath: project.ciConfigPath };
  const plan = await planPipeline(context, ground, origin, known, inputs);
  const input = {
    ...links,
    ...origin,
    known,
    variablesEncrypted: encryptVariables(variables, context.secret),
    projectId: project.id,
    sha,
    beforeSha: null,
    userId: actor.id,
  };
  return { input, repository, plan };
}

/** Creates a planned pipeline, which takes the place of older ones that it makes unnecessary. Null if there is one of its key. */
export async function buildPlanned(
  context: Context,
  { input, repository, plan }: PlannedPipeline,
): Promise<number | null> {
  const id = await buildPipeline(context, input, { repository, plan });
  if (id !== null) await cancelRedundant(context, id);
  return id;
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed({ base: [message] });
}
