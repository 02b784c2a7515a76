import { builder } from '#schema/builder.ts';
import { namesOf } from '#schema/inputs.ts';
import { confirmAddress } from '#src/domain/users/confirm.ts';
import { requestConfirmation, requestPasswordReset } from '#src/domain/users/mail_requests.ts';
import { resetPassword } from '#src/domain/users/reset_password.ts';
import { type SignedUp, signUp } from '#src/domain/users/sign_up.ts';

const SignUpInput = builder.inputType('SignUpInput', {
  description: 'A new account. The caller does not have to be signed in.',
  fields: (t) => ({
    username: t.string({ required: true, description: 'Username, unique regardless of case.' }),
    name: t.string({ required: true, description: 'Display name of the user.' }),
    email: t.string({ required: true, description: 'Primary e-mail address, in a domain that the settings allow.' }),
    password: t.string({ required: true, description: 'First password, of 8 to 128 characters.' }),
  }),
});

function mailInput(mutation: string, description: string) {
  return builder.inputType(namesOf(mutation).input, {
    description,
    fields: (t) => ({ email: t.string({ required: true, description: 'E-mail address that gets the link.' }) }),
  });
}

const RequestConfirmationInput = mailInput('requestConfirmation', 'Which address is to be confirmed.');
const RequestPasswordResetInput = mailInput(
  'requestPasswordReset',
  'The address of the account whose password to reset.',
);

const ConfirmEmailInput = builder.inputType('ConfirmEmailInput', {
  description: 'The token from the link in the e-mail.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'The token from the link; it can be used once.' }),
  }),
});

const ResetPasswordInput = builder.inputType('ResetPasswordInput', {
  description: 'A new password, with the token from the link in the e-mail.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'The token from the link; it can be used once.' }),
    newPassword: t.string({ required: true, description: 'The new password, of 8 to 128 characters.' }),
  }),
});

const SignUpPayload = builder.objectRef<SignedUp>('SignUpPayload').implement({
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
});

function mailPayload(mutation: string) {
  return builder.objectRef<{ accepted: boolean }>(namesOf(mutation).payload).implement({
    description: 'The response is the same whether or not a user has the address.',
    fields: (t) => ({
      accepted: t.exposeBoolean('accepted', {
        description: 'Always true. If a user has the address, they get a link.',
      }),
    }),
  });
}

const ConfirmEmailPayload = builder.objectRef<{ email: string }>('ConfirmEmailPayload').implement({
  description: 'The address that was confirmed.',
  fields: (t) => ({ email: t.exposeString('email', { description: 'The e-mail address that was confirmed.' }) }),
});

const ResetPasswordPayload = builder.objectRef<{ changed: boolean }>('ResetPasswordPayload').implement({
  description: 'Confirmation that the password was changed.',
  fields: (t) => ({ changed: t.exposeBoolean('changed', { description: 'True once the password is changed.' }) }),
});

builder.mutationFields((t) => ({
  signUp: t.field({
    type: SignUpPayload,
    description: 'Creates an account, if the settings allow sign-up.',
    args: { input: t.arg({ type: SignUpInput, required: true, description: 'Username, name, address and password.' }) },
    resolve: (_root, { input }, context) => signUp(context, input),
  }),
  requestConfirmation: t.field({
    type: mailPayload('requestConfirmation'),
    description: 'Resends the link that confirms an address, if the server sends mail. No sign-in is needed.',
    args: {
      input: t.arg({ type: RequestConfirmationInput, required: true, description: 'The address to be confirmed.' }),
    },
    resolve: async (_root, { input }, context) => {
      await requestConfirmation(context, input.email);
      return { accepted: true };
    },
  }),
  confirmEmail: t.field({
    type: ConfirmEmailPayload,
    description: 'Confirms the address that a link was e-mailed to.',
    args: { input: t.arg({ type: ConfirmEmailInput, required: true, description: 'The token of the link.' }) },
    resolve: (_root, { input }, context) => confirmAddress(context, input.token),
  }),
  requestPasswordReset: t.field({
    type: mailPayload('requestPasswordReset'),
    description: 'E-mails a link to reset a password, if the server sends mail. No sign-in is needed.',
    args: {
      input: t.arg({ type: RequestPasswordResetInput, required: true, description: 'The address of the account.' }),
    },
    resolve: async (_root, { input }, context) => {
      await requestPasswordReset(context, input.email);
      return { accepted: true };
    },
  }),
  resetPassword: t.field({
    type: ResetPasswordPayload,
    description: 'Resets the password of the account that a link was e-mailed to, and ends its sessions.',
    args: {
      input: t.arg({
        type: ResetPasswordInput,
        required: true,
        description: 'The token from the link, and the new password.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      await resetPassword(context, input.token, input.newPassword);
      return { changed: true };
    },
  }),
}));
