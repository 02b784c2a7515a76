import { builder } from '#schema/builder.ts';
import { confirmAddress } from '#src/users/confirm.ts';
import { requestConfirmation, requestPasswordReset } from '#src/users/mail_requests.ts';
import { resetPassword } from '#src/users/reset_password.ts';
import { signUp } from '#src/users/sign_up.ts';

const SignUpInput = builder.inputType('SignUpInput', {
  description: 'A new account of whoever asks. Nobody needs to be signed in.',
  fields: (t) => ({
    username: t.string({ required: true, description: 'Unique, whatever its case.' }),
    name: t.string({ required: true, description: 'What people call them.' }),
    email: t.string({ required: true, description: 'Primary e-mail address, of a domain that the settings allow.' }),
    password: t.string({ required: true, description: 'Of 8 to 128 characters.' }),
  }),
});

const MailRequestInput = builder.inputType('MailRequestInput', {
  description: 'Where a mail is to go. Nobody needs to be signed in.',
  fields: (t) => ({ email: t.string({ required: true, description: 'The e-mail address.' }) }),
});

const ConfirmEmailInput = builder.inputType('ConfirmEmailInput', {
  description: 'What the link in a mail carries.',
  fields: (t) => ({ token: t.string({ required: true, description: 'The token of the link. It is good for once.' }) }),
});

const ResetPasswordInput = builder.inputType('ResetPasswordInput', {
  description: 'A new password in exchange for what the link in a mail carries.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'The token of the link. It is good for once.' }),
    newPassword: t.string({ required: true, description: 'Of 8 to 128 characters.' }),
  }),
});

const SignUpPayload = builder.objectRef<{ confirmationRequired: boolean }>('SignUpPayload').implement({
  description: 'What is left to do.',
  fields: (t) => ({
    confirmationRequired: t.exposeBoolean('confirmationRequired', {
      description: 'Whether the link in a mail must be followed before signing in.',
    }),
  }),
});

const MailRequestPayload = builder.objectRef<{ accepted: boolean }>('MailRequestPayload').implement({
  description: 'The answer is the same whether or not somebody has the address.',
  fields: (t) => ({ accepted: t.exposeBoolean('accepted', { description: 'True.' }) }),
});

const ConfirmEmailPayload = builder.objectRef<{ email: string }>('ConfirmEmailPayload').implement({
  description: 'What is confirmed.',
  fields: (t) => ({ email: t.exposeString('email', { description: 'The e-mail address.' }) }),
});

const ResetPasswordPayload = builder.objectRef<{ changed: boolean }>('ResetPasswordPayload').implement({
  description: 'Whoever asks signs in with the new password next.',
  fields: (t) => ({ changed: t.exposeBoolean('changed', { description: 'True.' }) }),
});

builder.mutationFields((t) => ({
  signUp: t.field({
    type: SignUpPayload,
    description: 'Creates an account for whoever asks, where the settings allow that.',
    args: { input: t.arg({ type: SignUpInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input }, context) => ({ confirmationRequired: (await signUp(context, input)) === null }),
  }),
  requestConfirmation: t.field({
    type: MailRequestPayload,
    description: 'Has the link that confirms an address mailed once more, where mail is sent.',
    args: { input: t.arg({ type: MailRequestInput, required: true, description: 'The address.' }) },
    resolve: async (_root, { input }, context) => {
      await requestConfirmation(context, input.email);
      return { accepted: true };
    },
  }),
  confirmEmail: t.field({
    type: ConfirmEmailPayload,
    description: 'Confirms the address to which a link was mailed.',
    args: { input: t.arg({ type: ConfirmEmailInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, context) => confirmAddress(context, input.token),
  }),
  requestPasswordReset: t.field({
    type: MailRequestPayload,
    description: 'Has a link for a new password mailed, where mail is sent.',
    args: { input: t.arg({ type: MailRequestInput, required: true, description: 'The address.' }) },
    resolve: async (_root, { input }, context) => {
      await requestPasswordReset(context, input.email);
      return { accepted: true };
    },
  }),
  resetPassword: t.field({
    type: ResetPasswordPayload,
    description: 'Gives the account to which a link was mailed a new password, and ends its sessions.',
    args: { input: t.arg({ type: ResetPasswordInput, required: true, description: 'Token and password.' }) },
    resolve: async (_root, { input }, context) => {
      await resetPassword(context, input.token, input.newPassword);
      return { changed: true };
    },
  }),
}));
