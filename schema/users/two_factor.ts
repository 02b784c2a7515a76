import { builder } from '#schema/builder.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { UserReferenceInput } from '#schema/users/inputs.ts';
import { UserPayload, UserStatePayload } from '#schema/users/payloads.ts';
import { User } from '#schema/users/types.ts';
import { requireActor } from '#src/access/actor.ts';
import { disableTwoFactor, disableTwoFactorOf } from '#src/access/two_factor/disable.ts';
import { type Enrolment, enableTwoFactor, setUpTwoFactor } from '#src/access/two_factor/enable.ts';
import { findRecoveryCodesLeft } from '#src/access/two_factor/left.ts';
import { renewRecoveryCodes } from '#src/access/two_factor/renew_codes.ts';
import { findUser, findViewer } from '#src/users/find.ts';

const SetUpTwoFactorInput = builder.inputType('SetUpTwoFactorInput', {
  description: 'Nothing has to be said for this.',
  fields: (t) => ({ clientMutationId: t.string({ description: 'For the client; not looked at.' }) }),
});

const EnableTwoFactorInput = builder.inputType('EnableTwoFactorInput', {
  description: 'What shows that the app has the secret.',
  fields: (t) => ({ code: t.string({ required: true, description: 'The code that the app shows.' }) }),
});

const TwoFactorProofInput = builder.inputType('TwoFactorProofInput', {
  description: 'What shows that it is the caller in person: one of the two.',
  fields: (t) => ({
    password: t.string({ description: 'Their password.' }),
    code: t.string({ description: 'A code of the app, or a recovery code, which is used up with this.' }),
  }),
});

const SetUpTwoFactorPayload = builder.objectRef<Enrolment>('SetUpTwoFactorPayload').implement({
  description: 'What goes into the app. It is shown this once.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'The secret, in base32.' }),
    uri: t.exposeString('uri', { description: 'The same for a QR code: `otpauth://totp/…`.' }),
  }),
});

const RecoveryCodesPayload = builder
  .objectRef<{ user: Known<'User'>; recoveryCodes: string[] }>('RecoveryCodesPayload')
  .implement({
    description: 'New recovery codes. They are shown this once.',
    fields: (t) => ({
      user: t.expose('user', { type: User, description: 'The caller.' }),
      recoveryCodes: t.exposeStringList('recoveryCodes', { description: 'Each is a code once, without the app.' }),
    }),
  });

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
    description: 'Gives the caller a secret for an app that shows codes; enableTwoFactor puts it in force.',
    args: { input: t.arg({ type: SetUpTwoFactorInput, required: true, description: 'Nothing.' }) },
    resolve: (_root, _args, context) => setUpTwoFactor(context),
  }),
  enableTwoFactor: t.field({
    type: RecoveryCodesPayload,
    description:
      'Has signing in take a code from now on. Ends all sessions of the caller and renews the private token, which `user` has.',
    args: { input: t.arg({ type: EnableTwoFactorInput, required: true, description: 'A code.' }) },
    resolve: async (_root, { input }, context, info) => {
      const { recoveryCodes, privateToken } = await enableTwoFactor(context, input.code);
      return { recoveryCodes, user: { ...(await findViewer(context, selectionAt(info, 'User'))), privateToken } };
    },
  }),
  disableTwoFactor: t.field({
    type: UserPayload,
    description: 'Has signing in take the password alone again.',
    args: { input: t.arg({ type: TwoFactorProofInput, required: true, description: 'Password or code.' }) },
    resolve: async (_root, { input }, context, info) => {
      await disableTwoFactor(context, input);
      return { user: await findUser(context, requireActor(context).id, selectionAt(info, 'User')) };
    },
  }),
  renewRecoveryCodes: t.field({
    type: RecoveryCodesPayload,
    description: 'Gives new recovery codes in the place of the former.',
    args: { input: t.arg({ type: TwoFactorProofInput, required: true, description: 'Password or code.' }) },
    resolve: async (_root, { input }, context, info) => {
      const recoveryCodes = await renewRecoveryCodes(context, input);
      return { recoveryCodes, user: await findViewer(context, selectionAt(info, 'User')) };
    },
  }),
  disableUserTwoFactor: t.field({
    type: UserStatePayload,
    description:
      'Switches off the two-factor authentication of who has lost app and recovery codes. For administrators.',
    args: { input: t.arg({ type: UserReferenceInput, required: true, description: 'Which user.' }) },
    resolve: async (_root, { input: { databaseId } }, context, info) => {
      const changed = await disableTwoFactorOf(context, databaseId);
      return { changed, user: await findUser(context, databaseId, selectionAt(info, 'User')) };
    },
  }),
}));
