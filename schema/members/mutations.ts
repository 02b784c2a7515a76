import { AccessLevel } from '#schema/enums.ts';
import { groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { addedPayload, memberPayload } from '#schema/members/payloads.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { fromGroup, fromProject } from '#schema/places/parents.ts';
import { addMember, addNamedMembers } from '#src/domain/members/add.ts';
import { removeMember } from '#src/domain/members/remove.ts';
import { updateMember } from '#src/domain/members/update.ts';

const removePayload: Payload<{ userId: number }> = {
  description: 'The member who was removed.',
  fields: (t) => ({
    removedUserId: t.id({
      description: 'Global ID of the user who was removed.',
      resolve: ({ userId }) => toGlobalId('User', userId),
    }),
  }),
};

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

/** Users, and the membership that they get; `upTo` is the highest level. */
const memberships = (t: InputFields, upTo: string) => {
  const { userId: _one, ...given } = membership(t, upTo);
  return {
    userIds: t.field({ ...idsOf('User'), description: 'Global or numeric IDs of users.' }),
    usernames: t.stringList({ description: 'Usernames of users, in addition to those with IDs. At most 100 in all.' }),
    ...given,
  };
};

/** What else ends with a membership. */
const removal = (t: InputFields) => ({
  unassignIssuables: t.boolean({
    description: 'Whether to take the user off the assignees and reviewers of issues and merge requests there.',
  }),
});

const changes = (t: InputFields, upTo: string) => ({
  ...membership(t, upTo),
  expiresAt: t.field({
    type: 'Date',
    description: 'The membership ends at 00:00 UTC on this day; null makes it permanent.',
  }),
});

mutation('addProjectMember', {
  description: 'Makes a user a member of a project. For its masters. CONFLICT when the user is one already.',
  input: {
    description: 'A new member of a project.',
    argument: 'Names project and user, and the level to give.',
    fields: (t) => ({ project: projectField(t, 'that gets the member'), ...membership(t, 'MASTER') }),
  },
  resolve: ({ project, ...given }, context) => addMember(context, { kind: 'project', ref: project }, given),
  payload: memberPayload,
});

mutation('addGroupMember', {
  description: 'Makes a user a member of a group. For its owners. CONFLICT when the user is one already.',
  input: {
    description: 'A new member of a group.',
    argument: 'Names group and user, and the level to give.',
    fields: (t) => ({ group: groupField(t, 'that gets the member'), ...membership(t, 'OWNER') }),
  },
  resolve: ({ group, ...given }, context) => addMember(context, { kind: 'group', ref: group }, given),
  payload: memberPayload,
});

mutation('addProjectMembers', {
  description:
    'Makes users members of a project. For its masters. CONFLICT if the only one is a member already. Of several, members get the new level, and others are added even if one is refused.',
  input: {
    description: 'New members of a project.',
    argument: 'Names project and users, and the level to give.',
    fields: (t) => ({ project: projectField(t, 'that gets the members'), ...memberships(t, 'MASTER') }),
  },
  resolve: ({ project, userIds, usernames, ...given }, context) =>
    addNamedMembers(context, { kind: 'project', ref: project }, { userIds, usernames }, given),
  payload: addedPayload,
});

mutation('addGroupMembers', {
  description:
    'Makes users members of a group. For its owners. CONFLICT if the only one is a member already. Of several, members get the new level, and others are added even if one is refused.',
  input: {
    description: 'New members of a group.',
    argument: 'Names group and users, and the level to give.',
    fields: (t) => ({ group: groupField(t, 'that gets the members'), ...memberships(t, 'OWNER') }),
  },
  resolve: ({ group, userIds, usernames, ...given }, context) =>
    addNamedMembers(context, { kind: 'group', ref: group }, { userIds, usernames }, given),
  payload: addedPayload,
});

mutation('updateProjectMember', {
  description: 'Changes a membership of a project. For its masters.',
  input: {
    description: 'Changes to a membership of a project. What is left out stays as it is.',
    argument: 'Names project and user, and the changes.',
    fields: (t) => ({ project: projectField(t, 'of the member'), ...changes(t, 'MASTER') }),
  },
  resolve: ({ project, userId, ...given }, context) =>
    updateMember(context, { kind: 'project', ref: project }, userId, given),
  payload: memberPayload,
});

mutation('updateGroupMember', {
  description: 'Changes a group member. For owners of the group. The last owner cannot be demoted.',
  input: {
    description: 'Changes to a membership of a group. What is left out stays as it is.',
    argument: 'Names group and user, and the changes.',
    fields: (t) => ({ group: groupField(t, 'of the member'), ...changes(t, 'OWNER') }),
  },
  resolve: ({ group, userId, ...given }, context) =>
    updateMember(context, { kind: 'group', ref: group }, userId, given),
  payload: memberPayload,
});

mutation('removeProjectMember', {
  description: 'Removes a member from a project. For its masters, and for the member, to leave.',
  input: {
    description: 'Which member to remove from a project.',
    argument: 'Names project and user.',
    fields: (t) => ({ project: projectField(t, 'of the member'), userId: member(t), ...removal(t) }),
  },
  resolve: ({ project, userId, ...removal }, context) =>
    removeMember(context, { kind: 'project', ref: project }, userId, removal),
  payload: { ...removePayload, from: fromProject },
});

mutation('removeGroupMember', {
  description:
    'Removes a member from a group. For its owners, and for the member, to leave. The last owner cannot be removed.',
  input: {
    description: 'Which member to remove from a group.',
    argument: 'Names group and user.',
    fields: (t) => ({
      group: groupField(t, 'of the member'),
      userId: member(t),
      skipSubresources: t.boolean({
        description: 'Whether memberships of subgroups, and of projects in the group, stay; else they end too.',
      }),
      ...removal(t),
    }),
  },
  resolve: ({ group, userId, ...removal }, context) =>
    removeMember(context, { kind: 'group', ref: group }, userId, removal),
  payload: { ...removePayload, from: fromGroup },
});
