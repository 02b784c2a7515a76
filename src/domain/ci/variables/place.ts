import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';

/** Names what variables belong to: a project, a group, or the server if neither is given. */
export interface PlaceRef {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
}

/** What variables belong to. */
export type VariablePlace = { project: ProjectRow } | { group: GroupRow } | 'server';

/** The place, if the actor administers its variables. Throws NotFound, Forbidden, Unauthenticated. */
export async function administered(context: Context, { project, group }: PlaceRef): Promise<VariablePlace> {
  const actor = requireActor(context);
  if (project != null) {
    const found = await findProject(context, project);
    authorize(actor, 'admin_variable', found);
    return { project: found };
  }
  if (group != null) {
    const found = await findGroup(context, group);
    authorize(actor, 'admin_group_variable', found);
    return { group: found };
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
  return 'project' in place
    ? { projectId: place.project.id, namespaceId: null }
    : { projectId: null, namespaceId: place.group.id };
}
