import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { buildPipeline } from '#src/domain/ci/pipelines/build.ts';
import { cancelRedundant } from '#src/domain/ci/pipelines/cancel_redundant.ts';
import { planPipeline } from '#src/domain/ci/pipelines/config/read.ts';
import { knownVariables } from '#src/domain/ci/pipelines/known.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { BadRequest, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/**
 * Creates a pipeline for the head of an open merge request, in the project that the changes come from, with the jobs that
 * `.gitlab-ci.yml` has for merge requests. Throws NotFound, Forbidden, ValidationFailed for an invalid file, and BadRequest if there is nothing to run.
 */
export async function createMergeRequestPipeline(context: Context, ref: IdOrPath, iid: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project: target, mergeRequest } = await locateMergeRequest(context, ref, iid);
  const { id, sha, state, sourceProjectId, sourceBranch } = mergeRequest;
  const source = sourceProjectId === null ? null : await findProject(context, sourceProjectId).catch(unseen);
  if (!source || !can(actor, 'create_pipeline', source)) throw new Forbidden();
  if (state !== 'opened') throw nothingToRun('The merge request is not open');
  const repository = await context.repositories.open(source);
  if (!repository || sha === null || (await repository.commit(sha)) === null) {
    throw nothingToRun('The merge request has no commits');
  }
  const pipelineRef = source.id === target.id ? `refs/merge-requests/${iid}/head` : sourceBranch;
  const occasion = {
    ref: pipelineRef,
    branch: sourceBranch,
    tag: false,
    source: 'merge_request_event',
    project: source.fullPath,
  } as const;
  const subject = {
    project: source,
    repository,
    occasion,
    sha,
    beforeSha: null,
    starter: actor,
    mergeRequestId: id,
    given: {},
  };
  const known = await knownVariables(context, subject);
  const plan = await planPipeline(
    context,
    { repository, commit: sha, base: await baseOf(context, id) },
    occasion,
    known,
  );
  if (plan.error !== null) throw new ValidationFailed({ base: [plan.error] });
  if (!plan.jobs?.length) throw nothingToRun('The `.gitlab-ci.yml` of its head has no jobs for merge requests');
  const input = {
    ...occasion,
    projectId: source.id,
    sha,
    beforeSha: null,
    userId: actor.id,
    mergeRequestId: id,
    known,
  };
  const made = await buildPipeline(context, input, { repository, plan });
  if (made === null) throw new Error('A pipeline without a key was taken for another one');
  await cancelRedundant(context, made);
  return { project: source, id: made };
}

/** What the changes of the merge request start from. */
async function baseOf({ db }: Context, mergeRequestId: number): Promise<string | null> {
  const [version] = await db.$queryRaw<{ base: string | null }[]>`
    SELECT base_commit_sha AS base FROM merge_request_versions WHERE merge_request_id = ${mergeRequestId} ORDER BY id DESC LIMIT 1`;
  return version?.base ?? null;
}

function nothingToRun(message: string): BadRequest {
  return new BadRequest(message, undefined, 'withoutPipeline');
}

function unseen(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}
