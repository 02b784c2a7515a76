import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The project, if the actor changes its site. Throws NotFound, Forbidden, Unauthenticated. */
export async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_pages', project);
  return project;
}

/** Lets changes of the site of a project wait for each other. Throws NotFound if the project is gone. */
export async function holdSite(tx: Transaction, { id }: { id: number }): Promise<void> {
  const found = await tx.$queryRaw<unknown[]>`
    SELECT id FROM projects WHERE id = ${id} AND deleted_at IS NULL FOR NO KEY UPDATE`;
  if (found.length === 0) throw new NotFound('Project');
}
