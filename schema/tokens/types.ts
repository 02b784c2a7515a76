import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { AccessLevel, TokenScope } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import {
  findToken,
  findTokenOf,
  listImpersonationTokens,
  listPersonalAccessTokens,
  listTokens,
  type TokenOrder,
  type TokenState,
} from '#src/access/credentials/tokens/list.ts';
import type { TokenScope as Reach } from '#src/access/permissions/scopes.ts';
import { currentTokenIn } from '#src/domain/members/access_tokens/list.ts';

const TokenStateFilter = builder.enumType('TokenStateFilter', {
  description: 'Filters tokens by whether they still work.',
  values: {
    ALL: { value: 'all', description: 'Tokens in any state.' },
    ACTIVE: { value: 'active', description: 'Only tokens that still work.' },
    INACTIVE: { value: 'inactive', description: 'Only tokens that are revoked or expired.' },
  } as const satisfies Record<string, { value: TokenState; description: string }>,
});

export const PersonalAccessToken = builder.prismaObject('PersonalAccessToken', {
  description: 'A token to call the API as a user. Its text is only shown once.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the token, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('PersonalAccessToken', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the token, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'Name of the token, which says what it is for.' }),
    description: t.exposeString('description', { nullable: true, description: 'More about what the token is for.' }),
    token: t.string({
      nullable: true,
      description: 'The text of the token, only returned when it is created; otherwise null.',
      resolve: ({ token }: { id: number; token?: string }) => token ?? null,
    }),
    userId: t.exposeInt('userId', { description: 'Numeric ID of the user that the token acts as; see also `user`.' }),
    user: t.relation('user', { description: 'The user that the token acts as.' }),
    scopes: t.field({
      type: [TokenScope],
      description: 'What the token gives access to.',
      select: { scopes: true },
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
      description: 'When the token was last used, accurate to ten minutes; null if never.',
    }),
    accessLevel: t.expose('accessLevel', {
      type: AccessLevel,
      nullable: true,
      description:
        'What the token can do in the project or group that it is for; null for tokens of people, and if its bot is no member any more.',
    }),
    impersonation: t.exposeBoolean('impersonation', {
      description: 'Whether an administrator created the token to act as the user.',
    }),
  }),
});

export const PersonalAccessTokenConnection = connectionOf('PersonalAccessToken', PersonalAccessToken);

export const PersonalAccessTokenOrder = builder.enumType('PersonalAccessTokenOrder', {
  description:
    'Ways to order personal access tokens. Those that never expire, or were never used, count as the latest.',
  values: {
    CREATED_ASC: { value: 'created_asc', description: 'By when they were created, oldest first.' },
    CREATED_DESC: { value: 'created_desc', description: 'By when they were created, newest first.' },
    EXPIRES_ASC: { value: 'expires_asc', description: 'By when they expire, soonest first.' },
    EXPIRES_DESC: { value: 'expires_desc', description: 'By when they expire, latest first.' },
    LAST_USED_ASC: { value: 'last_used_asc', description: 'By when they were last used, earliest first.' },
    LAST_USED_DESC: { value: 'last_used_desc', description: 'By when they were last used, latest first.' },
    NAME_ASC: { value: 'name_asc', description: 'By name, from A to Z.' },
    NAME_DESC: { value: 'name_desc', description: 'By name, from Z to A.' },
  } as const satisfies Record<string, { value: TokenOrder; description: string }>,
});

export const PersonalAccessTokenFilter = builder.inputType('PersonalAccessTokenFilter', {
  description: 'Which personal access tokens a list has: those that match all fields.',
  fields: (t) => ({
    state: t.field({
      type: TokenStateFilter,
      required: true,
      defaultValue: 'all',
      description: 'Only tokens in this state.',
    }),
    revoked: t.boolean({ description: 'Only tokens that were revoked, or only those that were not.' }),
    search: t.string({ description: 'Only tokens with this text in their name, in any case.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Only tokens that were created then or later.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Only tokens that were created then or before.' }),
    lastUsedAfter: t.field({ type: 'DateTime', description: 'Only tokens that were last used then or later.' }),
    lastUsedBefore: t.field({ type: 'DateTime', description: 'Only tokens that were last used then or before.' }),
    expiresAfter: t.field({ type: 'Date', description: 'Only tokens that expire on this day or later.' }),
    expiresBefore: t.field({ type: 'Date', description: 'Only tokens that expire on this day or before.' }),
  }),
});

const tokenArgs = builder.args((t) => ({
  ...pageArgs,
  state: t.field({
    type: TokenStateFilter,
    required: true,
    defaultValue: 'all',
    description: 'Only tokens in this state.',
  }),
  filter: t.field({ type: PersonalAccessTokenFilter, description: 'Which tokens to list; all when left out.' }),
  orderBy: t.field({
    type: PersonalAccessTokenOrder,
    required: true,
    defaultValue: 'created_asc',
    description: 'In which order they are.',
  }),
}));

builder.objectFields(User, (t) => ({
  personalAccessTokens: t.field({
    type: PersonalAccessTokenConnection,
    description:
      'The personal access tokens of the user, oldest first unless said otherwise. For administrators and the user.',
    args: tokenArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) =>
        listPersonalAccessTokens(context, id, args, page, selectionAt(info, 'PersonalAccessToken')),
      ),
  }),
  impersonationTokens: t.field({
    type: PersonalAccessTokenConnection,
    description:
      'The tokens that administrators use to act as the user, oldest first unless said otherwise. For administrators.',
    args: tokenArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) =>
        listImpersonationTokens(context, id, args, page, selectionAt(info, 'PersonalAccessToken')),
      ),
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
    resolve: (user, { id }, context, info) =>
      findTokenOf(context, user.id, id, true, selectionAt(info, 'PersonalAccessToken')),
  }),
}));

builder.queryFields((t) => ({
  personalAccessTokens: t.field({
    type: PersonalAccessTokenConnection,
    description:
      'The personal access tokens of the caller. For administrators, the tokens of everybody, of every kind.',
    args: {
      ...pageArgs,
      userId: t.arg({
        ...idOf('User'),
        description: 'ID of the user whose tokens to list. Only administrators can name other users.',
      }),
      filter: t.arg({ type: PersonalAccessTokenFilter, description: 'Which tokens to list; all when left out.' }),
      orderBy: t.arg({
        type: PersonalAccessTokenOrder,
        required: true,
        defaultValue: 'created_asc',
        description: 'In which order they are.',
      }),
    },
    resolve: (_root, { userId, filter, orderBy, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listTokens(
          context,
          userId ?? null,
          filter ?? { state: 'all' },
          orderBy,
          page,
          selectionAt(info, 'PersonalAccessToken'),
        ),
      ),
  }),
  personalAccessToken: t.field({
    type: PersonalAccessToken,
    description: 'A personal access token of the caller by its ID; for administrators, any token.',
    args: {
      id: t.arg({ ...idOf('PersonalAccessToken'), required: true, description: 'Global or numeric ID of the token.' }),
    },
    resolve: (_root, { id }, context, info) => findToken(context, id, selectionAt(info, 'PersonalAccessToken')),
  }),
  currentAccessToken: t.field({
    type: PersonalAccessToken,
    description:
      'The personal access token that the request is made with; where a project or group is named, only if it is an access token of that. An error for other credentials.',
    args: {
      project: t.arg({ type: 'ProjectRef', description: 'The project that the token must be for.' }),
      group: t.arg({ type: 'GroupRef', description: 'The group that the token must be for.' }),
    },
    resolve: (_root, place, context, info) => currentTokenIn(context, place, selectionAt(info, 'PersonalAccessToken')),
  }),
}));
