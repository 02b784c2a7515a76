import { builder } from '#schema/builder.ts';
import { TokenScope } from '#schema/enums.ts';
import { accountField, emptyInput, type InputFields, namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { PersonalAccessToken } from '#schema/tokens/types.ts';
import {
  createImpersonationToken,
  createPersonalAccessToken,
  createTokenOfUser,
} from '#src/access/credentials/tokens/create.ts';
import {
  revokeCurrentToken,
  revokeImpersonationToken,
  revokePersonalAccessToken,
} from '#src/access/credentials/tokens/revoke.ts';
import { rotateCurrentToken, rotateToken } from '#src/access/credentials/tokens/rotate.ts';
import { currentTokenIn } from '#src/domain/members/access_tokens/list.ts';
import { select } from '#src/platform/records/selection.ts';

/** The name, scopes and expiry of a new token. */
export const made = (t: InputFields) => ({
  name: t.string({ required: true, description: 'What the token is for; at most 255 characters.' }),
  description: t.string({ description: 'More about what the token is for; at most 255 characters.' }),
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

export const token = (t: InputFields) =>
  t.field({
    ...idOf('PersonalAccessToken'),
    required: true,
    description: 'Global or numeric ID of the token.',
  });

export const renewed = (t: InputFields) =>
  t.field({
    type: 'Date',
    description: 'The new token stops working at 00:00 UTC on this day: in seven days when left out, never when null.',
  });

const CreatePersonalAccessTokenInput = builder.inputType('CreatePersonalAccessTokenInput', {
  description: 'A new token for the caller, or for another user.',
  fields: (t) => ({ userId: accountField(t), ...made(t) }),
});

const CreateImpersonationTokenInput = builder.inputType('CreateImpersonationTokenInput', {
  description: 'A new token to act as a user.',
  fields: (t) => ({ userId: actsAs(t), ...made(t) }),
});

const RotatePersonalAccessTokenInput = builder.inputType('RotatePersonalAccessTokenInput', {
  description: 'Which personal access token to replace, and until when the new one works.',
  fields: (t) => ({ id: token(t), expiresAt: renewed(t) }),
});

const RotateCurrentAccessTokenInput = builder.inputType('RotateCurrentAccessTokenInput', {
  description: 'Until when the new token works, and what the old one must be for.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', description: 'The project that the token must be for.' }),
    group: t.field({ type: 'GroupRef', description: 'The group that the token must be for.' }),
    expiresAt: renewed(t),
  }),
});

const RevokePersonalAccessTokenInput = builder.inputType('RevokePersonalAccessTokenInput', {
  description: 'Which personal access token to revoke.',
  fields: (t) => ({ userId: accountField(t), id: token(t) }),
});

const RevokeImpersonationTokenInput = builder.inputType('RevokeImpersonationTokenInput', {
  description: 'Which impersonation token to revoke.',
  fields: (t) => ({ userId: actsAs(t), id: token(t) }),
});

/** The payload of a mutation that makes or changes a token. */
export function tokenPayload(mutation: string, description: string) {
  return builder.objectRef<{ personalAccessToken: Known<'PersonalAccessToken'> }>(namesOf(mutation).payload).implement({
    description: 'The token after the change.',
    fields: (t) => ({
      personalAccessToken: t.expose('personalAccessToken', { type: PersonalAccessToken, description }),
    }),
  });
}

const RevokeCurrentAccessTokenInput = emptyInput(
  'RevokeCurrentAccessTokenInput',
  'An input without fields of its own.',
);

const RevokeCurrentAccessTokenPayload = builder.objectRef<{ id: number }>('RevokeCurrentAccessTokenPayload').implement({
  description: 'The token that was revoked.',
  fields: (t) => ({
    revokedPersonalAccessTokenId: t.id({
      description: 'Global ID of the token that was revoked.',
      resolve: ({ id }) => toGlobalId('PersonalAccessToken', id),
    }),
  }),
});

