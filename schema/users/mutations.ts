import { builder } from '#schema/builder.ts';
import { User } from '#schema/users/types.ts';
import { BadRequest } from '#src/errors.ts';
import { blockUser, unblockUser } from '#src/users/block.ts';
import { changePassword } from '#src/users/change_password.ts';
import { createUserAsAdministrator } from '#src/users/create.ts';
import { deleteUser } from '#src/users/delete.ts';
import { findUser } from '#src/users/find.ts';
import type { UserRow } from '#src/users/rows.ts';
import { signIn } from '#src/users/sign_in.ts';
import { updateUser } from '#src/users/update.ts';

const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in. One of login and email is required.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address.' }),
    email: t.string({ description: 'E-mail address or username, when there is no login.' }),
    password: t.string({ required: true, description: 'Their password.' }),
  }),
});

const SignInPayload = builder.objectRef<{ viewer: UserRow }>('SignInPayload').implement({
  description: 'Who signed in.',
  fields: (t) => ({
    viewer: t.expose('viewer', { type: User, description: 'The account, with its private token.' }),
  }),
});

const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'A new password in exchange for the present one. Nobody needs to be signed in.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address; the caller when absent.' }),
    currentPassword: t.string({ required: true, description: 'The present one, which may be one to be renewed.' }),
    newPassword: t.string({ required: true, description: 'Another one, of 8 to 128 characters.' }),
  }),
});

const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'A new user. One of password and resetPassword is required.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'Primary e-mail address; nobody else has it.' }),
    username: t.string({ required: true, description: 'Unique, whatever its case.' }),
    name: t.string({ required: true, description: 'What people call them.' }),
    password: t.string({ description: 'Of 8 to 128 characters.' }),
    resetPassword: t.boolean({
      description: 'A random password that nobody knows, to be set anew; wins over password.',
    }),
    skype: t.string({ description: 'Skype name.' }),
    linkedin: t.string({ description: 'LinkedIn name.' }),
    twitter: t.string({ description: 'Twitter name.' }),
    websiteUrl: t.string({ description: 'Their page elsewhere.' }),
    organization: t.string({ description: 'Where they work.' }),
    projectsLimit: t.int({ description: 'How many personal projects they may have; else as the settings say.' }),
    externUid: t.string({ description: 'Who they are at the provider; together with it.' }),
    provider: t.string({ description: 'Another provider of identities.' }),
    bio: t.string({ description: 'What they say of themselves.' }),
    location: t.string({ description: 'Where they are.' }),
    admin: t.boolean({ description: 'Whether they administrate the server; false when absent.' }),
    confirm: t.boolean({
      deprecationReason: 'Use skipConfirmation.',
      description: 'Whether the address is to be confirmed. Without mail all users are confirmed from the start.',
    }),
    skipConfirmation: t.boolean({
      description: 'Whether the address counts as confirmed. Without mail all users are confirmed from the start.',
    }),
    canCreateGroup: t.boolean({ description: 'Whether they may create groups; true when absent.' }),
    external: t.boolean({ description: 'Whether internal projects are hidden from them; they create nothing either.' }),
  }),
});

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'Changes to a user: unset means unchanged, null cleared where something can be.',
  fields: (t) => ({
    databaseId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    email: t.string({ description: 'Primary e-mail address; nobody else has it.' }),
    username: t.string({ description: 'Unique, whatever its case; the personal namespace moves along.' }),
    name: t.string({ description: 'What people call them.' }),
    password: t.string({ description: 'Of 8 to 128 characters; to be renewed at the next sign-in.' }),
    skype: t.string({ description: 'Skype name.' }),
    linkedin: t.string({ description: 'LinkedIn name.' }),
    twitter: t.string({ description: 'Twitter name.' }),
    websiteUrl: t.string({ description: 'Their page elsewhere.' }),
    organization: t.string({ description: 'Where they work.' }),
    projectsLimit: t.int({ description: 'How many personal projects they may have.' }),
    externUid: t.string({ description: 'Who they are at the provider; together with it.' }),
    provider: t.string({ description: 'Another provider of identities.' }),
    bio: t.string({ description: 'What they say of themselves.' }),
    location: t.string({ description: 'Where they are.' }),
    admin: t.boolean({ description: 'Whether they administrate the server.' }),
    canCreateGroup: t.boolean({ description: 'Whether they may create groups.' }),
    external: t.boolean({ description: 'Whether internal projects are hidden from them; they create nothing either.' }),
  }),
});

