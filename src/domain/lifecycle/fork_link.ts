import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { requireConfirmation } from '#src/domain/lifecycle/confirmation.ts';
import { holdSource } from '#src/domain/lifecycle/fork_project.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { FORK_LINKS_LOCK } from '#src/platform/database/lock_names.ts';
import { AlreadyExists, ValidationFailed } from '#src/platform/errors.ts';

/** A link between a fork and its source. */
export interface ForkLink {
  fork: ProjectRow;
  forkedFromId: number;
  /** When they were linked. */
  linkedAt: Date;
}

/** Links a fork to its source, for administrators. Throws NotFound for either, Forbidden, Conflict, ValidationFailed. */
export async function linkFork(context: Context, ref: IdOrPath, sourceRef: IdOrPath): Promise<ForkLink> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'set_fork_relation', project);
  const source = await findProject(context, sourceRef);
  const linkedAt = new Date();
  await context.db.$transaction(async (tx) => {
    // Links are serialized: two concurrent ones could close a cycle that neither sees.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${FORK_LINKS_LOCK}, 0))`;
    await holdSource(tx, source.id);
    const { count } = await tx.project.updateMany({
      where: { id: project.id, forkedFromId: null, deletedAt: null },
      data: { forkedFromId: source.id, updatedAt: linkedAt },
    });
    if (count === 0)
      throw new AlreadyExists('Project already forked', {
        type: 'Project',
        where: { forks: { some: { id: project.id } } },
      });
    const [circle] = await tx.$queryRaw<unknown[]>`
      WITH RECURSIVE origin AS (
        SELECT id, forked_from_id FROM projects WHERE id = ${source.id}
        UNION SELECT p.id, p.forked_from_id FROM projects p JOIN origin o ON p.id = o.forked_from_id)
      SELECT 1 FROM origin WHERE id = ${project.id}`;
    if (circle) throw new ValidationFailed({ forked_from_project: ['is the project itself or one of its forks'] });
    const event = { action: 'fork_linked', place: { projectId: project.id } } as const;
    await audit(tx, context, { ...event, target: { type: 'Project', id: source.id } });
  });
  return { fork: await findProject(context, project.id), forkedFromId: source.id, linkedAt };
}

/**
 * Detaches a fork, and closes its open merge requests to the source. `confirmation` is its full path as somebody typed it. Throws NotFound, Forbidden,
 * ValidationFailed; `changed` is false if it is not a fork.
 */
export async function unlinkFork(
  context: Context,
  ref: IdOrPath,
  confirmation?: string | null,
): Promise<{ project: ProjectRow; changed: boolean }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'remove_fork_relation', project);
  requireConfirmation(confirmation, project.fullPath);
  const changed = await context.db.$transaction(async (tx) => {
    const { count } = await tx.project.updateMany({
      where: { id: project.id, forkedFromId: { not: null }, deletedAt: null },
      data: { forkedFromId: null },
    });
    if (count === 0) return false;
    const target = { type: 'Project', id: project.id } as const;
    await audit(tx, context, { action: 'fork_unlinked', place: { projectId: project.id }, target });
    await recordChange(tx, context, { type: 'forkDetached', fork: { id: project.id }, actor });
    return true;
  });
  return { project: await findProject(context, project.id), changed };
}
