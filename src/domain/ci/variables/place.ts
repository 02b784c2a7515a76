import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { Owner, OwnerRef } from '#src/domain/projects/owner.ts';

/** What variables belong to. */
export type VariablePlace = Owner | 'server';

/** The place, the server if none is named, if the actor administers its variables. Throws NotFound, Forbidden, Unauthenticated. */
export async function administered(context: Context, { project, group }: OwnerRef): Promise<VariablePlace> {
  const actor = requireActor(context);
  if (project != null) {
    const found = await findProject(context, project);
    authorize(actor, 'admin_variable', found);
    return { project: found, group: null };
  }
  if (group != null) {
    const found = await findGroup(context, group);
    authorize(actor, 'admin_group_variable', found);
    return { project: null, group: found };
  }
  requireAdmin(context);
  return 'server';
}

/** Where the audit log has what was done to a variable, and the variable: by its key alone. */
export function auditedVariable(place: VariablePlace, { id, key }: { id: number; key: string }) {
  const { projectId, namespaceId } = columnsOf(place);
  const group = namespaceId === null ? ('server' as const) : { groupId: namespaceId };
  return { place: projectId === null ? group : { projectId }, target: { type: 'Variable' as const, id, name: key } };
}

/** The columns that say to which place a variable belongs. */
export function columnsOf(place: VariablePlace): { projectId: number | null; namespaceId: number | null } {
  if (place === 'server') return { projectId: null, namespaceId: null };
  return place.project
    ? { projectId: place.project.id, namespaceId: null }
    : { projectId: null, namespaceId: place.group.id };
}
