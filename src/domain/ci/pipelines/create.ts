import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { buildPipeline } from '#src/domain/ci/pipelines/build.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/model.ts';
import { planPipeline } from '#src/domain/ci/pipelines/config/read.ts';
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
  const plan = await planPipeline(repository, occasion, sha);
  if (plan.error !== null) throw invalid(plan.error);
  if (plan.jobs?.length === 0) throw invalid('No builds for this pipeline.');
  const told = start.source === 'trigger' && Object.keys(start.variables).length > 0 ? start.variables : null;
  const variablesEncrypted = told && encrypt(JSON.stringify(told), context.secret);
  const input = {
    ...start,
    ...occasion,
    variablesEncrypted,
    projectId: project.id,
    sha,
    beforeSha: null,
    userId: actor.id,
  };
  const id = await buildPipeline(context, input, { repository, plan });
  if (id === null) throw new Error('A pipeline without a key was taken for another one');
  return { project, id };
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed({ base: [message] });
}
