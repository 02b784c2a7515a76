import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { TokenScope } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { User } from '#schema/users/types.ts';
import type { TokenScope as Reach } from '#src/access/credentials/tokens/create.ts';
import {
  findToken,
  listImpersonationTokens,
  listPersonalAccessTokens,
  type TokenRow,
  type TokenState,
} from '#src/access/credentials/tokens/list.ts';

const TokenStateFilter = builder.enumType('TokenStateFilter', {
  description: 'Filters tokens by whether they still work.',
  values: {
    ALL: { value: 'all', description: 'Tokens in any state.' },
    ACTIVE: { value: 'active', description: 'Only tokens that still work.' },
    INACTIVE: { value: 'inactive', description: 'Only tokens that are revoked or expired.' },
  } as const satisfies Record<string, { value: TokenState; description: string }>,
});

export const PersonalAccessToken = builder.objectRef<TokenRow>('PersonalAccessToken');
PersonalAccessToken.implement({
  description: 'A token to call the API as a user. Its text is only shown once.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the token, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('PersonalAccessToken', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the token, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'Name of the token, which says what it is for.' }),
    token: t.string({
      nullable: true,
      description: 'The text of the token, only returned when it is created; otherwise null.',
      resolve: ({ token }) => token ?? null,
    }),
    scopes: t.field({
      type: [TokenScope],
      description: 'What the token gives access to.',
      resolve: ({ scopes }) => scopes as Reach[],
    }),
    active: t.exposeBoolean('active', {
      description: 'Whether the token still works: it is neither revoked nor expired.',
    }),
    revoked: t.exposeBoolean('revoked', { description: 'Whether the token was revoked.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'The token stops working at 00:00 UTC on this day; null when it never expires.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the token was created.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token was last used, accurate to the hour; null if never.',
    }),
    impersonation: t.exposeBoolean('impersonation', {
      description: 'Whether an administrator created the token to act as the user.',
    }),
  }),
});

export const PersonalAccessTokenConnection = connectionOf('PersonalAccessToken', PersonalAccessToken);

const tokenArgs = builder.args((t) => ({
  ...pageArgs,
  state: t.field({
    type: TokenStateFilter,
    required: true,
    defaultValue: 'all',
    description: 'Only tokens in this state.',
  }),
}));

builder.objectFields(User, (t) => ({
  personalAccessTokens: t.field({
    type: PersonalAccessTokenConnection,
    description: 'The personal access tokens of the user, oldest first. For administrators and the user.',
    args: tokenArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listPersonalAccessTokens(context, id, args.state, page)),
  }),
  impersonationTokens: t.field({
    type: PersonalAccessTokenConnection,
    description: 'The tokens that administrators use to act as the user, oldest first. For administrators.',
    args: tokenArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listImpersonationTokens(context, id, args.state, page)),
  }),
  impersonationToken: t.field({
    type: PersonalAccessToken,
    description: 'A token that administrators use to act as the user, by its ID. For administrators.',
    args: {
      id: t.arg({
        ...idOf('PersonalAccessToken'),
        required: true,
        description: 'Global or numeric ID of the token.',
      }),
    },
    resolve: (user, { id }, context) => findToken(context, user.id, id, true),
  }),
}));
