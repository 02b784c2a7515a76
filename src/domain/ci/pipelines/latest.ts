import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { findPipeline } from '#src/domain/ci/pipelines/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** Whose latest pipeline is asked for. */
export interface LatestPipelineOf {
  /** Name of a branch or tag; `HEAD` is the default branch. */
  ref: string;
  ignoreSkipped?: boolean;
}

/**
 * The latest pipeline of what a branch or tag points to now, `HEAD` to the default branch; pipelines of merge requests and child pipelines do not count. Null
 * if there is none, or no such ref. Throws Forbidden, Unauthenticated.
 */
export async function findLatestPipeline<R>(
  context: Context,
  project: ProjectRow,
  { ref, ignoreSkipped = false }: LatestPipelineOf,
  selection: Selection<'Pipeline', R>,
): Promise<R | null> {
  authorize(readerOf(context), 'read_pipeline', project);
  const repository = await context.repositories.open(project);
  const name = repository && (ref === 'HEAD' ? await defaultBranch(project, repository) : ref);
  if (!name) return null;
  const branch = await repository.branch(name);
  const sha = branch?.commit ?? (await repository.tag(name))?.commit ?? null;
  if (sha === null) return null;
  const found = await context.db.pipeline.findFirst({
    where: {
      projectId: project.id,
      ref: name,
      tag: branch === null,
      sha,
      mergeRequestId: null,
      source: { not: 'parent_pipeline' },
      ...(ignoreSkipped && { status: { not: 'skipped' as const } }),
    },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  return found && findPipeline(context, project, found.id, selection);
}
