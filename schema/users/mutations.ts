import { builder } from '#schema/builder.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import {
  ChangePasswordInput,
  CreateUserInput,
  RenewPrivateTokenInput,
  SignInInput,
  UpdateProfileInput,
  UpdateUserInput,
  userInput,
} from '#schema/users/inputs.ts';
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

const SignInPayload = builder.objectRef<{ viewer: Known<'User'> }>('SignInPayload').implement({
  description: 'The account that signed in.',
  fields: (t) => ({
    viewer: t.expose('viewer', { type: User, description: 'The account, with its private token.' }),
  }),
});

const DeleteUserPayload = builder.objectRef<{ id: number; user: Known<'User'> | null }>('DeleteUserPayload').implement({
  description: 'The user who was deleted; both fields are null if there was none.',
  fields: (t) => ({
    deletedUserId: t.id({
      nullable: true,
      description: 'Global ID of the deleted user.',
      resolve: ({ id, user }) => user && toGlobalId('User', id),
    }),
    user: t.expose('user', { type: User, nullable: true, description: 'The user before the deletion.' }),
  }),
});

const DeleteUserInput = userInput('deleteUser', 'delete');
const BlockUserInput = userInput('blockUser', 'block');
const UnblockUserInput = userInput('unblockUser', 'unblock');
const DeactivateUserInput = userInput('deactivateUser', 'deactivate');
const ActivateUserInput = userInput('activateUser', 'activate');
const BanUserInput = userInput('banUser', 'ban');
const UnbanUserInput = userInput('unbanUser', 'let in again');
const ApproveUserInput = userInput('approveUser', 'approve');
const RejectUserInput = userInput('rejectUser', 'reject');

