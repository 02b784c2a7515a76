import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** A pipeline that may have been given variables. */
export interface Given {
  id: number;
  projectId: number;
  userId: number;
}

/** The variables that a pipeline was given, for masters, and for the developer who started it. Throws NotFound, Forbidden, Unauthenticated. */
export async function givenVariables(
  context: Context,
  { id, projectId, userId }: Given,
): Promise<{ key: string; value: string }[]> {
  const actor = requireActor(context);
  const project = await findProject(context, projectId);
  const isStarter = actor.id === userId && can(actor, 'update_pipeline', project);
  if (!isStarter) authorize(actor, 'admin_variable', project);
  const pipeline = await context.db.pipeline.findUnique({ where: { id }, select: { variablesEncrypted: true } });
  if (!pipeline?.variablesEncrypted) return [];
  const variables: Record<string, string> = JSON.parse(decrypt(pipeline.variablesEncrypted, context.secret));
  return Object.entries(variables).map(([key, value]) => ({ key, value }));
}
