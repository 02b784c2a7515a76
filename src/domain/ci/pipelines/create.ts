import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { buildPipeline } from '#src/domain/ci/pipelines/build.ts';
import { cancelRedundant } from '#src/domain/ci/pipelines/cancel_redundant.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/basis.ts';
import { planPipeline } from '#src/domain/ci/pipelines/config/read.ts';
import { knownVariables } from '#src/domain/ci/pipelines/known.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** What starts a pipeline. */
export type Start =
  | { source: 'api' }
  | {
      source: 'trigger';
      triggerId: number;
      /** Variables for the jobs. */
      variables: Variables;
    };

/**
 * Creates a pipeline for the commit of a branch or tag, with the jobs of its `.gitlab-ci.yml`; without such a file it waits for
 * posted statuses. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function createPipeline(context: Context, project: IdOrPath, ref: string): Promise<ChangedRecord> {
  return startPipeline(context, await findProject(context, project), ref, { source: 'api' });
}

/** Like createPipeline, for any kind of start. */
export async function startPipeline(
  context: Context,
  project: ProjectRow,
  ref: string,
  start: Start,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  authorize(actor, 'create_pipeline', project);
  const repository = await context.repositories.open(project);
  const branch = (await repository?.branch(ref)) ?? null;
  const tag = branch ? null : ((await repository?.tag(ref)) ?? null);
  const sha = branch?.commit ?? tag?.commit ?? null;
  if (!repository || sha === null) throw invalid('Reference not found');
  const occasion = { ref, tag: tag !== null, source: start.source, project: project.fullPath };
  const given = start.source === 'trigger' ? start.variables : {};
  const subject = { project, repository, occasion, sha, beforeSha: null, starter: actor, mergeRequestId: null, given };
  const known = await knownVariables(context, subject);
  const plan = await planPipeline(context, { repository, commit: sha, base: null }, occasion, known);
  if (plan.error !== null) throw invalid(plan.error);
  if (plan.isFiltered) throw invalid('Pipeline filtered out by workflow rules.');
  if (plan.jobs?.length === 0) throw invalid('No builds for this pipeline.');
  const variablesEncrypted = Object.keys(given).length === 0 ? null : encrypt(JSON.stringify(given), context.secret);
  const input = {
    ...(start.source === 'trigger' ? { triggerId: start.triggerId } : {}),
    ...occasion,
    known,
    variablesEncrypted,
    projectId: project.id,
    sha,
    beforeSha: null,
    userId: actor.id,
  };
  const id = await buildPipeline(context, input, { repository, plan });
  if (id === null) throw new Error('A pipeline without a key was taken for another one');
  await cancelRedundant(context, id);
  return { project, id };
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed({ base: [message] });
}
