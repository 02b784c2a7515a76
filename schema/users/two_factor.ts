import { builder } from '#schema/builder.ts';
import { emptyInput, namesOf } from '#schema/inputs.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { userInput } from '#schema/users/inputs.ts';
import { userPayload, userStatePayload } from '#schema/users/payloads.ts';
import { User } from '#schema/users/types.ts';
import { requireActor } from '#src/access/actor.ts';
import { disableTwoFactor, disableTwoFactorOf } from '#src/access/two_factor/disable.ts';
import { type Enrolment, enableTwoFactor, setUpTwoFactor } from '#src/access/two_factor/enable.ts';
import { findRecoveryCodesLeft } from '#src/access/two_factor/left.ts';
import { renewRecoveryCodes } from '#src/access/two_factor/renew_codes.ts';
import { findUser, findViewer } from '#src/users/find.ts';

const SetUpTwoFactorInput = emptyInput('SetUpTwoFactorInput', 'Nothing is needed to get a secret for the app.');

const EnableTwoFactorInput = builder.inputType('EnableTwoFactorInput', {
  description: 'What proves that the app has the secret.',
  fields: (t) => ({
    code: t.string({ required: true, description: 'The code of six digits that the app shows.' }),
  }),
});

/** The input of a mutation that takes a proof of who the caller is. */
function proofInput(mutation: string) {
  return builder.inputType(namesOf(mutation).input, {
    description: 'What proves that it is the caller in person: the password or a code.',
    isOneOf: true,
    fields: (t) => ({
      password: t.string({ description: 'The password of the caller.' }),
      code: t.string({ description: 'A code of the app, or a recovery code, which cannot be used again.' }),
    }),
  });
}

const DisableTwoFactorInput = proofInput('disableTwoFactor');
const RenewRecoveryCodesInput = proofInput('renewRecoveryCodes');
const DisableUserTwoFactorInput = userInput('disableUserTwoFactor', 'signs in by the password alone from now on');

const SetUpTwoFactorPayload = builder.objectRef<Enrolment>('SetUpTwoFactorPayload').implement({
  description: 'What the app needs, which is shown this once.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'The secret for the app, in Base32.' }),
    uri: t.exposeString('uri', { description: 'The secret for a QR code: `otpauth://totp/…`.' }),
  }),
});

function codesPayload(mutation: string) {
  return builder.objectRef<{ user: Known<'User'>; recoveryCodes: string[] }>(namesOf(mutation).payload).implement({
    description: 'New recovery codes, which are shown this once.',
    fields: (t) => ({
      user: t.expose('user', { type: User, description: 'The caller as they are now.' }),
      recoveryCodes: t.exposeStringList('recoveryCodes', {
        description: 'Codes of which each works once in place of a code of the app.',
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
    description:
      'Gives the caller a secret for an app that shows codes; enableTwoFactor puts it in force. For signed-in users.',
    args: { input: t.arg({ type: SetUpTwoFactorInput, required: true, description: 'Nothing has to be given.' }) },
    resolve: (_root, _args, context) => setUpTwoFactor(context),
  }),
  enableTwoFactor: t.field({
    type: codesPayload('enableTwoFactor'),
    description:
      'Makes signing in require a code from now on. Ends all sessions of the caller and renews the private token, which `user` has.',
    args: { input: t.arg({ type: EnableTwoFactorInput, required: true, description: 'A code that the app shows.' }) },
    resolve: async (_root, { input }, context, info) => {
      const { recoveryCodes, privateToken } = await enableTwoFactor(context, input.code);
      return { recoveryCodes, user: { ...(await findViewer(context, selectionAt(info, 'User'))), privateToken } };
    },
  }),
  disableTwoFactor: t.field({
    type: userPayload('disableTwoFactor'),
    description: 'Makes the password alone enough for the caller to sign in again.',
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
      'Switches off the two-factor authentication of a user who has lost app and recovery codes. For administrators.',
    args: {
      input: t.arg({
        type: DisableUserTwoFactorInput,
        required: true,
        description: 'Names the user who has lost both.',
      }),
    },
    resolve: async (_root, { input: { id } }, context, info) => {
      const changed = await disableTwoFactorOf(context, id);
      return { changed, user: await findUser(context, id, selectionAt(info, 'User')) };
    },
  }),
}));
