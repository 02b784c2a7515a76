import { builder } from '#schema/builder.ts';
import { AccessLevel } from '#schema/enums.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { Invitation } from '#schema/invitations/types.ts';
import { idsOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { acceptInvitation, declineInvitation } from '#src/domain/members/invitations/accept.ts';
import { type InvitedResult, inviteMembers } from '#src/domain/members/invitations/invite.ts';
import { deleteInvitation, updateInvitation } from '#src/domain/members/invitations/save.ts';
import type { Source } from '#src/domain/members/source.ts';

const LEVEL = 'no higher than the caller’s own, and up to MASTER in projects.';

const address = (t: InputFields) =>
  t.string({ required: true, description: 'The address that was invited, ignoring case.' });

const InviteMembersInput = builder.inputType('InviteMembersInput', {
  description: 'Whom to invite to a project or group, and the membership that they get.',
  fields: (t) => ({
    ...placeFields(t, 'that gets members'),
    emails: t.stringList({ description: 'Email addresses, with an account or without. At most 100 with the users.' }),
    userIds: t.field({ ...idsOf('User'), description: 'Global or numeric IDs of users.' }),
    accessLevel: t.field({ type: AccessLevel, required: true, description: `The access level: ${LEVEL}` }),
    expiresAt: t.field({
      type: 'Date',
      description: 'The membership ends at 00:00 UTC on this day. It never ends when null or left out.',
    }),
  }),
});

const UpdateInvitationInput = builder.inputType('UpdateInvitationInput', {
  description: 'Changes to a pending invitation. What is left out stays as it is.',
  fields: (t) => ({
    ...placeFields(t, 'of the invitation'),
    email: address(t),
    accessLevel: t.field({ type: AccessLevel, description: `The new access level: ${LEVEL}` }),
    expiresAt: t.field({
      type: 'Date',
      description: 'The membership ends at 00:00 UTC on this day; null makes it permanent.',
    }),
  }),
});

const DeleteInvitationInput = builder.inputType('DeleteInvitationInput', {
  description: 'Which pending invitation to withdraw.',
  fields: (t) => ({ ...placeFields(t, 'of the invitation'), email: address(t) }),
});

const linkToken = (t: InputFields) =>
  t.string({ required: true, description: 'The token in the link that was mailed.' });

const AcceptInvitationInput = builder.inputType('AcceptInvitationInput', {
  description: 'Which invitation to accept.',
  fields: (t) => ({ token: linkToken(t) }),
});

const DeclineInvitationInput = builder.inputType('DeclineInvitationInput', {
  description: 'Which invitation to decline.',
  fields: (t) => ({ token: linkToken(t) }),
});

const InviteMembersPayload = builder.objectRef<InvitedResult>('InviteMembersPayload').implement({
  description: 'What came of inviting.',
  fields: (t) => ({
    status: t.string({
      description: '`success`, or `error` if some could not be invited.',
      resolve: ({ refused }) => (typeof refused !== 'string' && refused.size === 0 ? 'success' : 'error'),
    }),
    message: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Why some could not be invited, by address or user ID; a text if there were too many, and nobody was invited; else null.',
      resolve: ({ refused }) => {
        if (typeof refused === 'string') return refused;
        return refused.size > 0 ? Object.fromEntries(refused) : null;
      },
    }),
  }),
});

const UpdateInvitationPayload = builder
  .objectRef<{ invitation: Known<'Invitation'> }>('UpdateInvitationPayload')
  .implement({
    description: 'The invitation after the change.',
    fields: (t) => ({
      invitation: t.expose('invitation', { type: Invitation, description: 'The invitation as it is now.' }),
    }),
  });

const DeleteInvitationPayload = builder.objectRef<{ email: string }>('DeleteInvitationPayload').implement({
  description: 'The invitation that was withdrawn.',
  fields: (t) => ({
    deletedInvitationEmail: t.exposeString('email', { description: 'The address that is no longer invited.' }),
  }),
});

const AcceptInvitationPayload = builder.objectRef<Source>('AcceptInvitationPayload').implement({
  description: 'Where the caller is a member now.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project of the invitation; null if it was to a group.',
      resolve: ({ kind, record }, _args, context, info) =>
        projectOf(context, info, kind === 'project' ? record.id : null),
    }),
    group: t.field({
      type: Group,
      nullable: true,
      description: 'The group of the invitation; null if it was to a project.',
      resolve: ({ kind, record }, _args, context, info) => groupOf(context, info, kind === 'group' ? record.id : null),
    }),
  }),
});

const DeclineInvitationPayload = builder.objectRef<{ declined: boolean }>('DeclineInvitationPayload').implement({
  description: 'What came of declining.',
  fields: (t) => ({
    declined: t.exposeBoolean('declined', { description: 'Always true: the link of the invitation no longer works.' }),
  }),
});

builder.mutationFields((t) => ({
  inviteMembers: t.field({
    type: InviteMembersPayload,
    description:
      'Makes users, and those who show an email address publicly, members at once, and mails a link to other addresses. To administrators all addresses of accounts are known. For masters of the project and owners of the group.',
    args: {
      input: t.arg({ type: InviteMembersInput, required: true, description: 'Place, people and access level.' }),
    },
    resolve: (_root, { input: { project, group, emails, userIds, ...membership } }, context) =>
      inviteMembers(context, { project, group }, { emails, userIds }, membership),
  }),
  updateInvitation: t.field({
    type: UpdateInvitationPayload,
    description: 'Changes a pending invitation. For masters of the project and owners of the group.',
    args: {
      input: t.arg({
        type: UpdateInvitationInput,
        required: true,
        description: 'Names place and address, and the changes.',
      }),
    },
    resolve: async (_root, { input: { project, group, email, ...changes } }, context, info) => ({
      invitation: await updateInvitation(context, { project, group }, email, changes, selectionAt(info, 'Invitation')),
    }),
  }),
  deleteInvitation: t.field({
    type: DeleteInvitationPayload,
    description:
      'Withdraws a pending invitation, whose link stops working. For masters of the project and owners of the group.',
    args: { input: t.arg({ type: DeleteInvitationInput, required: true, description: 'Names place and address.' }) },
    resolve: (_root, { input: { project, group, email } }, context) =>
      deleteInvitation(context, { project, group }, email),
  }),
  acceptInvitation: t.field({
    type: AcceptInvitationPayload,
    description:
      'Makes the caller a member as an invitation says. NOT_FOUND when it was used or withdrawn, is too old, or when who gave it could not give it any more.',
    args: {
      input: t.arg({ type: AcceptInvitationInput, required: true, description: 'Names the invitation to accept.' }),
    },
    resolve: (_root, { input: { token } }, context) => acceptInvitation(context, token),
  }),
  declineInvitation: t.field({
    type: DeclineInvitationPayload,
    description: 'Declines an invitation, whose link stops working. For whoever has the token.',
    args: {
      input: t.arg({ type: DeclineInvitationInput, required: true, description: 'Names the invitation to decline.' }),
    },
    resolve: async (_root, { input: { token } }, context) => {
      await declineInvitation(context, token);
      return { declined: true };
    },
  }),
}));
