import { builder } from '#schema/builder.ts';
import { TokenScope } from '#schema/enums.ts';
import { accountField, type InputFields, namesOf } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { PersonalAccessToken } from '#schema/tokens/types.ts';
import { createImpersonationToken, createPersonalAccessToken } from '#src/access/credentials/tokens/create.ts';
import type { TokenRow } from '#src/access/credentials/tokens/list.ts';
import { revokeImpersonationToken, revokePersonalAccessToken } from '#src/access/credentials/tokens/revoke.ts';

/** The name, scopes and expiry of a new token. */
const made = (t: InputFields) => ({
  name: t.string({ required: true, description: 'What the token is for; at most 255 characters.' }),
  scopes: t.field({ type: [TokenScope], required: true, description: 'Scopes of the token; at least one.' }),
  expiresAt: t.field({
    type: 'Date',
    description: 'The token stops working at 00:00 UTC on this day. It never expires when null or left out.',
  }),
});

const actsAs = (t: InputFields) =>
  t.field({
    ...idOf('User'),
    required: true,
    description: 'Global or numeric ID of the user that the token acts as.',
  });

const token = (t: InputFields) =>
  t.field({
    ...idOf('PersonalAccessToken'),
    required: true,
    description: 'Global or numeric ID of the token to revoke.',
  });

const CreatePersonalAccessTokenInput = builder.inputType('CreatePersonalAccessTokenInput', {
  description: 'A new token for the caller.',
  fields: made,
});

const CreateImpersonationTokenInput = builder.inputType('CreateImpersonationTokenInput', {
  description: 'A new token to act as a user.',
  fields: (t) => ({ userId: actsAs(t), ...made(t) }),
});

const RevokePersonalAccessTokenInput = builder.inputType('RevokePersonalAccessTokenInput', {
  description: 'Which personal access token to revoke.',
  fields: (t) => ({ userId: accountField(t), id: token(t) }),
});

const RevokeImpersonationTokenInput = builder.inputType('RevokeImpersonationTokenInput', {
  description: 'Which impersonation token to revoke.',
  fields: (t) => ({ userId: actsAs(t), id: token(t) }),
});

function tokenPayload(mutation: string, description: string) {
  return builder.objectRef<{ personalAccessToken: TokenRow }>(namesOf(mutation).payload).implement({
    description: 'The token after the change.',
    fields: (t) => ({
      personalAccessToken: t.expose('personalAccessToken', { type: PersonalAccessToken, description }),
    }),
  });
}

const NEW = 'The new token. Its text is only shown this once.';
const REVOKED = 'The token as it is now.';

builder.mutationFields((t) => ({
  createPersonalAccessToken: t.field({
    type: tokenPayload('createPersonalAccessToken', NEW),
    description: 'Creates a token for the caller. Requires a credential with the scope `api`.',
    args: {
      input: t.arg({
        type: CreatePersonalAccessTokenInput,
        required: true,
        description: 'Name, scopes and expiry of the token.',
      }),
    },
    resolve: async (_root, { input }, context) => ({
      personalAccessToken: await createPersonalAccessToken(context, input),
    }),
  }),
  createImpersonationToken: t.field({
    type: tokenPayload('createImpersonationToken', NEW),
    description: 'Creates a token to act as a user. For administrators.',
    args: {
      input: t.arg({
        type: CreateImpersonationTokenInput,
        required: true,
        description: 'User, name, scopes and expiry of the token.',
      }),
    },
    resolve: async (_root, { input: { userId, ...input } }, context) => ({
      personalAccessToken: await createImpersonationToken(context, userId, input),
    }),
  }),
  revokePersonalAccessToken: t.field({
    type: tokenPayload('revokePersonalAccessToken', REVOKED),
    description: 'Revokes a personal access token, which stops working immediately. For its user and administrators.',
    args: {
      input: t.arg({ type: RevokePersonalAccessTokenInput, required: true, description: 'Names the token to revoke.' }),
    },
    resolve: async (_root, { input }, context) => ({
      personalAccessToken: await revokePersonalAccessToken(context, input),
    }),
  }),
  revokeImpersonationToken: t.field({
    type: tokenPayload('revokeImpersonationToken', REVOKED),
    description: 'Revokes an impersonation token, which stops working immediately. For administrators.',
    args: {
      input: t.arg({ type: RevokeImpersonationTokenInput, required: true, description: 'Names the token to revoke.' }),
    },
    resolve: async (_root, { input: { userId, id } }, context) => ({
      personalAccessToken: await revokeImpersonationToken(context, userId, id),
    }),
  }),
}));
