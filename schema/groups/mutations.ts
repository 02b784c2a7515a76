import { deprecated } from '#schema/deprecated.ts';
import { AccessLevel, FeatureAccess, ProjectCreationLevel, SubgroupCreationLevel, Visibility } from '#schema/enums.ts';
import { idOfGroup } from '#schema/groups/named.ts';
import { Group } from '#schema/groups/types.ts';
import { confirmationField, groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromGroup, withParent } from '#schema/places/parents.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createGroup } from '#src/domain/groups/create.ts';
import { findGroup } from '#src/domain/groups/find.ts';
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

const wikiAccess = (t: InputFields) =>
  t.field({ type: FeatureAccess, description: 'Who can use the wiki of the group; everyone who sees it by default.' });

const avatar = (t: InputFields) =>
  t.field({
    type: 'Upload',
    description: 'A picture of the group: PNG, JPEG, GIF or WebP, at most 200 KB. Null removes it.',
  });

const groupPayload: Payload<{ id: number }> = changed('group', Group, 'Namespace', (context, { id }, selection) =>
  findGroup(context, id, selection),
);

mutation('createGroup', {
  description: 'Creates a group that the caller owns. For users who may create groups.',
  input: {
    description: 'A new group, owned by the caller.',
    argument: 'Name and path of the new group.',
    fields: (t) => ({
      name: t.string({ required: true, description: NAME }),
      path: t.string({
        description:
          'Last part of the group’s URL; unique within its parent. In GraphQL, it is made from the name when left out.',
      }),
      description: description(t),
      lfsEnabled: t.boolean({ required: true, defaultValue: true, description: LFS }),
      requestAccessEnabled: t.boolean({ required: true, defaultValue: false, description: REQUESTS }),
      wikiAccessLevel: wikiAccess(t),
      ...rights(t),
      avatar: avatar(t),
      visibility: t.field({
        type: Visibility,
        description:
          'Who can see the group. By default, what the application settings say, limited by the parent group.',
      }),
      parent: t.field({
        type: 'GroupRef',
        description: 'The parent group, which the caller must own: full path, global ID or numeric ID.',
      }),
    }),
  },
  resolve: async ({ parent, ...input }, context) => ({
    id: await createGroup(context, { ...input, parentId: parent }),
  }),
  payload: groupPayload,
});

mutation('updateGroup', {
  description: 'Changes a group. For its owners and administrators.',
  input: {
    description: 'Changes to a group. What is left out stays as it is.',
    argument: 'Names the group, and the changes.',
    fields: (t) => ({
      group: groupField(t, 'to change'),
      name: t.string({ description: NAME }),
      path: t.string({
        description: 'Last part of the group’s URL. Old URLs redirect to the new one.',
      }),
      description: description(t),
      lfsEnabled: t.boolean({ description: LFS }),
      requestAccessEnabled: t.boolean({ description: REQUESTS }),
      wikiAccessLevel: wikiAccess(t),
      maxArtifactsSize: t.int({
        description:
          'How large the artifacts of a job in its projects may be, in megabytes, within the limit of the server; null for that of its parent.',
      }),
      ...rights(t),
      avatar: avatar(t),
      preventSharingGroupsOutsideHierarchy: t.boolean({
        description:
          'Whether the group and those in it are only shared with groups of its tree. For groups at the top.',
      }),
      visibility: t.field({
        type: Visibility,
        description: 'Who can see the group; no narrower than the projects and groups in it.',
      }),
    }),
  },
  resolve: async ({ group, ...changes }, context) => ({ id: await updateGroup(context, group, changes) }),
  payload: groupPayload,
});

mutation('shareGroup', {
  description:
    'Gives the members of another group access to a group and all that is in it. For its owners. CONFLICT when they have it already.',
  input: {
    description: 'Which group to share with the members of which other one, and at which level.',
    argument: 'Names both groups and the level.',
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
  },
  resolve: async ({ group, ...share }, context) => ({ id: await shareGroup(context, group, share) }),
  payload: groupPayload,
});

mutation('unshareGroup', {
  description: 'Stops sharing a group with another one. For its owners.',
  input: {
    description: 'Which share of a group to end.',
    argument: 'Names the group and the other one.',
    fields: (t) => ({
      group: groupField(t, 'that was shared'),
      invitedGroup: t.field({
        type: 'GroupRef',
        description: 'The group that loses its access: full path, global ID or numeric ID. Required.',
      }),
      invitedGroupId: t.field({
        ...idOf('Group'),
        description: 'Global or numeric ID of the group that loses its access, instead of `invitedGroup`.',
        ...deprecated('Use `invitedGroup`.', '0.3.0', '0.5.0'),
      }),
    }),
  },
  resolve: async ({ group, invitedGroup, invitedGroupId }, context) => {
    const invited = await idOfGroup(context, invitedGroup ?? invitedGroupId, 'invitedGroup');
    return { id: await unshareGroup(context, group, invited) };
  },
  payload: groupPayload,
});

mutation('deleteGroup', {
  description: 'Deletes a group with the groups and projects inside. For its owners and administrators.',
  input: {
    description: 'Which group to delete.',
    argument: 'Names the group to delete.',
    fields: (t) => ({ group: groupField(t, 'to delete'), confirmation: confirmationField(t) }),
  },
  resolve: async ({ group, confirmation }, context) => withParent(await deleteGroup(context, group, confirmation)),
  payload: {
    from: fromGroup,
    description: 'The group that was deleted.',
    fields: (t) => ({
      deletedGroupId: t.id({
        description: 'Global ID of the group that was deleted.',
        resolve: ({ id }) => toGlobalId('Group', id),
      }),
      fullPath: t.exposeString('fullPath', { description: 'Full path that the group had.' }),
    }),
  },
});

mutation('transferGroup', {
  description:
    'Moves a group with all that is in it into another group, or to the top. For its owners, who may create groups there. Old paths redirect.',
  input: {
    description: 'Which group to move, and where to.',
    argument: 'Names the group and its new parent.',
    fields: (t) => ({
      group: groupField(t, 'to move'),
      parent: t.field({
        type: 'GroupRef',
        description:
          'The new parent group: full path, global ID or numeric ID. Without one, the group moves to the top.',
      }),
      confirmation: confirmationField(t),
    }),
  },
  resolve: async ({ group, parent, confirmation }, context) => ({
    id: await transferGroup(context, group, parent ?? null, confirmation),
  }),
  payload: groupPayload,
});

mutation('transferProject', {
  description: 'Moves a project into a group. For administrators.',
  input: {
    description: 'Which project to move into which group.',
    argument: 'Names the project and the group.',
    fields: (t) => ({ project: projectField(t, 'to move'), group: groupField(t, 'that gets the project') }),
  },
  resolve: ({ group, project }, context) => transferProject(context, group, project),
  payload: {
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
  },
});
