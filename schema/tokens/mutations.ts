import { TokenScope } from '#schema/enums.ts';
import { accountField, type InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { ownerFields } from '#schema/places/owner_ref.ts';
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

/** The payload of a mutation that makes or changes a token. */
export function tokenPayload(description: string): Payload<{ personalAccessToken: Known<'PersonalAccessToken'> }> {
  return {
    description: 'The token after the change.',
    fields: (t) => ({
      personalAccessToken: t.expose('personalAccessToken', { type: PersonalAccessToken, description }),
    }),
  };
}

const ANY = select('PersonalAccessToken', { id: true });

export const NEW = 'The new token. Its text is only shown this once.';
export const REVOKED = 'The token as it is now.';

mutation('createPersonalAccessToken', {
  description:
    'Creates a token for the caller, or for another user if the caller is an administrator. Requires a credential with the scope `api`.',
  input: {
    description: 'A new token for the caller, or for another user.',
    argument: 'Name, scopes and expiry of the token.',
    fields: (t) => ({ userId: accountField(t), ...made(t) }),
  },
  resolve: async ({ userId, ...input }, context, info) => ({
    personalAccessToken:
      userId == null
        ? await createPersonalAccessToken(context, input, selectionAt(info, 'PersonalAccessToken'))
        : await createTokenOfUser(context, userId, input, selectionAt(info, 'PersonalAccessToken')),
  }),
  payload: tokenPayload(NEW),
});

mutation('createImpersonationToken', {
  description: 'Creates a token to act as a user. For administrators.',
  input: {
    description: 'A new token to act as a user.',
    argument: 'User, name, scopes and expiry of the token.',
    fields: (t) => ({ userId: actsAs(t), ...made(t) }),
  },
  resolve: async ({ userId, ...input }, context, info) => ({
    personalAccessToken: await createImpersonationToken(
      context,
      userId,
      input,
      selectionAt(info, 'PersonalAccessToken'),
    ),
  }),
  payload: tokenPayload(NEW),
});

mutation('rotatePersonalAccessToken', {
  description:
    'Replaces a personal access token by a new one with the same name and scopes; the old one stops working immediately. For its user and administrators. Rotating a revoked token revokes the tokens that took its place.',
  input: {
    description: 'Which personal access token to replace, and until when the new one works.',
    argument: 'Names the token, and when the new one expires.',
    fields: (t) => ({ id: token(t), expiresAt: renewed(t) }),
  },
  resolve: async (input, context, info) => ({
    personalAccessToken: await rotateToken(context, input, selectionAt(info, 'PersonalAccessToken')),
  }),
  payload: tokenPayload(NEW),
});

mutation('rotateCurrentAccessToken', {
  description:
    'Replaces the personal access token that the request is made with by a new one, as `rotatePersonalAccessToken`.',
  input: {
    description: 'Until when the new token works, and what the old one must be for.',
    argument: 'When the new token expires.',
    fields: (t) => ({
      ...ownerFields(t, {
        owner: 'The project or group that the token must be for; any when left out.',
        project: 'The project that the token must be for.',
        group: 'The group that the token must be for.',
      }),
      expiresAt: renewed(t),
    }),
  },
  resolve: async ({ project, group, ...input }, context, info) => {
    if (project != null || group != null) await currentTokenIn(context, { project, group }, ANY);
    return {
      personalAccessToken: await rotateCurrentToken(context, input, selectionAt(info, 'PersonalAccessToken')),
    };
  },
  payload: tokenPayload(NEW),
});

mutation('revokeCurrentAccessToken', {
  description: 'Revokes the personal access token that the request is made with, which stops working immediately.',
  input: { description: 'An input without fields of its own.', argument: 'Nothing but the ID of the mutation.' },
  resolve: async (_input, context) => ({ id: await revokeCurrentToken(context) }),
  payload: {
    description: 'The token that was revoked.',
    fields: (t) => ({
      revokedPersonalAccessTokenId: t.id({
        description: 'Global ID of the token that was revoked.',
        resolve: ({ id }) => toGlobalId('PersonalAccessToken', id),
      }),
    }),
  },
});

mutation('revokePersonalAccessToken', {
  description: 'Revokes a personal access token, which stops working immediately. For its user and administrators.',
  input: {
    description: 'Which personal access token to revoke.',
    argument: 'Names the token to revoke.',
    fields: (t) => ({ userId: accountField(t), id: token(t) }),
  },
  resolve: async (input, context, info) => ({
    personalAccessToken: await revokePersonalAccessToken(context, input, selectionAt(info, 'PersonalAccessToken')),
  }),
  payload: tokenPayload(REVOKED),
});

mutation('revokeImpersonationToken', {
  description: 'Revokes an impersonation token, which stops working immediately. For administrators.',
  input: {
    description: 'Which impersonation token to revoke.',
    argument: 'Names the token to revoke.',
    fields: (t) => ({ userId: actsAs(t), id: token(t) }),
  },
  resolve: async ({ userId, id }, context, info) => ({
    personalAccessToken: await revokeImpersonationToken(context, userId, id, selectionAt(info, 'PersonalAccessToken')),
  }),
  payload: tokenPayload(REVOKED),
});
