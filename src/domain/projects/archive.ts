import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';

/** Archives or unarchives a project; `changed` is false if that is the case already. Throws NotFound, Forbidden. */
export async function archiveProject(
  context: Context,
  ref: IdOrPath,
  archived: boolean,
): Promise<{ project: ProjectRow; changed: boolean }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'archive_project', project);
  const changed = await context.db.$transaction(async (tx) => {
    const { count } = await tx.project.updateMany({
      where: { id: project.id, deletedAt: null, archived: !archived },
      data: { archived },
    });
    const action = archived ? 'project_archived' : 'project_unarchived';
    const target = { type: 'Project', id: project.id } as const;
    if (count > 0) await audit(tx, context, { action, place: { projectId: project.id }, target });
    return count > 0;
  });
  return { project: await findProject(context, project.id), changed };
}
