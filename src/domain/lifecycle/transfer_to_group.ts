import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { isWider } from '#src/access/permissions/visibility_levels.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { requireConfirmation } from '#src/domain/lifecycle/confirmation.ts';
import { type NamespaceRef, namespaceIdOf } from '#src/domain/namespaces/find.ts';
import { holdNamespace } from '#src/domain/namespaces/lock.ts';
import { redirectProject, takePath } from '#src/domain/namespaces/redirects.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type Home, holdHome, permittedHome } from '#src/domain/projects/home.ts';
import { takenIn } from '#src/domain/projects/taken.ts';
import { type Db, type Transaction, violates } from '#src/platform/database/db.ts';
import { type Existing, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

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
  await moveTo(context, project.id, { id: group.id, ownerId: null });
  return { groupId: group.id, projectId: project.id };
}

/**
 * Moves a project into a namespace, by number or full path, in which the actor may create projects; the old path redirects. `confirmation` is its full
 * path as somebody typed it. Throws NotFound for either, Forbidden, LimitReached, ValidationFailed.
 */
export async function moveProject(
  context: Context,
  ref: IdOrPath,
  namespace: NamespaceRef,
  confirmation?: string | null,
): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'move_project', project);
  requireConfirmation(confirmation, project.fullPath);
  const isNumber = typeof namespace === 'string' && /^\d{1,9}$/.test(namespace);
  const namespaceId = await namespaceIdOf(context, isNumber ? Number(namespace) : namespace);
  const home = await permittedHome(context, actor, namespaceId);
  // Who sees the group learns that more rights are needed.
  if (!home) await findGroup(context, namespaceId).catch(() => Promise.reject(new NotFound('Namespace')));
  if (!home) throw new Forbidden();
  await moveTo(context, project.id, home);
  return findProject(context, project.id);
}

async function moveTo(context: Context, projectId: number, home: Home): Promise<void> {
  try {
    await context.db.$transaction(async (tx) => {
      // The owner of a personal namespace is locked before it; a namespace with nothing around it may be locked before others.
      if (home.ownerId !== null && !(await holdHome(tx, home))) throw new NotFound('Namespace');
      await move(tx, context, projectId, home.id);
    });
  } catch (error) {
    if (!violates(error)) throw error;
    const what = violates(error, 'projects_name_lower') ? 'name' : 'path';
    throw new ValidationFailed({
      new_namespace: [`Project with same ${what} in target namespace already exists`],
    }).asExisting(await existingIn(context.db, error, projectId, home.id));
  }
}

/** The project of the namespace that has the name or path of another one. */
async function existingIn(db: Db, error: unknown, id: number, namespaceId: number): Promise<Existing | null> {
  const moved = await db.project.findUnique({ where: { id }, select: { name: true, path: true } });
  const taken = moved && (await takenIn(db, error, { ...moved, namespaceId, id }));
  return taken?.existing ?? null;
}

async function move(tx: Transaction, context: Context, projectId: number, targetId: number): Promise<void> {
  const [found] = await tx.$queryRaw<{ namespaceId: number }[]>`
    SELECT namespace_id AS "namespaceId" FROM projects WHERE id = ${projectId} AND deleted_at IS NULL`;
  if (!found) throw new NotFound('Project');
  // Top-down, like all locks on namespaces; the project comes last.
  await tx.$queryRaw`SELECT id FROM namespaces WHERE id IN (${found.namespaceId}, ${targetId}) ORDER BY cardinality(lineage), id FOR SHARE`;
  const target = await holdNamespace(tx, targetId);
  if (!target) throw new NotFound('Namespace');
  const [project] = await tx.$queryRaw<(Pick<ProjectRow, 'path' | 'visibility'> & { namespaceId: number })[]>`
    SELECT path, visibility::text AS visibility, namespace_id AS "namespaceId" FROM projects
    WHERE id = ${projectId} AND deleted_at IS NULL FOR UPDATE`;
  if (!project) throw new NotFound('Project');
  // It was moved concurrently, so the namespace that it leaves is another one.
  if (project.namespaceId !== found.namespaceId) return move(tx, context, projectId, targetId);
  if (found.namespaceId === targetId) throw new ValidationFailed({ new_namespace: ['is invalid'] }).asWrongState();
  if (target.kind === 'group' && isWider(project.visibility, target.visibility)) {
    const message = `${project.visibility} is not allowed in a ${target.visibility} group.`;
    throw new ValidationFailed({ visibility_level: [message] });
  }
  await redirectProject(tx, projectId);
  await tx.$executeRaw`UPDATE projects SET namespace_id = ${targetId}, updated_at = now() WHERE id = ${projectId}`;
  await takePath(tx, `${target.fullPath}/${project.path}`);
  const from = { id: found.namespaceId };
  const { lineage, fullPath } = await tx.namespace.findUniqueOrThrow({
    where: from,
    select: { lineage: true, fullPath: true },
  });
  const event = {
    action: 'project_transferred',
    place: { projectId },
    target: { type: 'Project', id: projectId },
  } as const;
  await audit(tx, context, { ...event, attribute: 'namespace', from: fullPath, to: target.fullPath });
  await recordChange(tx, context, { type: 'projectMoved', project: { id: projectId }, from: lineage });
}
