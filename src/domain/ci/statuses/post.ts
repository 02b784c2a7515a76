import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { type Destination, moveJob } from '#src/domain/ci/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { commitTime } from '#src/domain/ci/pipelines/commit_time.ts';
import { isTooLong, REF_TOO_LONG } from '#src/domain/ci/ref.ts';
import { branchOf } from '#src/domain/ci/statuses/branch_of.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type CommitRow, findCommit } from '#src/domain/repository/find_commit.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { statusesLock } from '#src/platform/database/lock_names.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { isWebUrl } from '#src/platform/web_url.ts';

/** A commit status by another system. */
export interface NewStatus {
  state: Destination;
  /** The branch or tag; the first branch with the commit when absent. */
  ref?: string | null | undefined;
  /** The latest pipeline of the commit and that branch or tag when absent. */
  pipelineId?: number | null | undefined;
  name?: string | null | undefined;
  targetUrl?: string | null | undefined;
  description?: string | null | undefined;
  /** In percent. */
  coverage?: number | null | undefined;
}

/**
 * Posts a commit status: updates the pending or running one of that name, ref and actor, else adds one, to the given pipeline, or the
 * latest one of commit and ref, which is created if there is none (behaviour.md 8). Throws NotFound, Forbidden, ValidationFailed, BadRequest.
 */
export async function postStatus(
  context: Context,
  ref: IdOrPath,
  sha: string,
  input: NewStatus,
): Promise<{ id: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_commit_status', project);
  const commit = await findCommit(context, project, sha);
  const name = input.name || 'default';
  check(name, input);
  const { pipelineId } = input;
  const wanted = input.ref || null;
  const place = pipelineId == null ? await placeOf(commit, wanted) : null;
  return context.db.$transaction(async (tx) => {
    const pipeline = place
      ? await takePipeline(tx, commit, place, actor.id)
      : await givenPipeline(tx, commit, { id: pipelineId ?? 0, ref: wanted });
    const status = await takeStatus(tx, { ...pipeline, projectId: project.id }, name, actor.id);
    await moveJob(tx, status, input.state);
    await describe(tx, status.id, input);
    await settlePipeline(tx, context, pipeline.id);
    return { id: status.id };
  });
}

function check(name: string, { ref, targetUrl, description }: NewStatus): void {
  const errors: FieldErrors = {};
  const tooLong = 'is too long (maximum is 255 characters)';
  if (name.length > 255) errors.name = [tooLong];
  if (ref && isTooLong(ref)) errors.ref = [REF_TOO_LONG];
  if (description && description.length > 255) errors.description = [tooLong];
  if (targetUrl) {
    const messages = [
      ...(targetUrl.length > 255 ? [tooLong] : []),
      ...(isWebUrl(targetUrl) ? [] : ['must be a valid URL']),
    ];
    if (messages.length > 0) errors.target_url = messages;
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

interface StatusTarget {
  ref: string;
  tag: boolean;
}

/** The ref of a status. Throws NotFound if no branch contains the commit. */
async function placeOf(commit: CommitRow, wanted: string | null): Promise<StatusTarget> {
  const { repository } = commit;
  if (wanted !== null) {
    const tag = (await repository.branch(wanted)) === null && (await repository.tag(wanted)) !== null;
    return { ref: wanted, tag };
  }
  const branch = await branchOf(commit);
  if (branch === null) throw new NotFound('References for commit');
  return { ref: branch, tag: false };
}

/** The pipeline of the commit with this ID, locked. Throws NotFound if it has another commit or ref. */
async function givenPipeline(
  tx: Transaction,
  { project, oid: sha }: CommitRow,
  { id, ref }: { id: number; ref: string | null },
): Promise<{ id: number }> {
  const where = { id, projectId: project.id, sha, ...(ref === null ? {} : { ref }) };
  const found = await tx.pipeline.findFirst({ where, select: { id: true } });
  if (!found) throw new NotFound('Pipeline');
  await lockPipeline(tx, id);
  return found;
}

/** The latest pipeline for commit and ref, locked; of concurrent callers the first one creates it. */
async function takePipeline(
  tx: Transaction,
  commit: CommitRow,
  { ref, tag }: StatusTarget,
  userId: number,
): Promise<{ id: number }> {
  const { project, oid } = commit;
  const key = statusesLock(project.id, oid, ref);
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))::text`;
  const [found] = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM pipelines WHERE project_id = ${project.id} AND sha = ${oid} AND ref = ${ref}
      ORDER BY source = 'parent_pipeline', id DESC LIMIT 1`;
  if (found) {
    await lockPipeline(tx, found.id);
    return found;
  }
  const [made] = await tx.$queryRaw<[{ id: number }]>`
    INSERT INTO pipelines (project_id, ref, tag, sha, source, user_id, committed_at)
    VALUES (${project.id}, ${ref}, ${tag}, ${oid}, 'external', ${userId}, to_timestamp(${commitTime(commit)}::float8))
    RETURNING id`;
  return made;
}

/**
 * The actor's pending or running status of that name, else a new one. A new one replaces the existing job or status of its name:
 * it inherits stage, environment and whether it may fail; a replaced job is no longer run.
 */
async function takeStatus(
  tx: Transaction,
  pipeline: { id: number; projectId: number },
  name: string,
  userId: number,
): Promise<{ id: number; status: JobStatus }> {
  const [found] = await tx.$queryRaw<{ id: number; status: JobStatus }[]>`
    SELECT id, status::text AS status FROM jobs WHERE pipeline_id = ${pipeline.id} AND generic AND name = ${name}
      AND user_id = ${userId} AND status IN ('pending', 'running') ORDER BY id DESC LIMIT 1`;
  if (found) return found;
  const [made] = await tx.$queryRaw<[{ id: number }]>`
    WITH before AS (UPDATE jobs SET retried = true, updated_at = now(),
        status = CASE WHEN NOT generic AND status IN ('created', 'pending', 'manual') THEN 'skipped' ELSE status END
      WHERE pipeline_id = ${pipeline.id} AND name = ${name} AND NOT retried RETURNING *)
    INSERT INTO jobs (project_id, pipeline_id, generic, name, user_id, stage, stage_index, allow_failure,
      environment, environment_url, environment_action, on_stop, options)
    SELECT ${pipeline.projectId}, ${pipeline.id}, true, ${name}, ${userId}, COALESCE(b.stage, 'external'),
      COALESCE(b.stage_index, ${LAST_STAGE}), COALESCE(b.allow_failure, false), b.environment, b.environment_url,
      b.environment_action, b.on_stop,
      CASE WHEN b.options->'environment'->'known' IS NOT NULL THEN jsonb_build_object('environment', b.options->'environment') END
    FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM before ORDER BY id DESC LIMIT 1) b ON TRUE RETURNING id`;
  return { id: made.id, status: 'created' };
}

/** Posted statuses come after all stages of the file. */
const LAST_STAGE = 1_000_000;

async function describe(tx: Transaction, id: number, { targetUrl, description, coverage }: NewStatus): Promise<void> {
  const data = {
    ...(targetUrl === undefined ? {} : { targetUrl: targetUrl || null }),
    ...(description === undefined ? {} : { description }),
    ...(coverage === undefined ? {} : { coverage }),
  };
  if (Object.keys(data).length > 0) await tx.job.update({ where: { id }, data });
}
