import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createGroup } from '#src/groups/create.ts';
import { deleteGroup } from '#src/groups/delete.ts';
import { findGroup, type GroupRow } from '#src/groups/find.ts';
import { transferProject } from '#src/groups/transfer.ts';
import { updateGroup } from '#src/groups/update.ts';
import { findProject } from '#src/projects/find.ts';

const CreateGroupInput = builder.inputType('CreateGroupInput', {
  description: 'A new group.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What people call it.' }),
    path: t.string({ required: true, description: 'Its part of addresses.' }),
    description: t.string({ description: 'What it is for.' }),
    visibility: t.field({
      type: Visibility,
      description: 'Who may see it; what the settings say when nothing is said, but no more than see the group around.',
    }),
    lfsEnabled: t.boolean({ description: 'Whether large file storage is on.' }),
    requestAccessEnabled: t.boolean({ description: 'Whether users may ask for access.' }),
    parentId: t.int({ description: 'Numeric ID of the group around it.' }),
  }),
});

const UpdateGroupInput = builder.inputType('UpdateGroupInput', {
  description: 'Changes to a group: unset means unchanged.',
  fields: (t) => ({
    group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }),
    name: t.string({ description: 'What people call it.' }),
    path: t.string({ description: 'Its part of addresses. Old addresses redirect.' }),
    description: t.string({ description: 'What it is for.' }),
    visibility: t.field({ type: Visibility, description: 'Who may see it: no fewer than see what is inside.' }),
    lfsEnabled: t.boolean({ description: 'Whether large file storage is on.' }),
    requestAccessEnabled: t.boolean({ description: 'Whether users may ask for access.' }),
  }),
});

const DeleteGroupInput = builder.inputType('DeleteGroupInput', {
  description: 'Which group to delete.',
  fields: (t) => ({ group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }) }),
});

const TransferProjectInput = builder.inputType('TransferProjectInput', {
  description: 'Which project goes where.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    group: t.field({ type: 'GroupRef', required: true, description: 'The group that gets it.' }),
  }),
});

const CreateGroupPayload = builder.objectRef<{ id: number }>('CreateGroupPayload').implement({
  description: 'The group that was created.',
  fields: (t) => ({
    group: t.field({
      type: Group,
      description: 'The new group.',
      resolve: ({ id }, _args, context, info) => findGroup(context, id, selectionAt(info, 'Namespace')),
    }),
  }),
});

const GroupPayload = builder.objectRef<{ id: number }>('GroupPayload').implement({
  description: 'The group as it is now.',
  fields: (t) => ({
    group: t.field({
      type: Group,
      description: 'The group.',
      resolve: ({ id }, _args, context, info) => findGroup(context, id, selectionAt(info, 'Namespace')),
    }),
  }),
});

const DeleteGroupPayload = builder.objectRef<GroupRow>('DeleteGroupPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({ fullPath: t.exposeString('fullPath', { description: 'Full path of the group that is gone.' }) }),
});

const TransferProjectPayload = builder
  .objectRef<{ groupId: number; projectId: number }>('TransferProjectPayload')
  .implement({
    description: 'The project at its new place.',
    fields: (t) => ({
      group: t.field({
        type: Group,
        description: 'The group that has it now.',
        resolve: ({ groupId }, _args, context, info) => findGroup(context, groupId, selectionAt(info, 'Namespace')),
      }),
      project: t.field({
        type: Project,
        description: 'The project.',
        resolve: ({ projectId }, _args, context, info) => findProject(context, projectId, selectionAt(info, 'Project')),
      }),
    }),
  });

builder.mutationFields((t) => ({
  createGroup: t.field({
    type: CreateGroupPayload,
    description: 'Creates a group that the caller owns. For users who may create groups.',
    args: { input: t.arg({ type: CreateGroupInput, required: true, description: 'The new group.' }) },
    resolve: async (_root, { input }, context) => ({ id: await createGroup(context, input) }),
  }),
  updateGroup: t.field({
    type: GroupPayload,
    description: 'Changes a group. For its owners and administrators.',
    args: { input: t.arg({ type: UpdateGroupInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input: { group, ...changes } }, context) => ({
      id: await updateGroup(context, group, changes),
    }),
  }),
  deleteGroup: t.field({
    type: DeleteGroupPayload,
    description: 'Deletes a group with the groups and projects inside. For its owners and administrators.',
    args: { input: t.arg({ type: DeleteGroupInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { group } }, context) => deleteGroup(context, group),
  }),
  transferProject: t.field({
    type: TransferProjectPayload,
    description: 'Moves a project into a group. For administrators.',
    args: { input: t.arg({ type: TransferProjectInput, required: true, description: 'What goes where.' }) },
    resolve: (_root, { input: { group, project } }, context) => transferProject(context, group, project),
  }),
}));
