import { builder } from '#schema/builder.ts';
import { Member } from '#schema/members/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { addMember } from '#src/members/add.ts';
import { type ChangedMember, changedMember } from '#src/members/list.ts';
import { removeMember } from '#src/members/remove.ts';
import { updateMember } from '#src/members/update.ts';

const LEVELS = 'The level as a number: 10 guest, 20 reporter, 30 developer, 40 master, in groups also 50 owner.';
const LAST_DAY = 'The day from which on it gives nothing.';

export const MemberPayload = builder.objectRef<ChangedMember>('MemberPayload').implement({
  description: 'The membership as it is now.',
  fields: (t) => ({
    member: t.field({
      type: Member,
      description: 'The membership.',
      resolve: (changed, _args, context, info) => changedMember(context, changed, selectionAt(info, 'Member')),
    }),
  }),
});

const RemoveMemberPayload = builder.objectRef<{ userId: number }>('RemoveMemberPayload').implement({
  description: 'Whose membership ended.',
  fields: (t) => ({ userId: t.exposeInt('userId', { description: 'Numeric ID of the user.' }) }),
});

const AddProjectMemberInput = builder.inputType('AddProjectMemberInput', {
  description: 'A new member of a project.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    accessLevel: t.int({ required: true, description: LEVELS }),
    expiresAt: t.field({ type: 'Date', description: LAST_DAY }),
  }),
});

const AddGroupMemberInput = builder.inputType('AddGroupMemberInput', {
  description: 'A new member of a group.',
  fields: (t) => ({
    group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    accessLevel: t.int({ required: true, description: LEVELS }),
    expiresAt: t.field({ type: 'Date', description: LAST_DAY }),
  }),
});

const UpdateProjectMemberInput = builder.inputType('UpdateProjectMemberInput', {
  description: 'Changes to a membership: unset means unchanged, null cleared.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    accessLevel: t.int({ required: true, description: LEVELS }),
    expiresAt: t.field({ type: 'Date', description: LAST_DAY }),
  }),
});

const UpdateGroupMemberInput = builder.inputType('UpdateGroupMemberInput', {
  description: 'Changes to a membership: unset means unchanged, null cleared.',
  fields: (t) => ({
    group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    accessLevel: t.int({ required: true, description: LEVELS }),
    expiresAt: t.field({ type: 'Date', description: LAST_DAY }),
  }),
});

const RemoveProjectMemberInput = builder.inputType('RemoveProjectMemberInput', {
  description: 'Whose membership of a project ends.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
  }),
});

const RemoveGroupMemberInput = builder.inputType('RemoveGroupMemberInput', {
  description: 'Whose membership of a group ends.',
  fields: (t) => ({
    group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
  }),
});

builder.mutationFields((t) => ({
  addProjectMember: t.field({
    type: MemberPayload,
    description: 'Makes a user a member of a project. For its masters.',
    args: { input: t.arg({ type: AddProjectMemberInput, required: true, description: 'The new member.' }) },
    resolve: (_root, { input: { project, ...member } }, context) =>
      addMember(context, { kind: 'project', ref: project }, member),
  }),
  addGroupMember: t.field({
    type: MemberPayload,
    description: 'Makes a user a member of a group. For its owners.',
    args: { input: t.arg({ type: AddGroupMemberInput, required: true, description: 'The new member.' }) },
    resolve: (_root, { input: { group, ...member } }, context) =>
      addMember(context, { kind: 'group', ref: group }, member),
  }),
  updateProjectMember: t.field({
    type: MemberPayload,
    description: 'Changes a membership of a project. For its masters.',
    args: { input: t.arg({ type: UpdateProjectMemberInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { project, userId, ...changes } }, context) =>
      updateMember(context, { kind: 'project', ref: project }, userId, changes),
  }),
  updateGroupMember: t.field({
    type: MemberPayload,
    description: 'Changes a membership of a group. For its owners; the last one stays owner.',
    args: { input: t.arg({ type: UpdateGroupMemberInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { group, userId, ...changes } }, context) =>
      updateMember(context, { kind: 'group', ref: group }, userId, changes),
  }),
  removeProjectMember: t.field({
    type: RemoveMemberPayload,
    description: 'Ends a membership of a project. For its masters, and for the member, who leaves.',
    args: { input: t.arg({ type: RemoveProjectMemberInput, required: true, description: 'Whose.' }) },
    resolve: (_root, { input: { project, userId } }, context) =>
      removeMember(context, { kind: 'project', ref: project }, userId),
  }),
  removeGroupMember: t.field({
    type: RemoveMemberPayload,
    description: 'Ends a membership of a group. For its owners, and for the member, who leaves; the last owner stays.',
    args: { input: t.arg({ type: RemoveGroupMemberInput, required: true, description: 'Whose.' }) },
    resolve: (_root, { input: { group, userId } }, context) =>
      removeMember(context, { kind: 'group', ref: group }, userId),
  }),
}));
