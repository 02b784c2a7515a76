import { builder } from '#schema/builder.ts';
import { namesOf } from '#schema/inputs.ts';
import { confirmAddress } from '#src/users/confirm.ts';
import { requestConfirmation, requestPasswordReset } from '#src/users/mail_requests.ts';
import { resetPassword } from '#src/users/reset_password.ts';
import { signUp } from '#src/users/sign_up.ts';

const SignUpInput = builder.inputType('SignUpInput', {
  description: 'A new account of whoever asks. Nobody needs to be signed in.',
  fields: (t) => ({
    username: t.string({ required: true, description: 'Unique name in addresses, whatever its case.' }),
    name: t.string({ required: true, description: 'Name that people read.' }),
    email: t.string({ required: true, description: 'Primary e-mail address, of a domain that the settings allow.' }),
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
  'The address of an account whose password is lost.',
);

const ConfirmEmailInput = builder.inputType('ConfirmEmailInput', {
  description: 'What the link in the mail carries.',
  fields: (t) => ({ token: t.string({ required: true, description: 'The token of the link, which works once.' }) }),
});

const ResetPasswordInput = builder.inputType('ResetPasswordInput', {
  description: 'A new password in exchange for what the link in a mail carries.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'The token of the link, which works once.' }),
    newPassword: t.string({ required: true, description: 'The new password, of 8 to 128 characters.' }),
  }),
});

const SignUpPayload = builder.objectRef<{ confirmationRequired: boolean }>('SignUpPayload').implement({
  description: 'Whether anything is left to do before signing in.',
  fields: (t) => ({
    confirmationRequired: t.exposeBoolean('confirmationRequired', {
      description: 'Whether the link in a mail must be followed before signing in.',
    }),
  }),
});

function mailPayload(mutation: string) {
  return builder.objectRef<{ accepted: boolean }>(namesOf(mutation).payload).implement({
    description: 'The answer is the same whether or not somebody has the address.',
    fields: (t) => ({
      accepted: t.exposeBoolean('accepted', { description: 'True: whoever has the address gets a link.' }),
    }),
  });
}

const ConfirmEmailPayload = builder.objectRef<{ email: string }>('ConfirmEmailPayload').implement({
  description: 'The address that is confirmed now.',
  fields: (t) => ({ email: t.exposeString('email', { description: 'The e-mail address that is confirmed now.' }) }),
});

const ResetPasswordPayload = builder.objectRef<{ changed: boolean }>('ResetPasswordPayload').implement({
  description: 'The account takes the new password from now on.',
  fields: (t) => ({ changed: t.exposeBoolean('changed', { description: 'True once the password is changed.' }) }),
});

builder.mutationFields((t) => ({
  signUp: t.field({
    type: SignUpPayload,
    description: 'Creates an account for whoever asks, where the settings allow that.',
    args: { input: t.arg({ type: SignUpInput, required: true, description: 'Username, name, address and password.' }) },
    resolve: async (_root, { input }, context) => ({ confirmationRequired: (await signUp(context, input)) === null }),
  }),
  requestConfirmation: t.field({
    type: mailPayload('requestConfirmation'),
    description: 'Mails the link that confirms an address once more, where mail is sent. No sign-in is needed.',
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
    description: 'Confirms the address to which a link was mailed.',
    args: { input: t.arg({ type: ConfirmEmailInput, required: true, description: 'The token of the link.' }) },
    resolve: (_root, { input }, context) => confirmAddress(context, input.token),
  }),
  requestPasswordReset: t.field({
    type: mailPayload('requestPasswordReset'),
    description: 'Mails a link for a new password, where mail is sent. No sign-in is needed.',
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
    description: 'Gives the account to which a link was mailed a new password, and ends its sessions.',
    args: {
      input: t.arg({ type: ResetPasswordInput, required: true, description: 'Token of the link and new password.' }),
    },
    resolve: async (_root, { input }, context) => {
      await resetPassword(context, input.token, input.newPassword);
      return { changed: true };
    },
  }),
}));
