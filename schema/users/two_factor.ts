import { builder } from '#schema/builder.ts';
import { emptyInput, namesOf } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { userPayload, userStatePayload } from '#schema/users/payloads.ts';
import { User } from '#schema/users/types.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { disableTwoFactor, disableTwoFactorOf } from '#src/access/sign_in/two_factor/disable.ts';
import { type Enrolment, enableTwoFactor, setUpTwoFactor } from '#src/access/sign_in/two_factor/enable.ts';
import { findRecoveryCodesLeft } from '#src/access/sign_in/two_factor/left.ts';
import { renewRecoveryCodes } from '#src/access/sign_in/two_factor/renew_codes.ts';
import { findUser, findViewer } from '#src/domain/users/find.ts';

const SetUpTwoFactorInput = emptyInput(
  'SetUpTwoFactorInput',
  'No input is needed to get a secret for the authenticator app.',
);

const EnableTwoFactorInput = builder.inputType('EnableTwoFactorInput', {
  description: 'Proof that the authenticator app is set up.',
  fields: (t) => ({
    code: t.string({ required: true, description: 'The six-digit code that the authenticator app shows.' }),
  }),
});

/** The input of a mutation that requires proof of identity. */
function proofInput(mutation: string) {
  return builder.inputType(namesOf(mutation).input, {
    description: 'Proof of identity: the caller’s password or a code.',
    isOneOf: true,
    fields: (t) => ({
      password: t.string({ description: 'The password of the caller.' }),
      code: t.string({
        description: 'A code from the authenticator app, or a recovery code, which cannot be used again.',
      }),
    }),
  });
}

const DisableTwoFactorInput = proofInput('disableTwoFactor');
const RenewRecoveryCodesInput = proofInput('renewRecoveryCodes');
const DisableUserTwoFactorInput = builder.inputType('DisableUserTwoFactorInput', {
  description: 'Which user to disable two-factor authentication for.',
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
});

const SetUpTwoFactorPayload = builder.objectRef<Enrolment>('SetUpTwoFactorPayload').implement({
  description: 'What the authenticator app needs; only shown this once.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'The secret for the app, in Base32.' }),
    uri: t.exposeString('uri', { description: 'The secret for a QR code: `otpauth://totp/…`.' }),
  }),
});

function codesPayload(mutation: string) {
  return builder.objectRef<{ user: Known<'User'>; recoveryCodes: string[] }>(namesOf(mutation).payload).implement({
    description: 'New recovery codes, which are only shown this once.',
    fields: (t) => ({
      user: t.expose('user', { type: User, description: 'The caller as they are now.' }),
      recoveryCodes: t.exposeStringList('recoveryCodes', {
        description: 'Recovery codes. Each works once in place of a code from the authenticator app.',
      }),
    }),
  });
}

builder.objectField(User, 'recoveryCodesLeft', (t) =>
  t.int({
    nullable: true,
    description: 'How many recovery codes are left. For the user; null for others.',
    resolve: ({ id }, _args, context) => findRecoveryCodesLeft(context, id),
  }),
);

builder.mutationFields((t) => ({
  setUpTwoFactor: t.field({
    type: SetUpTwoFactorPayload,
    description: 'Creates a secret for an authenticator app; `enableTwoFactor` activates it. For signed-in users.',
    args: { input: t.arg({ type: SetUpTwoFactorInput, required: true, description: 'No values have to be given.' }) },
    resolve: (_root, _args, context) => setUpTwoFactor(context),
  }),
  enableTwoFactor: t.field({
    type: codesPayload('enableTwoFactor'),
    description:
      'Enables two-factor authentication. Ends all sessions of the caller and renews the private token, which is in `user`.',
    args: { input: t.arg({ type: EnableTwoFactorInput, required: true, description: 'A code that the app shows.' }) },
    resolve: async (_root, { input }, context, info) => {
      const { recoveryCodes, privateToken } = await enableTwoFactor(context, input.code);
      return { recoveryCodes, user: { ...(await findViewer(context, selectionAt(info, 'User'))), privateToken } };
    },
  }),
  disableTwoFactor: t.field({
    type: userPayload('disableTwoFactor'),
    description: 'Disables two-factor authentication for the caller.',
    args: {
      input: t.arg({ type: DisableTwoFactorInput, required: true, description: 'Password or code of the caller.' }),
    },
    resolve: async (_root, { input }, context, info) => {
      await disableTwoFactor(context, input);
      return { user: await findUser(context, requireActor(context).id, selectionAt(info, 'User')) };
    },
  }),
  renewRecoveryCodes: t.field({
    type: codesPayload('renewRecoveryCodes'),
    description: 'Gives the caller new recovery codes; the old ones stop working immediately.',
    args: {
      input: t.arg({ type: RenewRecoveryCodesInput, required: true, description: 'Password or code of the caller.' }),
    },
    resolve: async (_root, { input }, context, info) => {
      const recoveryCodes = await renewRecoveryCodes(context, input);
      return { recoveryCodes, user: await findViewer(context, selectionAt(info, 'User')) };
    },
  }),
  disableUserTwoFactor: t.field({
    type: userStatePayload('disableUserTwoFactor'),
    description:
      'Disables two-factor authentication for a user who has lost both the app and the recovery codes. For administrators.',
    args: {
      input: t.arg({
        type: DisableUserTwoFactorInput,
        required: true,
        description: 'Names the user who has lost both.',
      }),
    },
    resolve: async (_root, { input: { id, mustBeEnabled } }, context, info) => {
      const changed = await disableTwoFactorOf(context, id, { mustBeEnabled });
      return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
}));
