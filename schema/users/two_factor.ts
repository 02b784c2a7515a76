import { builder } from '#schema/builder.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { userPayload, userStatePayload } from '#schema/users/payloads.ts';
import { User } from '#schema/users/types.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { disableTwoFactor, disableTwoFactorOf } from '#src/access/sign_in/two_factor/disable.ts';
import { enableTwoFactor, setUpTwoFactor } from '#src/access/sign_in/two_factor/enable.ts';
import { findRecoveryCodesLeft } from '#src/access/sign_in/two_factor/left.ts';
import { renewRecoveryCodes } from '#src/access/sign_in/two_factor/renew_codes.ts';
import { findUser, findViewer } from '#src/domain/users/find.ts';

/** The fields of an input that proves the identity of the caller. */
const proof = (t: InputFields) => ({
  password: t.string({ description: 'The password of the caller.' }),
  code: t.string({
    description: 'A code from the authenticator app, or a recovery code, which cannot be used again.',
  }),
});

const PROOF = 'Proof of identity: the caller’s password or a code.';

const codesPayload: Payload<{ user: Known<'User'>; recoveryCodes: string[] }> = {
  description: 'New recovery codes, which are only shown this once.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The caller as they are now.' }),
    recoveryCodes: t.exposeStringList('recoveryCodes', {
      description: 'Recovery codes. Each works once in place of a code from the authenticator app.',
    }),
  }),
};

builder.objectField(User, 'recoveryCodesLeft', (t) =>
  t.int({
    nullable: true,
    description: 'How many recovery codes are left. For the user; null for others.',
    resolve: ({ id }, _args, context) => findRecoveryCodesLeft(context, id),
  }),
);

mutation('setUpTwoFactor', {
  description: 'Creates a secret for an authenticator app; `enableTwoFactor` activates it. For signed-in users.',
  input: {
    description: 'No input is needed to get a secret for the authenticator app.',
    argument: 'No values have to be given.',
  },
  resolve: (_input, context) => setUpTwoFactor(context),
  payload: {
    description: 'What the authenticator app needs; only shown this once.',
    fields: (t) => ({
      secret: t.exposeString('secret', { description: 'The secret for the app, in Base32.' }),
      uri: t.exposeString('uri', { description: 'The secret for a QR code: `otpauth://totp/…`.' }),
    }),
  },
});

mutation('enableTwoFactor', {
  description:
    'Enables two-factor authentication. Ends all sessions of the caller and renews the private token, which is in `user`.',
  input: {
    description: 'Proof that the authenticator app is set up.',
    argument: 'A code that the app shows.',
    fields: (t) => ({
      code: t.string({ required: true, description: 'The six-digit code that the authenticator app shows.' }),
    }),
  },
  resolve: async (input, context, info) => {
    const { recoveryCodes, privateToken } = await enableTwoFactor(context, input.code);
    return { recoveryCodes, user: { ...(await findViewer(context, selectionAt(info, 'User'))), privateToken } };
  },
  payload: codesPayload,
});

mutation('disableTwoFactor', {
  description: 'Disables two-factor authentication for the caller.',
  input: { description: PROOF, argument: 'Password or code of the caller.', isOneOf: true, fields: proof },
  resolve: async (input, context, info) => {
    await disableTwoFactor(context, input);
    return { user: await findUser(context, requireActor(context).id, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});

mutation('renewRecoveryCodes', {
  description: 'Gives the caller new recovery codes; the old ones stop working immediately.',
  input: { description: PROOF, argument: 'Password or code of the caller.', isOneOf: true, fields: proof },
  resolve: async (input, context, info) => {
    const recoveryCodes = await renewRecoveryCodes(context, input);
    return { recoveryCodes, user: await findViewer(context, selectionAt(info, 'User')) };
  },
  payload: codesPayload,
});

mutation('disableUserTwoFactor', {
  description:
    'Disables two-factor authentication for a user who has lost both the app and the recovery codes. For administrators.',
  input: {
    description: 'Which user to disable two-factor authentication for.',
    argument: 'Names the user who has lost both.',
    fields: (t) => ({
      id: t.field({
        ...idOf('User'),
        required: true,
        description: 'Global or numeric ID of the user to disable two-factor authentication for.',
      }),
      mustBeEnabled: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether it is an error if two-factor authentication is not enabled.',
      }),
    }),
  },
  resolve: async ({ id, mustBeEnabled }, context, info) => {
    const changed = await disableTwoFactorOf(context, id, { mustBeEnabled });
    return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
  },
  payload: userStatePayload,
});
