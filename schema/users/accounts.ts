import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { confirmAddress } from '#src/domain/users/confirm.ts';
import { requestConfirmation, requestPasswordReset } from '#src/domain/users/mail_requests.ts';
import { resetPassword } from '#src/domain/users/reset_password.ts';
import { signUp } from '#src/domain/users/sign_up.ts';

const address = (t: InputFields) => ({
  email: t.string({ required: true, description: 'E-mail address that gets the link.' }),
});

const mailPayload: Payload<{ accepted: boolean }> = {
  description: 'The response is the same whether or not a user has the address.',
  fields: (t) => ({
    accepted: t.exposeBoolean('accepted', {
      description: 'Always true. If a user has the address, they get a link.',
    }),
  }),
};

mutation('signUp', {
  description: 'Creates an account, if the settings allow sign-up.',
  input: {
    description: 'A new account. The caller does not have to be signed in.',
    argument: 'Username, name, address and password.',
    fields: (t) => ({
      username: t.string({ required: true, description: 'Username, unique regardless of case.' }),
      name: t.string({ required: true, description: 'Display name of the user.' }),
      email: t.string({ required: true, description: 'Primary e-mail address, in a domain that the settings allow.' }),
      password: t.string({ required: true, description: 'First password, of 8 to 128 characters.' }),
    }),
  },
  resolve: (input, context) => signUp(context, input),
  payload: {
    description: 'Whether the e-mail address must be confirmed before signing in.',
    fields: (t) => ({
      confirmationRequired: t.boolean({
        description: 'Whether the user must follow the link in an e-mail before signing in.',
        resolve: ({ userId }) => userId === null,
      }),
      approvalRequired: t.exposeBoolean('isPending', {
        description: 'Whether an administrator must approve of the account before the user can sign in.',
      }),
    }),
  },
});

mutation('requestConfirmation', {
  description: 'Resends the link that confirms an address, if the server sends mail. No sign-in is needed.',
  input: {
    description: 'Which address is to be confirmed.',
    argument: 'The address to be confirmed.',
    fields: address,
  },
  resolve: async (input, context) => {
    await requestConfirmation(context, input.email);
    return { accepted: true };
  },
  payload: mailPayload,
});

mutation('confirmEmail', {
  description: 'Confirms the address that a link was e-mailed to.',
  input: {
    description: 'The token from the link in the e-mail.',
    argument: 'The token of the link.',
    fields: (t) => ({
      token: t.string({ required: true, description: 'The token from the link; it can be used once.' }),
    }),
  },
  resolve: (input, context) => confirmAddress(context, input.token),
  payload: {
    description: 'The address that was confirmed.',
    fields: (t) => ({ email: t.exposeString('email', { description: 'The e-mail address that was confirmed.' }) }),
  },
});

mutation('requestPasswordReset', {
  description: 'E-mails a link to reset a password, if the server sends mail. No sign-in is needed.',
  input: {
    description: 'The address of the account whose password to reset.',
    argument: 'The address of the account.',
    fields: address,
  },
  resolve: async (input, context) => {
    await requestPasswordReset(context, input.email);
    return { accepted: true };
  },
  payload: mailPayload,
});

mutation('resetPassword', {
  description: 'Resets the password of the account that a link was e-mailed to, and ends its sessions.',
  input: {
    description: 'A new password, with the token from the link in the e-mail.',
    argument: 'The token from the link, and the new password.',
    fields: (t) => ({
      token: t.string({ required: true, description: 'The token from the link; it can be used once.' }),
      newPassword: t.string({ required: true, description: 'The new password, of 8 to 128 characters.' }),
    }),
  },
  resolve: async (input, context) => {
    await resetPassword(context, input.token, input.newPassword);
    return { changed: true };
  },
  payload: {
    description: 'Confirmation that the password was changed.',
    fields: (t) => ({ changed: t.exposeBoolean('changed', { description: 'True once the password is changed.' }) }),
  },
});
