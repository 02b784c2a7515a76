import { authorize, type GroupAbility, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** Names the project or the group that a record belongs to: exactly one of them. */
export interface OwnerRef {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
}

/** The project or the group that a record belongs to, as the actor sees it. */
export type Owner = { project: ProjectRow; group: null } | { project: null; group: GroupRow };

/** A changed record of an owner, for reading it back. */
export interface OwnedRecord {
  place: Owner;
  id: number;
}

/** The abilities that a command needs, in a project and in a group. */
interface Needed {
  project: ProjectAbility;
  group: GroupAbility;
}

/** The project or group of a reference. Throws ValidationFailed unless it names one, NotFound. */
export async function findOwner(context: Context, { project, group }: OwnerRef): Promise<Owner> {
  readerOf(context);
  if (project != null && group == null) return { project: await findProject(context, project), group: null };
  if (group != null && project == null) return { project: null, group: await findGroup(context, group) };
  throw new ValidationFailed({ owner: ['must be either a project or a group'] });
}

/** Like findOwner, for those who have the ability there. Throws Forbidden. */
export async function requireOwner(context: Context, ref: OwnerRef, needed: Needed): Promise<Owner> {
  const place = await findOwner(context, ref);
  const actor = readerOf(context);
  if (place.project) authorize(actor, needed.project, place.project);
  else authorize(actor, needed.group, place.group);
  return place;
}

/** The columns of a record of the owner. */
export function ownerColumns({ project, group }: Owner): { projectId: number } | { groupId: number } {
  return project ? { projectId: project.id } : { groupId: group.id };
}
