import { builder } from '#schema/builder.ts';
import { emptyInput, type InputFields, namesOf } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';

const PASSWORD = 'of 8 to 128 characters';

export const SignInInput = builder.inputType('SignInInput', {
  description: 'Credentials to sign in with. Either `login` or `email` is required.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address of the account.' }),
    email: t.string({
      deprecationReason: 'Use `login`, which also accepts e-mail addresses.',
      description: 'E-mail address or username of the account; ignored if `login` is given.',
    }),
    password: t.string({ required: true, description: 'Password of the account.' }),
  }),
});

export const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'A new password in exchange for the current one. The caller does not have to be signed in.',
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
});

export const RenewPrivateTokenInput = emptyInput(
  'RenewPrivateTokenInput',
  'No input is needed to renew the caller’s private token.',
);

/** The fields that users set on their own profile. */
const about = (t: InputFields) => ({
  bio: t.string({ description: 'A short text about the user.' }),
  location: t.string({ description: 'Where the user lives or works.' }),
  organization: t.string({ description: 'The organization that the user works for.' }),
  websiteUrl: t.string({ description: 'URL of the user’s website, which begins with `http://` or `https://`.' }),
  skype: t.string({ description: 'The user’s Skype name.' }),
  linkedin: t.string({ description: 'The user’s LinkedIn name.' }),
  twitter: t.string({ description: 'The user’s Twitter name.' }),
  publicEmail: t.string({ description: 'One of the user’s confirmed e-mail addresses, which everyone can see then.' }),
  commitEmail: t.string({
    description:
      'One of the user’s confirmed e-mail addresses, for commits over the web and the API; null for the primary one.',
  }),
  pronouns: t.string({ description: 'How to speak of the user, such as `she/her`.' }),
  jobTitle: t.string({ description: 'What the user works as.' }),
  discord: t.string({ description: 'The user’s Discord name.' }),
  github: t.string({ description: 'The user’s GitHub name.' }),
  privateProfile: t.boolean({
    description: 'Whether others see nothing of the profile of the user, nor what the user does.',
  }),
  themeId: t.int({ description: 'Number of a colour theme, from 1 to 11, for clients.' }),
  colorSchemeId: t.int({ description: 'Number of a colour scheme for code, from 1 to 6, for clients.' }),
});

const avatar = (t: InputFields) =>
  t.field({
    type: 'Upload',
    description:
      'A picture: PNG, JPEG, GIF or WebP of up to 200 KB, sent as described in the GraphQL multipart request specification. Null removes it.',
  });

/** The fields of a new or existing user. */
const profile = (t: InputFields) => ({
  ...about(t),
  avatar: avatar(t),
  note: t.string({ description: 'What administrators note about the user, of up to 10,000 characters.' }),
  viewDiffsFileByFile: t.boolean({ description: 'Whether pages of changes show one file at a time.' }),
  externUid: t.string({ description: 'ID of the user at the identity provider; required with `provider`.' }),
  provider: t.string({
    description: 'Name of an identity provider that the user can be found at; required with `externUid`.',
  }),
});

export const UpdateProfileInput = builder.inputType('UpdateProfileInput', {
  description: 'Changes to the profile of the caller: what is left out stays as it is, null clears what can be empty.',
  fields: (t) => ({
    name: t.string({ description: 'Display name of the user.' }),
    avatar: avatar(t),
    ...about(t),
  }),
});

const ADMIN = 'Whether the user is an administrator.';
const GROUPS = 'Whether the user can create groups.';
const EXTERNAL = 'Whether the user is external: cannot see internal projects, nor create projects or groups.';

export const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'A new user. One of `password`, `resetPassword` and `forceRandomPassword` is required.',
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
      deprecationReason: 'Use skipConfirmation.',
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
});

export const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'Changes to a user: what is left out stays as it is, null clears what can be empty.',
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
});

/** The input of a mutation that only names a user; `what` follows "Which user to". */
export function userInput(mutation: string, what: string) {
  return builder.inputType(namesOf(mutation).input, {
    description: `Which user to ${what}.`,
    fields: (t) => ({
      id: t.field({ ...idOf('User'), required: true, description: `Global or numeric ID of the user to ${what}.` }),
    }),
  });
}
