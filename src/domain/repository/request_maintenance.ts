import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { isMaintained } from '#src/domain/repository/lock.ts';
import { WrongState } from '#src/platform/errors.ts';

/**
 * Leaves a job that repacks the repository of a project, however little has accumulated. Throws NotFound, Forbidden, and Conflict
 * while the repository is maintained.
 */
export async function requestMaintenance(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'maintain_repository', project);
  await context.db.$transaction(async (tx) => {
    if (await isMaintained(tx, project.id)) throw new WrongState('The repository is being maintained');
    await context.jobs.enqueue(tx, 'repositories.maintain', { projectId: project.id, requested: true });
  });
  return project;
}
