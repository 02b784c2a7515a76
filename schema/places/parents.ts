import type { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { nullIfNotFound } from '#src/platform/errors.ts';

/** Where a record was: as the input names it, or as the command has found it. */
interface Parents {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
}

type Fields = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Parents>;

/** `project` of the payload of a deletion, for `from`: what the record was deleted from. */
export const fromProject = (t: Fields) => ({
  project: projectField(t, 'The project that it was in, as it is now; null if the caller does not see it any more.'),
});

/** `group` of the payload of a deletion, for `from`: what the record was deleted from. */
export const fromGroup = (t: Fields) => ({
  group: groupField(t, 'The group that it was in, as it is now; null if the caller does not see it any more.'),
});

/** `project` and `group` of the payload of a deletion, for `from`: one of them is what the record was deleted from. */
export const fromPlace = (t: Fields) => ({
  project: projectField(t, 'The project that it was in, as it is now; null for one of a group.'),
  group: groupField(t, 'The group that it was in, as it is now; null for one of a project.'),
});

/** A deleted project or group with the group around it, by its path; a personal namespace is no group. */
export function withParent<Deleted extends { fullPath: string }>(deleted: Deleted): Deleted & Parents {
  const end = deleted.fullPath.lastIndexOf('/');
  return { ...deleted, group: end === -1 ? null : deleted.fullPath.slice(0, end) };
}

function projectField(t: Fields, description: string) {
  return t.field({
    type: Project,
    nullable: true,
    description,
    resolve: ({ project }, _args, context, info) =>
      project == null ? null : findProject(context, project, selectionAt(info, 'Project')).catch(nullIfNotFound),
  });
}

function groupField(t: Fields, description: string) {
  return t.field({
    type: Group,
    nullable: true,
    description,
    resolve: ({ group }, _args, context, info) =>
      group == null ? null : findGroup(context, group, selectionAt(info, 'Namespace')).catch(nullIfNotFound),
  });
}
