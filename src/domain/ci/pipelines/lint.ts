import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import { MAX_CONFIG_BYTES } from '#src/domain/ci/pipelines/config/base/sources.ts';
import type { Ground } from '#src/domain/ci/pipelines/config/look_up.ts';
import { NO_PLAN, type PipelinePlan } from '#src/domain/ci/pipelines/config/plan.ts';
import { configPath, lintConfig } from '#src/domain/ci/pipelines/config/read.ts';
import { predefinedVariables } from '#src/domain/ci/pipelines/known.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { isLimit } from '#src/git/base/errors.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A configuration to check for a project. */
export interface LintRequest {
  /** The text; that of the commit when absent. */
  content?: string | null | undefined;
  /** Whose commit it is checked for; the default branch when absent. */
  ref?: string | null | undefined;
  /** Whether jobs are selected as for a push to the ref. */
  dryRun: boolean;
}

/**
 * What a CI configuration would be in a project, with what it includes. Texts are checked for developers, and the committed file for all who
 * may read it; variables of the project are used for developers alone. Throws NotFound, Forbidden, Unauthenticated, RateLimited.
 */
export async function lintForProject(
  context: Context,
  project: ProjectRow,
  { content = null, ref = null, dryRun }: LintRequest,
): Promise<PipelinePlan> {
  const { actor } = context;
  authorize(actor, content === null ? 'read_repository' : 'create_pipeline', project);
  const revision = await findRevision(context, project, ref);
  if (!revision && (content === null || ref !== null)) throw new NotFound('Commit');
  const ground: Ground | null = revision && { repository: revision.repository, commit: revision.oid, base: null };
  const path = await configPath(context.db, project);
  const text = content ?? (ground && (await committed(ground, path)));
  if (text === null) return { ...NO_PLAN, error: `Please provide content of ${path}` };
  const origin = await originOf(project, ground, ref);
  const mayKnow = actor !== null && can(actor, 'create_pipeline', project);
  const known =
    mayKnow && ground && origin
      ? await predefinedVariables(context, {
          project,
          repository: ground.repository,
          origin,
          sha: ground.commit,
          beforeSha: null,
          starter: actor,
          mergeRequestId: null,
          given: [],
        })
      : { weak: {}, strong: {} };
  const wish = { text, origin: dryRun ? origin : null, known, ground, wantsMerged: true };
  return lintConfig(context, callerOf(actor, context.clientAddress), wish);
}

async function committed({ repository, commit }: Ground, path: string): Promise<string | null> {
  const entry = await repository.entry(commit, path);
  if (entry?.type !== 'blob') return null;
  try {
    return (await repository.blob(entry.oid, MAX_CONFIG_BYTES))?.toString('utf8') ?? null;
  } catch (error) {
    // Too large for a configuration: reading it says so.
    if (isLimit(error, 'size')) return ' '.repeat(MAX_CONFIG_BYTES + 1);
    throw error;
  }
}

async function originOf(
  project: ProjectRow,
  ground: Ground | null,
  ref: string | null,
): Promise<PipelineOrigin | null> {
  if (!ground) return null;
  const name = ref ?? project.defaultBranch ?? (await ground.repository.defaultBranch()) ?? '';
  const tag = (await ground.repository.branch(name)) === null && (await ground.repository.tag(name)) !== null;
  return { ref: name, tag, source: 'push', project: project.fullPath };
}
