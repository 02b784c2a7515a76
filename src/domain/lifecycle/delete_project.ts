import { type Auditing, audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { requireConfirmation } from '#src/domain/lifecycle/confirmation.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/**
 * Deletes a project: it is invisible from now on, its name and path are free and its forks are detached; a job removes the rest.
 * Returns the project as it was. `confirmation` is its full path as somebody typed it. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function deleteProject(
  context: Context,
  ref: IdOrPath,
  confirmation?: string | null,
): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'delete_project', project);
  requireConfirmation(confirmation, project.fullPath);
  await context.db.$transaction((tx) => markDeleted(tx, context, project.id, actor.id));
  return project;
}

/** What deleteProject does to the records; the caller has checked the permission. Throws NotFound if it is deleted already. */
export async function markDeleted(
  tx: Transaction,
  context: Pick<Context, 'jobs'> & Auditing,
  projectId: number,
  userId: number,
): Promise<void> {
  const { count } = await tx.project.updateMany({
    where: { id: projectId, deletedAt: null },
    data: { deletedAt: new Date() },
  });
  if (count === 0) throw new NotFound('Project');
  const target = { type: 'Project', id: projectId } as const;
  await audit(tx, context, { action: 'project_deleted', place: { projectId }, target });
  const { jobs } = context;
  await tx.project.updateMany({ where: { forkedFromId: projectId }, data: { forkedFromId: null } });
  await jobs.enqueue(tx, 'projects.remove', { projectId });
  // Merge requests from a deleted fork cannot be merged any more.
  const ofFork = { sourceProjectId: projectId, targetProjectId: { not: projectId }, state: 'opened' as const };
  if ((await tx.mergeRequest.count({ where: ofFork, take: 1 })) > 0) {
    await jobs.enqueue(tx, 'merge_requests.refresh', { projectId, userId });
  }
}
