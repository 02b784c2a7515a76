import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { userPayload } from '#schema/users/payloads.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { listPasskeys, type OwnPasskey, removePasskey } from '#src/access/sign_in/passkeys/manage.ts';
import { findUser } from '#src/domain/users/find.ts';

const Passkey = builder.objectRef<OwnPasskey>('Passkey').implement({
  description: 'A passkey (WebAuthn) of the caller, with which they sign in alone or as a second factor.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the passkey, unique on the server.' }),
    name: t.exposeString('name', { description: 'What the user calls the passkey.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the passkey was added.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the passkey was last used to sign in; null before that.',
    }),
  }),
});

builder.queryField('viewerPasskeys', (t) =>
  t.field({
    type: [Passkey],
    description: 'The passkeys of the caller, the oldest first. For signed-in users.',
    resolve: (_root, _args, context) => listPasskeys(context),
  }),
);

mutation('removePasskey', {
  description: 'Removes a passkey of the caller. Without a second factor left, two-factor authentication is disabled.',
  input: {
    description: 'Which passkey to remove, and proof of identity: the password or a code.',
    argument: 'The passkey, and the password or a code.',
    fields: (t) => ({
      id: t.field({
        ...idOf('Passkey'),
        required: true,
        description: 'Global or numeric ID of the passkey, which is one of the caller’s.',
      }),
      password: t.string({ description: 'The password of the caller; not needed with a code.' }),
      code: t.string({
        description: 'A code from the authenticator app, or a recovery code, which cannot be used again.',
      }),
    }),
  },
  resolve: async ({ id, ...proof }, context, info) => {
    await removePasskey(context, id, proof);
    return { user: await findUser(context, requireActor(context).id, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});
