import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import {
  renewProjectRegistrationToken,
  renewServerRegistrationToken,
  serverRegistrationToken,
} from '#src/domain/ci/runners/registration_tokens.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';

/** The registration token for shared runners, for administrators. Throws Unauthenticated, Forbidden. */
export async function readRegistrationToken(context: Context): Promise<string> {
  requireAdmin(context);
  return serverRegistrationToken(context);
}

/** Replaces it; registered runners are not affected. For administrators. Throws Unauthenticated, Forbidden. */
export async function resetRegistrationToken(context: Context): Promise<string> {
  requireAdmin(context);
  return renewServerRegistrationToken(context.db, context.secret);
}

/** Replaces the registration token of a project; registered runners are not affected. Throws NotFound, Forbidden. */
export async function resetProjectRunnersToken(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_runner', project);
  await renewProjectRegistrationToken(context.db, context.secret, project.id);
  return project;
}
