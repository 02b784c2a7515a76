import { builder } from '#schema/builder.ts';
import { AccessLevel, ProjectCreationLevel, SubgroupCreationLevel, Visibility } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { confirmationField, groupField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createGroup } from '#src/domain/groups/create.ts';
import { findGroup, type GroupRow } from '#src/domain/groups/find.ts';
import { shareGroup, unshareGroup } from '#src/domain/groups/share.ts';
import { updateGroup } from '#src/domain/groups/update.ts';
import { deleteGroup } from '#src/domain/lifecycle/delete_group.ts';
import { transferGroup } from '#src/domain/lifecycle/transfer_group.ts';
import { transferProject } from '#src/domain/lifecycle/transfer_to_group.ts';
import { findProject } from '#src/domain/projects/find.ts';

const NAME = 'Display name; at most 255 characters.';

const LFS = 'Whether large file storage is on.';
const REQUESTS = 'Whether users can ask for access.';

const LOCK = 'Whether projects in the group, and in groups in it, cannot be shared with groups.';

/** Who may create what in the group, and share it. */
const rights = (t: InputFields) => ({
  shareWithGroupLock: t.boolean({ description: LOCK }),
  projectCreationLevel: t.field({ type: ProjectCreationLevel, description: 'Who can create projects in the group.' }),
  subgroupCreationLevel: t.field({
    type: SubgroupCreationLevel,
    description: 'Who can create subgroups of the group.',
  }),
});

const description = (t: InputFields) => t.string({ description: 'Description of the group’s purpose.' });

const avatar = (t: InputFields) =>
  t.field({
    type: 'Upload',
    description: 'A picture of the group: PNG, JPEG, GIF or WebP, at most 200 KB. Null removes it.',
  });

const CreateGroupInput = builder.inputType('CreateGroupInput', {
  description: 'A new group, owned by the caller.',
  fields: (t) => ({
    name: t.string({ required: true, description: NAME }),
    path: t.string({
      description:
        'Last part of the group’s URL; unique within its parent. In GraphQL, it is made from the name when left out.',
    }),
    description: description(t),
    lfsEnabled: t.boolean({ required: true, defaultValue: true, description: LFS }),
    requestAccessEnabled: t.boolean({ required: true, defaultValue: false, description: REQUESTS }),
    ...rights(t),
    avatar: avatar(t),
    visibility: t.field({
      type: Visibility,
      description: 'Who can see the group. By default, what the application settings say, limited by the parent group.',
    }),
    parent: t.field({
      type: 'GroupRef',
      description: 'The parent group, which the caller must own: full path, global ID or numeric ID.',
    }),
  }),
});

const UpdateGroupInput = builder.inputType('UpdateGroupInput', {
  description: 'Changes to a group. What is left out stays as it is.',
  fields: (t) => ({
    group: groupField(t, 'to change'),
    name: t.string({ description: NAME }),
    path: t.string({
      description: 'Last part of the group’s URL. Old URLs redirect to the new one.',
    }),
    description: description(t),
    lfsEnabled: t.boolean({ description: LFS }),
    requestAccessEnabled: t.boolean({ description: REQUESTS }),
    ...rights(t),
    avatar: avatar(t),
    preventSharingGroupsOutsideHierarchy: t.boolean({
      description: 'Whether the group and those in it are only shared with groups of its tree. For groups at the top.',
    }),
    visibility: t.field({
      type: Visibility,
      description: 'Who can see the group; no narrower than the projects and groups in it.',
    }),
  }),
});

const DeleteGroupInput = builder.inputType('DeleteGroupInput', {
  description: 'Which group to delete.',
  fields: (t) => ({ group: groupField(t, 'to delete'), confirmation: confirmationField(t) }),
});

const TransferProjectInput = builder.inputType('TransferProjectInput', {
  description: 'Which project to move into which group.',
  fields: (t) => ({ project: projectField(t, 'to move'), group: groupField(t, 'that gets the project') }),
});

const ShareGroupInput = builder.inputType('ShareGroupInput', {
  description: 'Which group to share with the members of which other one, and at which level.',
  fields: (t) => ({
    group: groupField(t, 'to share'),
    invitedGroup: groupField(t, 'whose members get access'),
    accessLevel: t.field({
      type: AccessLevel,
      required: true,
      description: 'The highest level that members of the other group get.',
    }),
    expiresAt: t.field({
      type: 'Date',
      description: 'The share ends at 00:00 UTC on this day. It never ends when null or left out.',
    }),
  }),
});

const UnshareGroupInput = builder.inputType('UnshareGroupInput', {
  description: 'Which share of a group to end.',
  fields: (t) => ({
    group: groupField(t, 'that was shared'),
    invitedGroupId: t.field({
      ...idOf('Group'),
      required: true,
      description: 'Global or numeric ID of the group that loses its access.',
    }),
  }),
});

