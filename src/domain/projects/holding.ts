import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A record by ID, with the project that must contain it; any when absent. */
export interface HeldRecord {
  id: number;
  project?: IdOrPath | null | undefined;
}

/**
 * The project of a record. A given project is looked up by the command that receives it. Throws InsufficientScope, NotFound for a
 * record that does not exist or that the actor may not know of.
 */
export async function projectHolding(
  context: Context,
  resource: 'Deployment' | 'Environment' | 'Job' | 'Pipeline' | 'PipelineSchedule' | 'RemoteMirror' | 'Trigger',
  { id, project }: HeldRecord,
): Promise<IdOrPath> {
  if (project != null) return project;
  readerOf(context);
  const by = { where: { id }, select: { projectId: true } };
  const row = await {
    Deployment: () => context.db.deployment.findUnique(by),
    Environment: () => context.db.environment.findUnique(by),
    Job: () => context.db.job.findUnique(by),
    Pipeline: () => context.db.pipeline.findUnique(by),
    PipelineSchedule: () => context.db.pipelineSchedule.findUnique(by),
    Trigger: () => context.db.trigger.findUnique(by),
    RemoteMirror: () => context.db.remoteMirror.findUnique(by),
  }[resource]();
  if (!row) throw new NotFound(resource);
  try {
    return (await findProject(context, row.projectId)).id;
  } catch (error) {
    throw error instanceof NotFound ? new NotFound(resource) : error;
  }
}
