import { builder } from '#schema/builder.ts';
import { AccessLevel } from '#schema/enums.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { Invitation } from '#schema/invitations/types.ts';
import { memberResults } from '#schema/members/payloads.ts';
import { mutation } from '#schema/mutation.ts';
import { idsOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { acceptInvitation, declineInvitation } from '#src/domain/members/invitations/accept.ts';
import { inviteMembers } from '#src/domain/members/invitations/invite.ts';
import { deleteInvitation, updateInvitation } from '#src/domain/members/invitations/save.ts';
import { invitationLink } from '#src/domain/members/invitations/token.ts';
import { messagesOf } from '#src/domain/members/outcomes.ts';

const LEVEL = 'no higher than the caller’s own, and up to MASTER in projects.';

const address = (t: InputFields) =>
  t.string({ required: true, description: 'The address that was invited, ignoring case.' });

const linkToken = (t: InputFields) =>
  t.string({ required: true, description: 'The token in the link of the invitation.' });

const InvitationLink = builder.objectRef<{ email: string; token: string }>('InvitationLink').implement({
  description: 'The link of an invitation that is handed over, since the server sends no mail. It is shown once.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'The address that was invited, in lower case.' }),
    token: t.exposeString('token', { description: 'The token in the link, for acceptInvitation.' }),
    uri: t.string({
      description: 'The address of the page on which the invitation is accepted or declined.',
      resolve: ({ token }, _args, { baseUrl }) => invitationLink(baseUrl, token),
    }),
  }),
});

mutation('inviteMembers', {
  description:
    'Makes users, and the accounts of email addresses, members at once, and mails a link to addresses without an account. For masters of the project and owners of the group.',
  input: {
    description: 'Whom to invite to a project or group, and the membership that they get.',
    argument: 'Place, people and access level.',
    fields: (t) => ({
      ...placeFields(t, 'that gets members'),
      emails: t.stringList({ description: 'Email addresses, with an account or without. At most 100 with the users.' }),
      userIds: t.field({ ...idsOf('User'), description: 'Global or numeric IDs of users.' }),
      accessLevel: t.field({ type: AccessLevel, required: true, description: `The access level: ${LEVEL}` }),
      expiresAt: t.field({
        type: 'Date',
        description: 'The membership ends at 00:00 UTC on this day. It never ends when null or left out.',
      }),
      handOver: t.boolean({
        description:
          'Whether addresses without an account get a link to hand over (`links`) where the server sends no mail. They are refused there when false, null or left out.',
      }),
    }),
  },
  resolve: ({ project, group, emails, userIds, handOver, ...membership }, context) =>
    inviteMembers(context, { project, group }, { emails, userIds }, membership, handOver ?? false),
  payload: {
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
          return refused.size > 0 ? Object.fromEntries(messagesOf(refused)) : null;
        },
      }),
      links: t.field({
        type: [InvitationLink],
        description:
          'Links to hand over to those who were invited, with `handOver` on a server that sends no mail; else empty.',
        resolve: ({ links }) => [...links],
      }),
      ...memberResults(t),
    }),
  },
});

mutation('updateInvitation', {
  description: 'Changes a pending invitation. For masters of the project and owners of the group.',
  input: {
    description: 'Changes to a pending invitation. What is left out stays as it is.',
    argument: 'Names place and address, and the changes.',
    fields: (t) => ({
      ...placeFields(t, 'of the invitation'),
      email: address(t),
      accessLevel: t.field({ type: AccessLevel, description: `The new access level: ${LEVEL}` }),
      expiresAt: t.field({
        type: 'Date',
        description: 'The membership ends at 00:00 UTC on this day; null makes it permanent.',
      }),
    }),
  },
  resolve: async ({ project, group, email, ...changes }, context, info) => ({
    invitation: await updateInvitation(context, { project, group }, email, changes, selectionAt(info, 'Invitation')),
  }),
  payload: {
    description: 'The invitation after the change.',
    fields: (t) => ({
      invitation: t.expose('invitation', { type: Invitation, description: 'The invitation as it is now.' }),
    }),
  },
});

mutation('deleteInvitation', {
  description:
    'Withdraws a pending invitation, whose link stops working. For masters of the project and owners of the group.',
  input: {
    description: 'Which pending invitation to withdraw.',
    argument: 'Names place and address.',
    fields: (t) => ({ ...placeFields(t, 'of the invitation'), email: address(t) }),
  },
  resolve: ({ project, group, email }, context) => deleteInvitation(context, { project, group }, email),
  payload: {
    from: fromPlace,
    description: 'The invitation that was withdrawn.',
    fields: (t) => ({
      deletedInvitationEmail: t.exposeString('email', { description: 'The address that is no longer invited.' }),
    }),
  },
});

mutation('acceptInvitation', {
  description:
    'Makes the caller a member as an invitation says. NOT_FOUND when it was used or withdrawn, is too old, or when who gave it could not give it any more.',
  input: {
    description: 'Which invitation to accept.',
    argument: 'Names the invitation to accept.',
    fields: (t) => ({ token: linkToken(t) }),
  },
  resolve: ({ token }, context) => acceptInvitation(context, token),
  payload: {
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
        resolve: ({ kind, record }, _args, context, info) =>
          groupOf(context, info, kind === 'group' ? record.id : null),
      }),
    }),
  },
});

mutation('declineInvitation', {
  description: 'Declines an invitation, whose link stops working. For whoever has the token.',
  input: {
    description: 'Which invitation to decline.',
    argument: 'Names the invitation to decline.',
    fields: (t) => ({ token: linkToken(t) }),
  },
  resolve: async ({ token }, context) => {
    await declineInvitation(context, token);
    return { declined: true };
  },
  payload: {
    description: 'What came of declining.',
    fields: (t) => ({
      declined: t.exposeBoolean('declined', {
        description: 'Always true: the link of the invitation no longer works.',
      }),
    }),
  },
});