function groupPayload(mutation: string) {
  return builder.objectRef<{ id: number }>(namesOf(mutation).payload).implement({
    description: 'The group after the mutation.',
    fields: (t) => ({
      group: t.field({
        type: Group,
        description: 'The group as it is now.',
        resolve: ({ id }, _args, context, info) => findGroup(context, id, selectionAt(info, 'Namespace')),
      }),
    }),
  });
}

const DeleteGroupPayload = builder.objectRef<GroupRow>('DeleteGroupPayload').implement({
  description: 'The group that was deleted.',
  fields: (t) => ({
    deletedGroupId: t.id({
      description: 'Global ID of the group that was deleted.',
      resolve: ({ id }) => toGlobalId('Group', id),
    }),
    fullPath: t.exposeString('fullPath', { description: 'Full path that the group had.' }),
  }),
});

const TransferGroupInput = builder.inputType('TransferGroupInput', {
  description: 'Which group to move, and where to.',
  fields: (t) => ({
    group: groupField(t, 'to move'),
    parent: t.field({
      type: 'GroupRef',
      description: 'The new parent group: full path, global ID or numeric ID. Without one, the group moves to the top.',
    }),
    confirmation: confirmationField(t),
  }),
});

const TransferProjectPayload = builder
  .objectRef<{ groupId: number; projectId: number }>('TransferProjectPayload')
  .implement({
    description: 'The project after the move.',
    fields: (t) => ({
      group: t.field({
        type: Group,
        description: 'The group that now owns the project.',
        resolve: ({ groupId }, _args, context, info) => findGroup(context, groupId, selectionAt(info, 'Namespace')),
      }),
      project: t.field({
        type: Project,
        description: 'The project with its new path.',
        resolve: ({ projectId }, _args, context, info) => findProject(context, projectId, selectionAt(info, 'Project')),
      }),
    }),
  });

builder.mutationFields((t) => ({
  createGroup: t.field({
    type: groupPayload('createGroup'),
    description: 'Creates a group that the caller owns. For users who may create groups.',
    args: { input: t.arg({ type: CreateGroupInput, required: true, description: 'Name and path of the new group.' }) },
    resolve: async (_root, { input: { parent, ...input } }, context) => ({
      id: await createGroup(context, { ...input, parentId: parent }),
    }),
  }),
  updateGroup: t.field({
    type: groupPayload('updateGroup'),
    description: 'Changes a group. For its owners and administrators.',
    args: {
      input: t.arg({ type: UpdateGroupInput, required: true, description: 'Names the group, and the changes.' }),
    },
    resolve: async (_root, { input: { group, ...changes } }, context) => ({
      id: await updateGroup(context, group, changes),
    }),
  }),
  shareGroup: t.field({
    type: groupPayload('shareGroup'),
    description:
      'Gives the members of another group access to a group and all that is in it. For its owners. CONFLICT when they have it already.',
    args: { input: t.arg({ type: ShareGroupInput, required: true, description: 'Names both groups and the level.' }) },
    resolve: async (_root, { input: { group, ...share } }, context) => ({
      id: await shareGroup(context, group, share),
    }),
  }),
  unshareGroup: t.field({
    type: groupPayload('unshareGroup'),
    description: 'Stops sharing a group with another one. For its owners.',
    args: {
      input: t.arg({ type: UnshareGroupInput, required: true, description: 'Names the group and the other one.' }),
    },
    resolve: async (_root, { input: { group, invitedGroupId } }, context) => ({
      id: await unshareGroup(context, group, invitedGroupId),
    }),
  }),
  deleteGroup: t.field({
    type: DeleteGroupPayload,
    description: 'Deletes a group with the groups and projects inside. For its owners and administrators.',
    args: { input: t.arg({ type: DeleteGroupInput, required: true, description: 'Names the group to delete.' }) },
    resolve: (_root, { input: { group, confirmation } }, context) => deleteGroup(context, group, confirmation),
  }),
  transferGroup: t.field({
    type: groupPayload('transferGroup'),
    description:
      'Moves a group with all that is in it into another group, or to the top. For its owners, who may create groups there. Old paths redirect.',
    args: {
      input: t.arg({ type: TransferGroupInput, required: true, description: 'Names the group and its new parent.' }),
    },
    resolve: async (_root, { input: { group, parent, confirmation } }, context) => ({
      id: await transferGroup(context, group, parent ?? null, confirmation),
    }),
  }),
  transferProject: t.field({
    type: TransferProjectPayload,
    description: 'Moves a project into a group. For administrators.',
    args: {
      input: t.arg({ type: TransferProjectInput, required: true, description: 'Names the project and the group.' }),
    },
    resolve: (_root, { input: { group, project } }, context) => transferProject(context, group, project),
  }),
}));
