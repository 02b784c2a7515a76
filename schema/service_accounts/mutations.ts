import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { ownerFields } from '#schema/places/owner_ref.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { made, NEW, REVOKED, renewed, token, tokenPayload } from '#schema/tokens/mutations.ts';
import { User } from '#schema/users/types.ts';
import { deleteServiceAccount } from '#src/domain/lifecycle/delete_service_account.ts';
import { createServiceAccount, updateServiceAccount } from '#src/domain/members/service_accounts/save.ts';
import {
  createServiceAccountToken,
  revokeServiceAccountToken,
  rotateServiceAccountToken,
} from '#src/domain/members/service_accounts/tokens.ts';
import { select } from '#src/platform/records/selection.ts';

const WHO = 'For owners of the project or group, and for administrators where it is one of the server.';

const place = (t: InputFields) =>
  ownerFields(t, {
    owner: 'The project or group of the service account; the server when left out.',
    project: 'The project of the service account: full path, global ID or numeric ID.',
    group: 'The group of the service account: full path, global ID or numeric ID.',
  });

const values = (t: InputFields) => ({
  name: t.string({ description: 'Display name; at most 255 characters.' }),
  username: t.string({ description: 'Name in URLs; unique regardless of case.' }),
  email: t.string({
    description:
      'E-mail address, which only administrators can choose, and which counts as confirmed. No mail is sent to it.',
  }),
});

const account = (t: InputFields) =>
  t.field({ ...idOf('User'), required: true, description: 'Global or numeric ID of the service account.' });

function userPayload(description: string): Payload<{ user: Known<'User'> }> {
  return {
    description: 'The service account after the mutation.',
    fields: (t) => ({ user: t.expose('user', { type: User, description }) }),
  };
}

mutation('createServiceAccount', {
  description: `Creates a user for programs, which acts with personal access tokens and cannot sign in. It is a member of nothing yet: one of a group can become a member of the group and what is in it, one of a project of the project, one of the server of everything. A project or group can have 100. ${WHO}`,
  input: {
    description: 'A new service account.',
    argument: 'What the account is for, and its name, username and address.',
    fields: (t) => ({ ...place(t), ...values(t) }),
  },
  resolve: async ({ project, group, ...input }, context, info) => ({
    user: await createServiceAccount(context, { project, group }, input, selectionAt(info, 'User')),
  }),
  payload: userPayload('The new account, with its e-mail address.'),
});

mutation('updateServiceAccount', {
  description: `Updates a service account. ${WHO}`,
  input: {
    description: 'What is to change about a service account. Fields that are left out, or null, stay as they are.',
    argument: 'Names place and account, and has the new values.',
    fields: (t) => ({ ...place(t), id: account(t), ...values(t) }),
  },
  resolve: async ({ project, group, ...input }, context, info) => ({
    user: await updateServiceAccount(context, { project, group }, input, selectionAt(info, 'User')),
  }),
  payload: userPayload('The account as it is now, with its e-mail address.'),
});

mutation('deleteServiceAccount', {
  description: `Deletes a service account with its tokens and memberships. Issues, merge requests and comments stay, with an unknown author. ${WHO}`,
  input: {
    description: 'Which service account to delete.',
    argument: 'Names place and account.',
    fields: (t) => ({ ...place(t), id: account(t) }),
  },
  resolve: ({ project, group, id }, context) =>
    deleteServiceAccount(context, { project, group }, id, select('User', { id: true })),
  payload: {
    description: 'The service account that was deleted.',
    fields: (t) => ({
      deletedServiceAccountId: t.id({
        description: 'Global ID of the user that the service account was.',
        resolve: ({ id }) => toGlobalId('User', id),
      }),
    }),
    from: fromPlace,
  },
});

mutation('createServiceAccountToken', {
  description: `Creates a personal access token of a service account. ${WHO}`,
  input: {
    description: 'A new personal access token of a service account.',
    argument: 'Place, account, name, scopes and expiry of the token.',
    fields: (t) => ({ ...place(t), userId: account(t), ...made(t) }),
  },
  resolve: async ({ project, group, userId, ...input }, context, info) => ({
    personalAccessToken: await createServiceAccountToken(
      context,
      { project, group, userId },
      input,
      selectionAt(info, 'PersonalAccessToken'),
    ),
  }),
  payload: tokenPayload(NEW),
});

mutation('rotateServiceAccountToken', {
  description: `Replaces a token of a service account by a new one, as \`rotatePersonalAccessToken\`. ${WHO}`,
  input: {
    description: 'Which token of a service account to replace, and until when the new one works.',
    argument: 'Names place, account and token, and when the new one expires.',
    fields: (t) => ({ ...place(t), userId: account(t), id: token(t), expiresAt: renewed(t) }),
  },
  resolve: async ({ project, group, userId, ...input }, context, info) => ({
    personalAccessToken: await rotateServiceAccountToken(
      context,
      { project, group, userId },
      input,
      selectionAt(info, 'PersonalAccessToken'),
    ),
  }),
  payload: tokenPayload(NEW),
});

mutation('revokeServiceAccountToken', {
  description: `Revokes a token of a service account, which stops working immediately. ${WHO}`,
  input: {
    description: 'Which token of a service account to revoke.',
    argument: 'Names place, account and token.',
    fields: (t) => ({ ...place(t), userId: account(t), id: token(t) }),
  },
  resolve: async ({ project, group, userId, id }, context, info) => ({
    personalAccessToken: await revokeServiceAccountToken(
      context,
      { project, group, userId },
      id,
      selectionAt(info, 'PersonalAccessToken'),
    ),
  }),
  payload: tokenPayload(REVOKED),
});
