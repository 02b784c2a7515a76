import { deprecated } from '#schema/deprecated.ts';
import { mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { ADMIN, about, avatar, EXTERNAL, GROUPS, PASSWORD, profile, userTo } from '#schema/users/inputs.ts';
import { userPayload, userStatePayload } from '#schema/users/payloads.ts';
import { User } from '#schema/users/types.ts';
import { renewPrivateToken } from '#src/access/credentials/private_token.ts';
import { deleteUser } from '#src/domain/lifecycle/delete_user.ts';
import { rejectUser } from '#src/domain/lifecycle/reject_user.ts';
import { blockUser, unblockUser } from '#src/domain/users/block.ts';
import { changePassword } from '#src/domain/users/change_password.ts';
import { createUserAsAdministrator } from '#src/domain/users/create.ts';
import { findAccount, findUser, findViewer } from '#src/domain/users/find.ts';
import { signIn } from '#src/domain/users/sign_in.ts';
import { activateUser, approveUser, banUser, deactivateUser, unbanUser } from '#src/domain/users/states.ts';
import { updateUser } from '#src/domain/users/update.ts';
import { updateProfile } from '#src/domain/users/update_profile.ts';
import { BadRequest } from '#src/platform/errors.ts';

mutation('signIn', {
  description:
    'Exchanges username and password for the private token. Not available to users with two-factor authentication.',
  input: {
    description: 'Credentials to sign in with. Either `login` or `email` is required.',
    argument: 'Username or e-mail address, and password.',
    fields: (t) => ({
      login: t.string({ description: 'Username or e-mail address of the account.' }),
      email: t.string({
        ...deprecated('Use `login`, which also accepts e-mail addresses.', '0.2.0', '0.4.0'),
        description: 'E-mail address or username of the account; ignored if `login` is given.',
      }),
      password: t.string({ required: true, description: 'Password of the account.' }),
    }),
  },
  resolve: async (input, context, info) => {
    const login = input.login ?? input.email;
    if (login == null) throw new BadRequest('Give either a login or an email address', 'login');
    return { viewer: await signIn(context, login, input.password, selectionAt(info, 'User')) };
  },
  payload: {
    description: 'The account that signed in.',
    fields: (t) => ({
      viewer: t.expose('viewer', { type: User, description: 'The account, with its private token.' }),
    }),
  },
});

mutation('changePassword', {
  description: 'Changes the password of an account, even if the current one has expired.',
  input: {
    description: 'A new password in exchange for the current one. The caller does not have to be signed in.',
    argument: 'The current and the new password.',
    fields: (t) => ({
      login: t.string({ description: 'Username or e-mail address of the account; the caller’s own when left out.' }),
      currentPassword: t.string({
        required: true,
        description: 'The current password, even if it has expired.',
      }),
      newPassword: t.string({ required: true, description: `The new password, ${PASSWORD}.` }),
      code: t.string({
        description:
          'A code from the authenticator app, or a recovery code. Required for accounts with two-factor authentication.',
      }),
    }),
  },
  resolve: async (input, context, info) => {
    const { id } = await changePassword(context, input);
    return { user: await findAccount(context, id, {}, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});

mutation('renewPrivateToken', {
  description: 'Renews the caller’s private token, which is in `user`. The old one stops working immediately.',
  input: {
    description: 'No input is needed to renew the caller’s private token.',
    argument: 'No values have to be given.',
  },
  resolve: async (_input, context, info) => {
    const privateToken = await renewPrivateToken(context);
    return { user: { ...(await findViewer(context, selectionAt(info, 'User'))), privateToken } };
  },
  payload: userPayload('The caller, with the new private token.'),
});

mutation('updateProfile', {
  description: 'Changes the caller’s public profile: name, picture, bio and so on.',
  input: {
    description:
      'Changes to the profile of the caller: what is left out stays as it is, null clears what can be empty.',
    argument: 'What to change in the profile.',
    fields: (t) => ({
      name: t.string({ description: 'Display name of the user.' }),
      avatar: avatar(t),
      ...about(t),
    }),
  },
  resolve: async (input, context, info) => {
    await updateProfile(context, input);
    return { user: await findViewer(context, selectionAt(info, 'User')) };
  },
  payload: userPayload('The caller as they are now.'),
});

mutation('createUser', {
  description:
    'Creates a user, who is e-mailed a link if the server sends mail. For administrators. CONFLICT when the address or the username is taken.',
  input: {
    description: 'A new user. One of `password`, `resetPassword` and `forceRandomPassword` is required.',
    argument: 'Name, address and more of the user.',
    fields: (t) => ({
      email: t.string({ required: true, description: 'Primary e-mail address, which must not be in use.' }),
      username: t.string({ required: true, description: 'Username, unique regardless of case.' }),
      name: t.string({ required: true, description: 'Display name of the user.' }),
      password: t.string({ description: `First password, ${PASSWORD}.` }),
      resetPassword: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to e-mail the user a link to choose a password; `password` is ignored then.',
      }),
      forceRandomPassword: t.boolean({
        description: 'Whether the user gets a password that nobody knows; `password` is ignored then.',
      }),
      ...profile(t),
      projectsLimit: t.int({
        description: 'How many personal projects the user can have. By default, what the application settings say.',
      }),
      admin: t.boolean({ required: true, defaultValue: false, description: ADMIN }),
      confirm: t.boolean({
        ...deprecated('Use `skipConfirmation`.', '0.2.0', '0.4.0'),
        description: 'Whether the user must confirm the e-mail address; true when left out.',
      }),
      skipConfirmation: t.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether the e-mail address counts as confirmed, as it always does on servers that do not send mail.',
      }),
      canCreateGroup: t.boolean({ description: `${GROUPS} By default, what the application settings say.` }),
      external: t.boolean({ description: `${EXTERNAL} By default, what the application settings say.` }),
    }),
  },
  resolve: async (input, context, info) => {
    const { id } = await createUserAsAdministrator(context, input);
    return { user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});

mutation('updateUser', {
  description: 'Changes a user. For administrators.',
  input: {
    description: 'Changes to a user: what is left out stays as it is, null clears what can be empty.',
    argument: 'Names the user, and the changes.',
    fields: (t) => ({
      id: t.field({
        ...idOf('User'),
        required: true,
        description: 'Global or numeric ID of the user to change.',
      }),
      email: t.string({ description: 'Primary e-mail address, which must not be in use.' }),
      username: t.string({
        description: 'Username, unique regardless of case. The personal namespace is renamed with it.',
      }),
      name: t.string({ description: 'Display name of the user.' }),
      password: t.string({ description: `New password, ${PASSWORD}. The user must change it at the next sign-in.` }),
      ...profile(t),
      projectsLimit: t.int({ description: 'How many personal projects the user can have.' }),
      skipReconfirmation: t.boolean({
        description: 'Whether a new e-mail address counts as confirmed, without a mail to it.',
      }),
      admin: t.boolean({ description: ADMIN }),
      canCreateGroup: t.boolean({ description: GROUPS }),
      external: t.boolean({ description: EXTERNAL }),
    }),
  },
  resolve: async ({ id, ...changes }, context, info) => {
    await updateUser(context, id, changes);
    return { user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});

mutation('deleteUser', {
  description: 'Deletes a user; contributions that others depend on are moved to the ghost user. For administrators.',
  input: { description: 'Which user to delete.', argument: 'Names the user to delete.', fields: userTo('delete') },
  resolve: async ({ id }, context, info) => ({
    id,
    user: await deleteUser(context, id, selectionAt(info, 'User')),
  }),
  payload: {
    description: 'The user who was deleted; both fields are null if there was none.',
    fields: (t) => ({
      deletedUserId: t.id({
        nullable: true,
        description: 'Global ID of the deleted user.',
        resolve: ({ id, user }) => user && toGlobalId('User', id),
      }),
      user: t.expose('user', { type: User, nullable: true, description: 'The user before the deletion.' }),
    }),
  },
});

mutation('blockUser', {
  description: 'Blocks a user, who is signed out immediately. For administrators.',
  input: { description: 'Which user to block.', argument: 'Names the user to block.', fields: userTo('block') },
  resolve: async ({ id }, context, info) => {
    const changed = await blockUser(context, id);
    return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userStatePayload,
});

mutation('unblockUser', {
  description: 'Unblocks a user. For administrators.',
  input: { description: 'Which user to unblock.', argument: 'Names the user to unblock.', fields: userTo('unblock') },
  resolve: async ({ id }, context, info) => {
    const changed = await unblockUser(context, id);
    return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userStatePayload,
});

mutation('deactivateUser', {
  description: 'Puts a user aside who was not active for long, until the next sign-in. For administrators.',
  input: {
    description: 'Which user to deactivate.',
    argument: 'Names the user to change.',
    fields: userTo('deactivate'),
  },
  resolve: async ({ id }, context, info) => {
    const changed = await deactivateUser(context, id);
    return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userStatePayload,
});

mutation('activateUser', {
  description: 'Makes a deactivated user active again. For administrators.',
  input: { description: 'Which user to activate.', argument: 'Names the user to change.', fields: userTo('activate') },
  resolve: async ({ id }, context, info) => {
    const changed = await activateUser(context, id);
    return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userStatePayload,
});

mutation('banUser', {
  description: 'Bans an active user, who is signed out immediately. For administrators.',
  input: { description: 'Which user to ban.', argument: 'Names the user to change.', fields: userTo('ban') },
  resolve: async ({ id }, context, info) => {
    await banUser(context, id);
    return { changed: true, user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userStatePayload,
});

mutation('unbanUser', {
  description: 'Lets a banned user in again. For administrators.',
  input: {
    description: 'Which user to let in again.',
    argument: 'Names the user to change.',
    fields: userTo('let in again'),
  },
  resolve: async ({ id }, context, info) => {
    await unbanUser(context, id);
    return { changed: true, user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userStatePayload,
});

mutation('approveUser', {
  description: 'Lets a user in who signed up and waits for approval. For administrators.',
  input: { description: 'Which user to approve.', argument: 'Names the user to change.', fields: userTo('approve') },
  resolve: async ({ id }, context, info) => {
    await approveUser(context, id);
    return { user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});

mutation('rejectUser', {
  description: 'Deletes the account of a user who signed up and waits for approval. For administrators.',
  input: { description: 'Which user to reject.', argument: 'Names the user to reject.', fields: userTo('reject') },
  resolve: async ({ id }, context) => {
    await rejectUser(context, id);
    return { id };
  },
  payload: {
    description: 'The user whose account was deleted.',
    fields: (t) => ({
      rejectedUserId: t.id({
        description: 'Global ID that the account had.',
        resolve: ({ id }) => toGlobalId('User', id),
      }),
    }),
  },
});
