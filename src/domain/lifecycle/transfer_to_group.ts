import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { isWider } from '#src/access/permissions/visibility_levels.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { holdNamespace } from '#src/domain/namespaces/lock.ts';
import { redirectProject, takePath } from '#src/domain/namespaces/redirects.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/**
 * Moves a project into a group; the old path redirects. Returns both IDs. Throws NotFound for either, Forbidden,
 * ValidationFailed.
 */
export async function transferProject(
  context: Context,
  groupRef: IdOrPath,
  projectRef: IdOrPath,
): Promise<{ groupId: number; projectId: number }> {
  const actor = requireAdmin(context);
  const group = await findGroup(context, groupRef);
  authorize(actor, 'transfer_project_to_group', group);
  const project = await findProject(context, projectRef);
  try {
    await context.db.$transaction((tx) => move(tx, context, project.id, group.id));
  } catch (error) {
    if (!violates(error)) throw error;
    const what = violates(error, 'projects_name_lower') ? 'name' : 'path';
    throw new ValidationFailed({ new_namespace: [`Project with same ${what} in target namespace already exists`] });
  }
  return { groupId: group.id, projectId: project.id };
}

async function move(tx: Transaction, context: Context, projectId: number, groupId: number): Promise<void> {
  const [found] = await tx.$queryRaw<{ namespaceId: number }[]>`
    SELECT namespace_id AS "namespaceId" FROM projects WHERE id = ${projectId} AND deleted_at IS NULL`;
  if (!found) throw new NotFound('Project');
  // Top-down, like all locks on namespaces; the project comes last.
  await tx.$queryRaw`SELECT id FROM namespaces WHERE id IN (${found.namespaceId}, ${groupId}) ORDER BY cardinality(lineage), id FOR SHARE`;
  const group = await holdNamespace(tx, groupId);
  if (!group) throw new NotFound('Group');
  const [project] = await tx.$queryRaw<(Pick<ProjectRow, 'path' | 'visibility'> & { namespaceId: number })[]>`
    SELECT path, visibility::text AS visibility, namespace_id AS "namespaceId" FROM projects
    WHERE id = ${projectId} AND deleted_at IS NULL FOR UPDATE`;
  if (!project) throw new NotFound('Project');
  // It was moved concurrently, so the namespace that it leaves is another one.
  if (project.namespaceId !== found.namespaceId) return move(tx, context, projectId, groupId);
  if (found.namespaceId === groupId) throw new ValidationFailed({ new_namespace: ['is invalid'] });
  if (isWider(project.visibility, group.visibility)) {
    const message = `${project.visibility} is not allowed in a ${group.visibility} group.`;
    throw new ValidationFailed({ visibility_level: [message] });
  }
  await redirectProject(tx, projectId);
  await tx.$executeRaw`UPDATE projects SET namespace_id = ${groupId}, updated_at = now() WHERE id = ${projectId}`;
  await takePath(tx, `${group.fullPath}/${project.path}`);
  const from = { id: found.namespaceId };
  const { lineage } = await tx.namespace.findUniqueOrThrow({ where: from, select: { lineage: true } });
  await recordChange(tx, context, { type: 'projectMoved', project: { id: projectId }, from: lineage });
}
