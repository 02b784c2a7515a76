import { builder } from '#schema/builder.ts';

export const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in. One of login and email is required.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address.' }),
    email: t.string({ description: 'E-mail address or username, when there is no login.' }),
    password: t.string({ required: true, description: 'Their password.' }),
  }),
});

export const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'A new password in exchange for the present one. Nobody needs to be signed in.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address; the caller when absent.' }),
    currentPassword: t.string({ required: true, description: 'The present one, which may be one to be renewed.' }),
    newPassword: t.string({ required: true, description: 'Another one, of 8 to 128 characters.' }),
    code: t.string({
      description: 'A code of the app, or a recovery code: of who has two-factor authentication.',
    }),
  }),
});

export const RenewPrivateTokenInput = builder.inputType('RenewPrivateTokenInput', {
  description: 'Nothing has to be said for this.',
  fields: (t) => ({ clientMutationId: t.string({ description: 'For the client; not looked at.' }) }),
});

export const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'A new user. One of password and resetPassword is required.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'Primary e-mail address; nobody else has it.' }),
    username: t.string({ required: true, description: 'Unique, whatever its case.' }),
    name: t.string({ required: true, description: 'What people call them.' }),
    password: t.string({ description: 'Of 8 to 128 characters.' }),
    resetPassword: t.boolean({
      description: 'A random password that nobody knows, to be set anew by a link that is mailed; wins over password.',
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
      description:
        'Whether the address is to be confirmed; true when absent. Without mail all users are confirmed from the start.',
    }),
    skipConfirmation: t.boolean({
      description: 'Whether the address counts as confirmed. Without mail all users are confirmed from the start.',
    }),
    canCreateGroup: t.boolean({ description: 'Whether they may create groups; true when absent.' }),
    external: t.boolean({ description: 'Whether internal projects are hidden from them; they create nothing either.' }),
  }),
});

export const UpdateUserInput = builder.inputType('UpdateUserInput', {
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

export const UserReferenceInput = builder.inputType('UserReferenceInput', {
  description: 'Which user.',
  fields: (t) => ({ databaseId: t.int({ required: true, description: 'Numeric ID.' }) }),
});
