import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { ownerFields } from '#schema/places/owner_ref.ts';
import { projectOf, requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { can, type GroupAbility, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The columns of a record that belongs to a project or to a group. */
interface OfPlace {
  projectId: number | null;
  groupId: number | null;
}

/** The field `project` of records of projects or groups. */
export const projectOfPlace = {
  type: Project,
  nullable: true,
  description: 'The project that the record belongs to; null if it belongs to a group.',
  select: { projectId: true },
  resolve: (
    { projectId }: Pick<OfPlace, 'projectId'>,
    _args: object,
    context: GraphQLContext,
    info: GraphQLResolveInfo,
  ) => projectOf(context, info, projectId),
} as const;

/** The field `group` of records of projects or groups. */
export const groupOfPlace = {
  type: Group,
  nullable: true,
  description: 'The group that the record belongs to; null if it belongs to a project.',
  select: { groupId: true },
  resolve: ({ groupId }: Pick<OfPlace, 'groupId'>, _args: object, context: GraphQLContext, info: GraphQLResolveInfo) =>
    groupOf(context, info, groupId),
} as const;

/** The project or group of a record, with what permissions depend on, batched for the records of a list. Throws NotFound. */
export async function placeBase(
  context: GraphQLContext,
  { projectId, groupId }: OfPlace,
): Promise<{ project: ProjectRow; group: null } | { project: null; group: GroupRow }> {
  if (projectId !== null) return { project: await requireProjectBase(context, projectId), group: null };
  const group = groupId === null ? null : await context.loaders.group.load(groupId);
  if (!group) throw new NotFound('Group');
  return { project: null, group };
}

/** A field that says whether the caller has an ability in the project or group of a record. */
export function abilityThere(inProject: ProjectAbility, inGroup: GroupAbility, description: string) {
  return {
    description,
    select: { projectId: true, groupId: true },
    resolve: async (record: OfPlace, _args: object, context: GraphQLContext) => {
      if (context.actor === null) return false;
      const { project, group } = await placeBase(context, record);
      return project ? can(context.actor, inProject, project) : can(context.actor, inGroup, group);
    },
  } as const;
}

/** The fields of an input that names the project or the group of a record; `whose` follows “The project”. */
export function placeFields(t: InputFields, whose: string) {
  const how = 'full path, global ID or numeric ID. Give either `project` or `group`.';
  return ownerFields(t, {
    owner: `The project or group ${whose}. Required, unless \`project\` or \`group\` is given.`,
    project: `The project ${whose}: ${how}`,
    group: `The group ${whose}: ${how}`,
  });
}

/** The project or group of a record, which may be omitted as the ID implies it. */
export function holderFields(t: InputFields, record: string) {
  return ownerFields(t, {
    owner: `The project or group that the ${record} must belong to. Any when left out.`,
    project: `The project that the ${record} must belong to: full path, global ID or numeric ID. Any project when left out.`,
    group: `The group that the ${record} must belong to: full path, global ID or numeric ID. Any group when left out.`,
  });
}

type Placed = { project: ProjectRow; group: null } | { project: null; group: GroupRow };

/** Reads lists below records of projects and of groups, the ones and the others together. */
export async function byPlace<P extends Placed, T>(
  parents: readonly P[],
  inProjects: (parents: Extract<P, { group: null }>[]) => Promise<(T | Error)[]>,
  inGroups: (parents: Extract<P, { project: null }>[]) => Promise<(T | Error)[]>,
): Promise<(T | Error)[]> {
  const ofProjects = parents.filter((parent) => parent.project !== null) as Extract<P, { group: null }>[];
  const ofGroups = parents.filter((parent) => parent.project === null) as Extract<P, { project: null }>[];
  const found = new Map<P, T | Error>();
  const note = (some: readonly P[], read: readonly (T | Error)[]) =>
    some.forEach((parent, index) => {
      found.set(parent, read[index] as T | Error);
    });
  if (ofProjects.length > 0) note(ofProjects, await inProjects(ofProjects));
  if (ofGroups.length > 0) note(ofGroups, await inGroups(ofGroups));
  return parents.map((parent) => found.get(parent) as T | Error);
}
