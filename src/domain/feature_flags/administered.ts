import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { violates } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** The project, if the actor changes its flags and user lists. Throws NotFound, Forbidden, Unauthenticated. */
export async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_feature_flag', project);
  return project;
}

/** For `catch`: ValidationFailed for a name that another flag or user list of the project has. Throws any other error. */
export function nameTaken(error: unknown): never {
  if (violates(error, 'name')) throw new ValidationFailed({ name: ['has already been taken'] }).asExisting();
  throw error;
}
