import { builder } from '#schema/builder.ts';
import { AccessLevel } from '#schema/enums.ts';
import { groupField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { memberPayload } from '#schema/members/payloads.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { addMember } from '#src/domain/members/add.ts';
import { removeMember } from '#src/domain/members/remove.ts';
import { updateMember } from '#src/domain/members/update.ts';

function removePayload(mutation: string) {
  return builder.objectRef<{ userId: number }>(namesOf(mutation).payload).implement({
    description: 'The member who was removed.',
    fields: (t) => ({
      removedUserId: t.id({
        description: 'Global ID of the user who was removed.',
        resolve: ({ userId }) => toGlobalId('User', userId),
      }),
    }),
  });
}

const member = (t: InputFields) =>
  t.field({
    ...idOf('User'),
    required: true,
    description: 'Global or numeric ID of the user.',
  });

/** The user, access level and expiry of a membership; `upTo` is the highest level. */
const membership = (t: InputFields, upTo: string) => ({
  userId: member(t),
  accessLevel: t.field({
    type: AccessLevel,
    required: true,
    description: `The member’s access level: up to ${upTo}, and no higher than the caller’s own.`,
  }),
  expiresAt: t.field({
    type: 'Date',
    description: 'The membership ends at 00:00 UTC on this day. It never ends when null or left out.',
  }),
});

const changes = (t: InputFields, upTo: string) => ({
  ...membership(t, upTo),
  expiresAt: t.field({
    type: 'Date',
    description: 'The membership ends at 00:00 UTC on this day; null makes it permanent.',
  }),
});

const AddProjectMemberInput = builder.inputType('AddProjectMemberInput', {
  description: 'A new member of a project.',
  fields: (t) => ({ project: projectField(t, 'that gets the member'), ...membership(t, 'MASTER') }),
});

const AddGroupMemberInput = builder.inputType('AddGroupMemberInput', {
  description: 'A new member of a group.',
  fields: (t) => ({ group: groupField(t, 'that gets the member'), ...membership(t, 'OWNER') }),
});

const UpdateProjectMemberInput = builder.inputType('UpdateProjectMemberInput', {
  description: 'Changes to a membership of a project. What is left out stays as it is.',
  fields: (t) => ({ project: projectField(t, 'of the member'), ...changes(t, 'MASTER') }),
});

const UpdateGroupMemberInput = builder.inputType('UpdateGroupMemberInput', {
  description: 'Changes to a membership of a group. What is left out stays as it is.',
  fields: (t) => ({ group: groupField(t, 'of the member'), ...changes(t, 'OWNER') }),
});

const RemoveProjectMemberInput = builder.inputType('RemoveProjectMemberInput', {
  description: 'Which member to remove from a project.',
  fields: (t) => ({ project: projectField(t, 'of the member'), userId: member(t) }),
});

const RemoveGroupMemberInput = builder.inputType('RemoveGroupMemberInput', {
  description: 'Which member to remove from a group.',
  fields: (t) => ({ group: groupField(t, 'of the member'), userId: member(t) }),
});

builder.mutationFields((t) => ({
  addProjectMember: t.field({
    type: memberPayload('addProjectMember'),
    description: 'Makes a user a member of a project. For its masters. CONFLICT when the user is one already.',
    args: {
      input: t.arg({
        type: AddProjectMemberInput,
        required: true,
        description: 'Names project and user, and the level to give.',
      }),
    },
    resolve: (_root, { input: { project, ...given } }, context) =>
      addMember(context, { kind: 'project', ref: project }, given),
  }),
  addGroupMember: t.field({
    type: memberPayload('addGroupMember'),
    description: 'Makes a user a member of a group. For its owners. CONFLICT when the user is one already.',
    args: {
      input: t.arg({
        type: AddGroupMemberInput,
        required: true,
        description: 'Names group and user, and the level to give.',
      }),
    },
    resolve: (_root, { input: { group, ...given } }, context) =>
      addMember(context, { kind: 'group', ref: group }, given),
  }),
  updateProjectMember: t.field({
    type: memberPayload('updateProjectMember'),
    description: 'Changes a membership of a project. For its masters.',
    args: {
      input: t.arg({
        type: UpdateProjectMemberInput,
        required: true,
        description: 'Names project and user, and the changes.',
      }),
    },
    resolve: (_root, { input: { project, userId, ...given } }, context) =>
      updateMember(context, { kind: 'project', ref: project }, userId, given),
  }),
  updateGroupMember: t.field({
    type: memberPayload('updateGroupMember'),
    description: 'Changes a group member. For owners of the group. The last owner cannot be demoted.',
    args: {
      input: t.arg({
        type: UpdateGroupMemberInput,
        required: true,
        description: 'Names group and user, and the changes.',
      }),
    },
    resolve: (_root, { input: { group, userId, ...given } }, context) =>
      updateMember(context, { kind: 'group', ref: group }, userId, given),
  }),
  removeProjectMember: t.field({
    type: removePayload('removeProjectMember'),
    description: 'Removes a member from a project. For its masters, and for the member, to leave.',
    args: { input: t.arg({ type: RemoveProjectMemberInput, required: true, description: 'Names project and user.' }) },
    resolve: (_root, { input: { project, userId } }, context) =>
      removeMember(context, { kind: 'project', ref: project }, userId),
  }),
  removeGroupMember: t.field({
    type: removePayload('removeGroupMember'),
    description:
      'Removes a member from a group. For its owners, and for the member, to leave. The last owner cannot be removed.',
    args: { input: t.arg({ type: RemoveGroupMemberInput, required: true, description: 'Names group and user.' }) },
    resolve: (_root, { input: { group, userId } }, context) =>
      removeMember(context, { kind: 'group', ref: group }, userId),
  }),
}));