const RejectUserPayload = builder.objectRef<{ id: number }>('RejectUserPayload').implement({
  description: 'The user whose account was deleted.',
  fields: (t) => ({
    rejectedUserId: t.id({
      description: 'Global ID that the account had.',
      resolve: ({ id }) => toGlobalId('User', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  signIn: t.field({
    type: SignInPayload,
    description:
      'Exchanges username and password for the private token. Not available to users with two-factor authentication.',
    args: {
      input: t.arg({ type: SignInInput, required: true, description: 'Username or e-mail address, and password.' }),
    },
    resolve: async (_root, { input }, context, info) => {
      const login = input.login ?? input.email;
      if (login == null) throw new BadRequest('Give either a login or an email address', 'login');
      return { viewer: await signIn(context, login, input.password, selectionAt(info, 'User')) };
    },
  }),
  changePassword: t.field({
    type: userPayload('changePassword'),
    description: 'Changes the password of an account, even if the current one has expired.',
    args: {
      input: t.arg({ type: ChangePasswordInput, required: true, description: 'The current and the new password.' }),
    },
    resolve: async (_root, { input }, context, info) => {
      const { id } = await changePassword(context, input);
      return { user: await findAccount(context, id, {}, selectionAt(info, 'User')) };
    },
  }),
  renewPrivateToken: t.field({
    type: userPayload('renewPrivateToken', 'The caller, with the new private token.'),
    description: 'Renews the caller’s private token, which is in `user`. The old one stops working immediately.',
    args: {
      input: t.arg({ type: RenewPrivateTokenInput, required: true, description: 'No values have to be given.' }),
    },
    resolve: async (_root, _args, context, info) => {
      const privateToken = await renewPrivateToken(context);
      return { user: { ...(await findViewer(context, selectionAt(info, 'User'))), privateToken } };
    },
  }),
  updateProfile: t.field({
    type: userPayload('updateProfile', 'The caller as they are now.'),
    description: 'Changes the caller’s public profile: name, picture, bio and so on.',
    args: { input: t.arg({ type: UpdateProfileInput, required: true, description: 'What to change in the profile.' }) },
    resolve: async (_root, { input }, context, info) => {
      await updateProfile(context, input);
      return { user: await findViewer(context, selectionAt(info, 'User')) };
    },
  }),
  createUser: t.field({
    type: userPayload('createUser'),
    description:
      'Creates a user, who is e-mailed a link if the server sends mail. For administrators. CONFLICT when the address or the username is taken.',
    args: {
      input: t.arg({ type: CreateUserInput, required: true, description: 'Name, address and more of the user.' }),
    },
    resolve: async (_root, { input }, context, info) => {
      const { id } = await createUserAsAdministrator(context, input);
      return { user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  updateUser: t.field({
    type: userPayload('updateUser'),
    description: 'Changes a user. For administrators.',
    args: { input: t.arg({ type: UpdateUserInput, required: true, description: 'Names the user, and the changes.' }) },
    resolve: async (_root, { input: { id, ...changes } }, context, info) => {
      await updateUser(context, id, changes);
      return { user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  deleteUser: t.field({
    type: DeleteUserPayload,
    description: 'Deletes a user; contributions that others depend on are moved to the ghost user. For administrators.',
    args: { input: t.arg({ type: DeleteUserInput, required: true, description: 'Names the user to delete.' }) },
    resolve: async (_root, { input: { id } }, context, info) => ({
      id,
      user: await deleteUser(context, id, selectionAt(info, 'User')),
    }),
  }),
  blockUser: t.field({
    type: userStatePayload('blockUser'),
    description: 'Blocks a user, who is signed out immediately. For administrators.',
    args: { input: t.arg({ type: BlockUserInput, required: true, description: 'Names the user to block.' }) },
    resolve: async (_root, { input: { id } }, context, info) => {
      const changed = await blockUser(context, id);
      return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  unblockUser: t.field({
    type: userStatePayload('unblockUser'),
    description: 'Unblocks a user. For administrators.',
    args: { input: t.arg({ type: UnblockUserInput, required: true, description: 'Names the user to unblock.' }) },
    resolve: async (_root, { input: { id } }, context, info) => {
      const changed = await unblockUser(context, id);
      return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  deactivateUser: t.field({
    type: userStatePayload('deactivateUser'),
    description: 'Puts a user aside who was not active for long, until the next sign-in. For administrators.',
    args: { input: t.arg({ type: DeactivateUserInput, required: true, description: 'Names the user to change.' }) },
    resolve: async (_root, { input: { id } }, context, info) => {
      const changed = await deactivateUser(context, id);
      return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  activateUser: t.field({
    type: userStatePayload('activateUser'),
    description: 'Makes a deactivated user active again. For administrators.',
    args: { input: t.arg({ type: ActivateUserInput, required: true, description: 'Names the user to change.' }) },
    resolve: async (_root, { input: { id } }, context, info) => {
      const changed = await activateUser(context, id);
      return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  banUser: t.field({
    type: userStatePayload('banUser'),
    description: 'Bans an active user, who is signed out immediately. For administrators.',
    args: { input: t.arg({ type: BanUserInput, required: true, description: 'Names the user to change.' }) },
    resolve: async (_root, { input: { id } }, context, info) => {
      await banUser(context, id);
      return { changed: true, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  unbanUser: t.field({
    type: userStatePayload('unbanUser'),
    description: 'Lets a banned user in again. For administrators.',
    args: { input: t.arg({ type: UnbanUserInput, required: true, description: 'Names the user to change.' }) },
    resolve: async (_root, { input: { id } }, context, info) => {
      await unbanUser(context, id);
      return { changed: true, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  approveUser: t.field({
    type: userPayload('approveUser'),
    description: 'Lets a user in who signed up and waits for approval. For administrators.',
    args: { input: t.arg({ type: ApproveUserInput, required: true, description: 'Names the user to change.' }) },
    resolve: async (_root, { input: { id } }, context, info) => {
      await approveUser(context, id);
      return { user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
  rejectUser: t.field({
    type: RejectUserPayload,
    description: 'Deletes the account of a user who signed up and waits for approval. For administrators.',
    args: { input: t.arg({ type: RejectUserInput, required: true, description: 'Names the user to reject.' }) },
    resolve: async (_root, { input: { id } }, context) => {
      await rejectUser(context, id);
      return { id };
    },
  }),
}));
