import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { findOwner, type OwnerRef } from '#src/domain/projects/owner.ts';
import { NotFound } from '#src/platform/errors.ts';

/**
 * The place of a milestone; a given one is looked up by the command that receives it. Throws InsufficientScope, NotFound for a
 * milestone that does not exist or that the actor may not know of.
 */
export async function placeHolding(context: Context, id: number, { project, group }: OwnerRef): Promise<OwnerRef> {
  if (project != null || group != null) return { project, group };
  readerOf(context);
  const found = await context.db.milestone.findUnique({ where: { id }, select: { projectId: true, groupId: true } });
  if (!found) throw new NotFound('Milestone');
  const ref = { project: found.projectId, group: found.groupId };
  try {
    await findOwner(context, ref);
  } catch (error) {
    throw error instanceof NotFound ? new NotFound('Milestone') : error;
  }
  return ref;
}
