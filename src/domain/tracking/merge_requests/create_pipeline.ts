import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { buildPipeline } from '#src/domain/ci/pipelines/build.ts';
import { cancelRedundant } from '#src/domain/ci/pipelines/cancel_redundant.ts';
import { planPipeline } from '#src/domain/ci/pipelines/config/read.ts';
import { predefinedVariables } from '#src/domain/ci/pipelines/known.ts';
import { SKIPS } from '#src/domain/ci/pipelines/push.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import type { PipelineRequest } from '#src/domain/tracking/merge_requests/request_pipeline.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { BadRequest, Forbidden, nullIfNotFound, ValidationFailed } from '#src/platform/errors.ts';

/**
 * Creates a pipeline for the head of an open merge request, in the project that the changes come from, with the jobs that
 * `.gitlab-ci.yml` has for merge requests. Throws NotFound, Forbidden, ValidationFailed for an invalid file, and BadRequest if there is nothing to run.
 */
export async function createMergeRequestPipeline(context: Context, ref: IdOrPath, iid: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project: target, mergeRequest } = await locateMergeRequest(context, ref, iid);
  const { sha, state, sourceProjectId } = mergeRequest;
  const source = sourceProjectId === null ? null : await findProject(context, sourceProjectId).catch(nullIfNotFound);
  if (!source || !can(actor, 'create_pipeline', source)) throw new Forbidden();
  if (state !== 'opened') throw nothingToRun('The merge request is not open');
  const repository = await context.repositories.open(source);
  if (!repository || sha === null || (await repository.commit(sha)) === null) {
    throw nothingToRun('The merge request has no commits');
  }
  const planned = await plannedFor(context, { source, target, repository, sha, mergeRequest });
  if (planned.plan.error !== null) throw new ValidationFailed({ base: [planned.plan.error] });
  if (!planned.plan.jobs?.length) throw nothingToRun('The `.gitlab-ci.yml` of its head has no jobs for merge requests');
  const made = await build(context, planned);
  if (made === null) throw new Error('A pipeline without a key was taken for another one');
  return { project: source, id: made };
}

/**
 * Creates the pipeline of a new version of a merge request, for the user who made it; none without jobs for it, for users who may not,
 * or if the version is not the latest any more. Its commit may ask to skip it.
 */
export async function createVersionPipeline(context: Context, { mergeRequestId, sha }: PipelineRequest): Promise<void> {
  const row = await context.db.mergeRequest.findUnique({
    where: { id: mergeRequestId, sha, state: 'opened' },
    select: { iid: true, targetProjectId: true },
  });
  if (!row) return;
  const found = await locateMergeRequest(context, row.targetProjectId, row.iid).catch(nullIfNotFound);
  const sourceId = found?.mergeRequest.sourceProjectId ?? null;
  const source = sourceId === null ? null : await findProject(context, sourceId).catch(nullIfNotFound);
  if (!found || !source || !can(context.actor, 'create_pipeline', source)) return;
  const repository = await context.repositories.open(source);
  const commit = await repository?.commit(sha);
  if (!repository || !commit || SKIPS.test(commit.message)) return;
  const { project: target, mergeRequest } = found;
  const planned = await plannedFor(context, { source, target, repository, sha, mergeRequest });
  if (planned.plan.jobs?.length) await build(context, planned, `merge request ${mergeRequestId} ${sha}`);
}

interface Wanted {
  source: ProjectRow;
  target: ProjectRow;
  repository: RepositoryReader;
  sha: string;
  mergeRequest: { id: number; iid: number; sourceBranch: string };
}

async function plannedFor(context: Context, { source, target, repository, sha, mergeRequest }: Wanted) {
  const starter = requireActor(context);
  const { id, iid, sourceBranch } = mergeRequest;
  const origin = {
    ref: source.id === target.id ? `refs/merge-requests/${iid}/head` : sourceBranch,
    branch: sourceBranch,
    tag: false,
    source: 'merge_request_event',
    project: source.fullPath,
  } as const;
  const subject = {
    project: source,
    repository,
    origin,
    sha,
    beforeSha: null,
    starter,
    mergeRequestId: id,
    given: [],
  };
  const known = await predefinedVariables(context, subject);
  const plan = await planPipeline(
    context,
    { repository, commit: sha, base: await baseOf(context, id), configPath: source.ciConfigPath },
    origin,
    known,
  );
  const input = {
    ...origin,
    projectId: source.id,
    sha,
    beforeSha: null,
    userId: starter.id,
    mergeRequestId: id,
    known,
  };
  return { input, repository, plan };
}

async function build(
  context: Context,
  { input, ...from }: Awaited<ReturnType<typeof plannedFor>>,
  pushKey?: string,
): Promise<number | null> {
  const made = await buildPipeline(context, pushKey === undefined ? input : { ...input, pushKey }, from);
  if (made !== null) await cancelRedundant(context, made);
  return made;
}

/** What the changes of the merge request start from. */
async function baseOf({ db }: Context, mergeRequestId: number): Promise<string | null> {
  const [version] = await db.$queryRaw<{ base: string | null }[]>`
    SELECT base_commit_sha AS base FROM merge_request_versions WHERE merge_request_id = ${mergeRequestId} ORDER BY id DESC LIMIT 1`;
  return version?.base ?? null;
}

function nothingToRun(message: string): BadRequest {
  return new BadRequest(message, undefined, 'withoutPipeline').asWrongState();
}
