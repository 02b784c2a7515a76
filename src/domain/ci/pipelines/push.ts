import { randomUUID } from 'node:crypto';
import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { PipelineOptions, RefsPushed } from '#src/domain/changes/change.ts';
import type { ChangeContext, Follower } from '#src/domain/changes/record.ts';
import { buildPipeline } from '#src/domain/ci/pipelines/build.ts';
import { cancelRedundant } from '#src/domain/ci/pipelines/cancel_redundant.ts';
import { configPath, planPipeline } from '#src/domain/ci/pipelines/config/read.ts';
import { decryptVariables } from '#src/domain/ci/pipelines/given_variables.ts';
import { predefinedVariables } from '#src/domain/ci/pipelines/known.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { Jobs } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { nullIfNotFound } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Creates the pipelines of a push, one per key. */
    'pipelines.create': { projectId: number; userId: number; refs: PushedRef[]; options?: PipelineOptions | undefined };
  }
}

/** A branch or tag that was pushed. */
export interface PushedRef {
  ref: string;
  tag: boolean;
  /** The commit that it points to. */
  sha: string;
  /** The commit before; null if it is new. */
  beforeSha: string | null;
  /** Unique for every push and ref. */
  pushKey: string;
}

/** The marker in a commit message that skips CI. */
export const SKIPS = /\[(ci[ _-]skip|skip[ _-]ci)\]/i;

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';
/** A push of more refs imports a whole repository, and starts no pipelines. */
const MAX_REFS = 20;

/** Creates pipelines for pushes. */
export const pushedPipelines: Follower = { refsPushed: requestPipelines };

/** Enqueues a job that creates pipelines for the pushed refs with a CI configuration, once the push commits. */
async function requestPipelines(
  tx: Transaction,
  { db, jobs }: ChangeContext,
  { project, pusher, changes, reader, skipCi = false, ci }: RefsPushed,
): Promise<void> {
  if (!jobs || skipCi || changes.length > MAX_REFS) return;
  const refs: PushedRef[] = [];
  const path = await configPath(db, project);
  for (const { name, from, to } of changes) {
    const prefix = [BRANCHES, TAGS].find((start) => name.startsWith(start));
    if (to === null || prefix === undefined || !name.isWellFormed()) continue;
    const sha = await reader.resolve(to);
    if (sha === null || (await reader.entry(sha, path))?.type !== 'blob') continue;
    const ref = name.slice(prefix.length);
    refs.push({ ref, tag: prefix === TAGS, sha, beforeSha: from, pushKey: randomUUID() });
  }
  if (refs.length > 0) {
    await jobs.enqueue(tx, 'pipelines.create', { projectId: project.id, userId: pusher.id, refs, options: ci });
  }
}

/**
 * Creates the pipelines of a push, for the user who pushed; none if the project has jobs turned off, and none for a ref without jobs. An
 * invalid file makes a failed one with the error, and a commit with `[ci skip]` in its message, or the push option `ci.skip`, a skipped one
 * without jobs. Who pushed to
 * a branch that a fork shares with them is no developer of the fork: their changes to `.gitlab-ci.yml` must not read its variables, and its
 * developers can start a pipeline.
 */
export async function createPushedPipelines(
  context: Context,
  { projectId, refs, options }: Jobs['pipelines.create'],
): Promise<void> {
  const starter = requireActor(context);
  const project = await findProject(context, projectId).catch(nullIfNotFound);
  if (!project?.jobsEnabled || !can(starter, 'push_code', { ...project, archived: false })) return;
  const repository = await context.repositories.open(project);
  if (!repository) return;
  const variablesEncrypted = options?.variablesEncrypted ? Buffer.from(options.variablesEncrypted, 'base64') : null;
  const given = decryptVariables(variablesEncrypted, context.secret);
  for (const { ref, tag, sha, beforeSha, pushKey } of refs) {
    const commit = await repository.commit(sha);
    if (commit === null) continue;
    const origin = { ref, tag, source: 'push', project: project.fullPath } as const;
    const subject = { project, repository, origin, sha, beforeSha, starter, mergeRequestId: null, given };
    const known = await predefinedVariables(context, subject);
    const base = beforeSha && (await repository.resolve(beforeSha));
    const plan = await planPipeline(
      context,
      { repository, commit: sha, base, configPath: project.ciConfigPath },
      origin,
      known,
    );
    const isAsked = options?.isSkipped === true || SKIPS.test(commit.message);
    const isSkipped = plan.error === null && plan.jobs !== null && !plan.isFiltered && isAsked;
    if (plan.error === null && !plan.jobs?.length && !isSkipped) continue;
    const input = {
      ...origin,
      sha,
      beforeSha,
      pushKey,
      projectId,
      userId: starter.id,
      isSkipped,
      known,
      variablesEncrypted,
    };
    const id = await buildPipeline(context, input, { repository, plan });
    if (id !== null) await cancelRedundant(context, id);
  }
}
