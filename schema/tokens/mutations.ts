import { builder } from '#schema/builder.ts';
import { PersonalAccessToken } from '#schema/tokens/types.ts';
import { createImpersonationToken, createPersonalAccessToken } from '#src/access/tokens/create.ts';
import type { TokenRow } from '#src/access/tokens/list.ts';
import { revokeImpersonationToken, revokePersonalAccessToken } from '#src/access/tokens/revoke.ts';

const CreatePersonalAccessTokenInput = builder.inputType('CreatePersonalAccessTokenInput', {
  description: 'A new token for the caller.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What it is for.' }),
    scopes: t.stringList({ required: true, description: 'What it reaches: `api`, `read_user`, `read_metrics`.' }),
    expiresAt: t.field({ type: 'Date', description: 'First day (UTC) on which it is inactive; never when absent.' }),
  }),
});

const CreateImpersonationTokenInput = builder.inputType('CreateImpersonationTokenInput', {
  description: 'A new token to act as somebody.',
  fields: (t) => ({
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    name: t.string({ required: true, description: 'What it is for.' }),
    scopes: t.stringList({ description: 'What it reaches: `api`, `read_user`, `read_metrics`. There must be one.' }),
    expiresAt: t.field({ type: 'Date', description: 'First day (UTC) on which it is inactive; never when absent.' }),
  }),
});

const RevokePersonalAccessTokenInput = builder.inputType('RevokePersonalAccessTokenInput', {
  description: 'Which token to revoke.',
  fields: (t) => ({
    userId: t.int({ description: "Numeric ID of the user; the caller when absent. Others' are for administrators." }),
    databaseId: t.int({ required: true, description: 'Numeric ID of the token.' }),
  }),
});

const RevokeImpersonationTokenInput = builder.inputType('RevokeImpersonationTokenInput', {
  description: 'Which token to revoke.',
  fields: (t) => ({
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID of the token.' }),
  }),
});

const PersonalAccessTokenPayload = builder
  .objectRef<{ personalAccessToken: TokenRow }>('PersonalAccessTokenPayload')
  .implement({
    description: 'The token as it is now.',
    fields: (t) => ({
      personalAccessToken: t.expose('personalAccessToken', { type: PersonalAccessToken, description: 'The token.' }),
    }),
  });

builder.mutationFields((t) => ({
  createPersonalAccessToken: t.field({
    type: PersonalAccessTokenPayload,
    description: 'Makes a token for the caller.',
    args: { input: t.arg({ type: CreatePersonalAccessTokenInput, required: true, description: 'The new token.' }) },
    resolve: async (_root, { input }, context) => ({
      personalAccessToken: await createPersonalAccessToken(context, input),
    }),
  }),
  createImpersonationToken: t.field({
    type: PersonalAccessTokenPayload,
    description: 'Makes a token to act as somebody. For administrators.',
    args: { input: t.arg({ type: CreateImpersonationTokenInput, required: true, description: 'The new token.' }) },
    resolve: async (_root, { input: { userId, scopes, ...input } }, context) => ({
      personalAccessToken: await createImpersonationToken(context, userId, { ...input, scopes: scopes ?? [] }),
    }),
  }),
  revokePersonalAccessToken: t.field({
    type: PersonalAccessTokenPayload,
    description: 'Revokes a token.',
    args: { input: t.arg({ type: RevokePersonalAccessTokenInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { userId, databaseId } }, context) => ({
      personalAccessToken: await revokePersonalAccessToken(context, { userId, id: databaseId }),
    }),
  }),
  revokeImpersonationToken: t.field({
    type: PersonalAccessTokenPayload,
    description: 'Revokes an impersonation token. For administrators.',
    args: { input: t.arg({ type: RevokeImpersonationTokenInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { userId, databaseId } }, context) => ({
      personalAccessToken: await revokeImpersonationToken(context, userId, databaseId),
    }),
  }),
}));
