import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { userPayload } from '#schema/users/payloads.ts';
import { requireActor, requireApiScope } from '#src/access/permissions/actor.ts';
import { type OfferedProvider, offeredProviders } from '#src/access/sign_in/providers/registry.ts';
import { deleteIdentityOf, disconnectIdentity } from '#src/domain/lifecycle/accounts/connect.ts';
import { findUser } from '#src/domain/users/find.ts';

const SignInProvider = builder.objectRef<OfferedProvider>('SignInProvider').implement({
  description: 'A provider of identities with whose accounts people can sign in.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the provider, as identities have it.' }),
    label: t.exposeString('label', { description: 'What people know the provider as.' }),
    takesPassword: t.exposeBoolean('takesPassword', {
      description:
        'Whether people sign in here with their username and password of the provider. Otherwise their browser is sent there.',
    }),
  }),
});

builder.queryField('signInProviders', (t) =>
  t.field({
    type: [SignInProvider],
    description: 'The providers with whose accounts people can sign in. For everyone.',
    resolve: (_root, _args, { db, actor }) => {
      requireApiScope(actor);
      return offeredProviders(db);
    },
  }),
);

mutation('disconnectIdentity', {
  description:
    'Disconnects the caller from an account elsewhere, and ends the memberships that it gave. Refused if there would be no way to sign in left.',
  input: {
    description: 'Which account elsewhere to disconnect the caller from.',
    argument: 'Names the provider of the account.',
    fields: (t) => ({
      provider: t.string({ required: true, description: 'Name of the identity provider.' }),
    }),
  },
  resolve: async (input, context, info) => {
    await disconnectIdentity(context, input.provider);
    return { user: await findUser(context, requireActor(context).id, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});

mutation('disconnectUserIdentity', {
  description:
    'Disconnects a user from an account elsewhere, and ends the memberships that it gave. For administrators.',
  input: {
    description: 'Which account elsewhere to disconnect which user from.',
    argument: 'Names the user and the provider.',
    fields: (t) => ({
      userId: t.field({ ...idOf('User'), required: true, description: 'Global or numeric ID of the user.' }),
      provider: t.string({ required: true, description: 'Name of the identity provider.' }),
    }),
  },
  resolve: async (input, context, info) => {
    await deleteIdentityOf(context, input.userId, input.provider);
    return { user: await findUser(context, input.userId, selectionAt(info, 'User')) };
  },
  payload: userPayload(),
});
