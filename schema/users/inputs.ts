import { builder } from '#schema/builder.ts';
import { emptyInput, type InputFields, namesOf } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';

const PASSWORD = 'of 8 to 128 characters';

export const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in. One of login and email is required.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address of the account.' }),
    email: t.string({
      deprecationReason: 'Use login, which takes e-mail addresses too.',
      description: 'E-mail address or username of the account; not used beside login.',
    }),
    password: t.string({ required: true, description: 'Password of the account.' }),
  }),
});

export const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'A new password in exchange for the present one. Nobody needs to be signed in.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address of the account; the caller when left out.' }),
    currentPassword: t.string({
      required: true,
      description: 'The present password, which may be one that must be renewed.',
    }),
    newPassword: t.string({ required: true, description: `The new password, ${PASSWORD}.` }),
    code: t.string({
      description: 'A code of the app, or a recovery code. Required for accounts with two-factor authentication.',
    }),
  }),
});

export const RenewPrivateTokenInput = emptyInput(
  'RenewPrivateTokenInput',
  'Nothing is needed to renew the private token of the caller.',
);

/** What users say about themselves. */
const about = (t: InputFields) => ({
  bio: t.string({ description: 'What they say of themselves.' }),
  location: t.string({ description: 'The place where they live or work.' }),
  organization: t.string({ description: 'The organization that they work for.' }),
  websiteUrl: t.string({ description: 'Address of their own website.' }),
  skype: t.string({ description: 'Name of the user on Skype.' }),
  linkedin: t.string({ description: 'Name of the user on LinkedIn.' }),
  twitter: t.string({ description: 'Name of the user on Twitter.' }),
});

/** What may be said of a user, whether new or not. */
const profile = (t: InputFields) => ({
  ...about(t),
  externUid: t.string({ description: 'ID of the user at the provider; goes together with it.' }),
  provider: t.string({
    description: 'Name of an identity provider that knows the user; goes together with externUid.',
  }),
});

export const UpdateProfileInput = builder.inputType('UpdateProfileInput', {
  description: 'Changes to the profile of the caller: what is left out stays as it is, null clears what can be empty.',
  fields: (t) => ({
    name: t.string({ description: 'Name that people read.' }),
    avatar: t.field({
      type: 'Upload',
      description:
        'A picture: PNG, JPEG, GIF or WebP of up to 200 KB, as the multipart request specification sends it. Null removes it.',
    }),
    ...about(t),
  }),
});

const ADMIN = 'Whether the user administrates the server.';
const GROUPS = 'Whether the user may create groups.';
const EXTERNAL = 'Whether internal projects are hidden from the user, who may create neither projects nor groups.';

export const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'A new user. One of password and resetPassword is required.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'Primary e-mail address, which no other user may have.' }),
    username: t.string({ required: true, description: 'Unique name in addresses, whatever its case.' }),
    name: t.string({ required: true, description: 'Name that people read.' }),
    password: t.string({ description: `First password, ${PASSWORD}.` }),
    resetPassword: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether the user sets the first password by a link that is mailed; password is not used then.',
    }),
    ...profile(t),
    projectsLimit: t.int({
      description: 'How many personal projects the user may have; when left out, what the settings of the server say.',
    }),
    admin: t.boolean({ required: true, defaultValue: false, description: ADMIN }),
    confirm: t.boolean({
      deprecationReason: 'Use skipConfirmation.',
      description: 'Whether the user must confirm the address; true when left out.',
    }),
    skipConfirmation: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether the address counts as confirmed, as it does on servers that send no mail.',
    }),
    canCreateGroup: t.boolean({ required: true, defaultValue: true, description: GROUPS }),
    external: t.boolean({ required: true, defaultValue: false, description: EXTERNAL }),
  }),
});

export const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'Changes to a user: what is left out stays as it is, null clears what may be without a value.',
  fields: (t) => ({
    id: t.field({
      ...idOf('User'),
      required: true,
      description: 'Global ID of the user to change, or its numeric one.',
    }),
    email: t.string({ description: 'Primary e-mail address, which no other user may have.' }),
    username: t.string({
      description: 'Unique name in addresses, whatever its case. The personal namespace moves along.',
    }),
    name: t.string({ description: 'Name that people read.' }),
    password: t.string({ description: `New password, ${PASSWORD}, which the user must renew at the next sign-in.` }),
    ...profile(t),
    projectsLimit: t.int({ description: 'How many personal projects the user may have.' }),
    admin: t.boolean({ description: ADMIN }),
    canCreateGroup: t.boolean({ description: GROUPS }),
    external: t.boolean({ description: EXTERNAL }),
  }),
});

/** The input of a mutation that names a user and says no more; `what` follows "Which user". */
export function userInput(mutation: string, what: string) {
  return builder.inputType(namesOf(mutation).input, {
    description: `Which user ${what}.`,
    fields: (t) => ({ id: t.field({ ...idOf('User'), required: true, description: `ID of the user who ${what}.` }) }),
  });
}