const UserReferenceInput = builder.inputType('UserReferenceInput', {
  description: 'Which user.',
  fields: (t) => ({ databaseId: t.int({ required: true, description: 'Numeric ID.' }) }),
});

const UserPayload = builder.objectRef<{ user: UserRow }>('UserPayload').implement({
  description: 'The user as they are now.',
  fields: (t) => ({ user: t.expose('user', { type: User, description: 'The user.' }) }),
});

const UserStatePayload = builder.objectRef<{ user: UserRow; changed: boolean }>('UserStatePayload').implement({
  description: 'The user as they are now, and whether that is new.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user.' }),
    changed: t.exposeBoolean('changed', { description: 'False when they were in that state already.' }),
  }),
});

const DeleteUserPayload = builder.objectRef<{ user: UserRow | null }>('DeleteUserPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    user: t.expose('user', {
      type: User,
      nullable: true,
      description: 'The user as they were; null when there was none.',
    }),
  }),
});

builder.mutationFields((t) => ({
  signIn: t.field({
    type: SignInPayload,
    description:
      'Exchanges username and password for the private token. Closed to users with two-factor authentication.',
    args: { input: t.arg({ type: SignInInput, required: true, description: 'Who signs in.' }) },
    resolve: async (_root, { input }, context) => {
      const login = input.login ?? input.email;
      if (login == null) throw new BadRequest('login, email are missing, at least one parameter must be provided');
      return { viewer: await signIn(context, login, input.password) };
    },
  }),
  changePassword: t.field({
    type: UserPayload,
    description: 'Gives an account a new password, also where the present one must be renewed before signing in.',
    args: { input: t.arg({ type: ChangePasswordInput, required: true, description: 'Both passwords.' }) },
    resolve: async (_root, { input }, context) => ({ user: await changePassword(context, input) }),
  }),
  createUser: t.field({
    type: UserPayload,
    description: 'Creates a confirmed user. For administrators.',
    args: { input: t.arg({ type: CreateUserInput, required: true, description: 'The new user.' }) },
    resolve: async (_root, { input }, context) => ({ user: await createUserAsAdministrator(context, input) }),
  }),
  updateUser: t.field({
    type: UserPayload,
    description: 'Changes a user. For administrators.',
    args: { input: t.arg({ type: UpdateUserInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input: { databaseId, ...changes } }, context) => ({
      user: await updateUser(context, databaseId, changes),
    }),
  }),
  deleteUser: t.field({
    type: DeleteUserPayload,
    description: 'Deletes a user; what others build on goes to the ghost user. For administrators.',
    args: { input: t.arg({ type: UserReferenceInput, required: true, description: 'Which user.' }) },
    resolve: async (_root, { input: { databaseId } }, context) => ({ user: await deleteUser(context, databaseId) }),
  }),
  blockUser: t.field({
    type: UserStatePayload,
    description: 'Locks a user out, at once. For administrators.',
    args: { input: t.arg({ type: UserReferenceInput, required: true, description: 'Which user.' }) },
    resolve: async (_root, { input: { databaseId } }, context) => {
      const changed = await blockUser(context, databaseId);
      return { changed, user: await findUser(context, databaseId) };
    },
  }),
  unblockUser: t.field({
    type: UserStatePayload,
    description: 'Lets a user in again. For administrators.',
    args: { input: t.arg({ type: UserReferenceInput, required: true, description: 'Which user.' }) },
    resolve: async (_root, { input: { databaseId } }, context) => {
      const changed = await unblockUser(context, databaseId);
      return { changed, user: await findUser(context, databaseId) };
    },
  }),
}));