const ANY = select('PersonalAccessToken', { id: true });

export const NEW = 'The new token. Its text is only shown this once.';
export const REVOKED = 'The token as it is now.';

builder.mutationFields((t) => ({
  createPersonalAccessToken: t.field({
    type: tokenPayload('createPersonalAccessToken', NEW),
    description:
      'Creates a token for the caller, or for another user if the caller is an administrator. Requires a credential with the scope `api`.',
    args: {
      input: t.arg({
        type: CreatePersonalAccessTokenInput,
        required: true,
        description: 'Name, scopes and expiry of the token.',
      }),
    },
    resolve: async (_root, { input: { userId, ...input } }, context, info) => ({
      personalAccessToken:
        userId == null
          ? await createPersonalAccessToken(context, input, selectionAt(info, 'PersonalAccessToken'))
          : await createTokenOfUser(context, userId, input, selectionAt(info, 'PersonalAccessToken')),
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
    resolve: async (_root, { input: { userId, ...input } }, context, info) => ({
      personalAccessToken: await createImpersonationToken(
        context,
        userId,
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  rotatePersonalAccessToken: t.field({
    type: tokenPayload('rotatePersonalAccessToken', NEW),
    description:
      'Replaces a personal access token by a new one with the same name and scopes; the old one stops working immediately. For its user and administrators. Rotating a revoked token revokes the tokens that took its place.',
    args: {
      input: t.arg({
        type: RotatePersonalAccessTokenInput,
        required: true,
        description: 'Names the token, and when the new one expires.',
      }),
    },
    resolve: async (_root, { input }, context, info) => ({
      personalAccessToken: await rotateToken(context, input, selectionAt(info, 'PersonalAccessToken')),
    }),
  }),
  rotateCurrentAccessToken: t.field({
    type: tokenPayload('rotateCurrentAccessToken', NEW),
    description:
      'Replaces the personal access token that the request is made with by a new one, as `rotatePersonalAccessToken`.',
    args: {
      input: t.arg({
        type: RotateCurrentAccessTokenInput,
        required: true,
        description: 'When the new token expires.',
      }),
    },
    resolve: async (_root, { input: { project, group, ...input } }, context, info) => {
      if (project != null || group != null) await currentTokenIn(context, { project, group }, ANY);
      return {
        personalAccessToken: await rotateCurrentToken(context, input, selectionAt(info, 'PersonalAccessToken')),
      };
    },
  }),
  revokeCurrentAccessToken: t.field({
    type: RevokeCurrentAccessTokenPayload,
    description: 'Revokes the personal access token that the request is made with, which stops working immediately.',
    args: {
      input: t.arg({
        type: RevokeCurrentAccessTokenInput,
        required: true,
        description: 'Nothing but the ID of the mutation.',
      }),
    },
    resolve: async (_root, _args, context) => ({ id: await revokeCurrentToken(context) }),
  }),
  revokePersonalAccessToken: t.field({
    type: tokenPayload('revokePersonalAccessToken', REVOKED),
    description: 'Revokes a personal access token, which stops working immediately. For its user and administrators.',
    args: {
      input: t.arg({ type: RevokePersonalAccessTokenInput, required: true, description: 'Names the token to revoke.' }),
    },
    resolve: async (_root, { input }, context, info) => ({
      personalAccessToken: await revokePersonalAccessToken(context, input, selectionAt(info, 'PersonalAccessToken')),
    }),
  }),
  revokeImpersonationToken: t.field({
    type: tokenPayload('revokeImpersonationToken', REVOKED),
    description: 'Revokes an impersonation token, which stops working immediately. For administrators.',
    args: {
      input: t.arg({ type: RevokeImpersonationTokenInput, required: true, description: 'Names the token to revoke.' }),
    },
    resolve: async (_root, { input: { userId, id } }, context, info) => ({
      personalAccessToken: await revokeImpersonationToken(
        context,
        userId,
        id,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
}));
