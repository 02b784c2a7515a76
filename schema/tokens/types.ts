import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { TokenScope } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { User } from '#schema/users/types.ts';
import type { TokenScope as Reach } from '#src/access/tokens/create.ts';
import {
  findToken,
  listImpersonationTokens,
  listPersonalAccessTokens,
  type TokenRow,
  type TokenState,
} from '#src/access/tokens/list.ts';

const TokenStateFilter = builder.enumType('TokenStateFilter', {
  description: 'Which tokens a list holds.',
  values: {
    ALL: { value: 'all', description: 'Tokens in any state.' },
    ACTIVE: { value: 'active', description: 'Only tokens that work.' },
    INACTIVE: { value: 'inactive', description: 'Only tokens that are revoked or expired.' },
  } as const satisfies Record<string, { value: TokenState; description: string }>,
});

export const PersonalAccessToken = builder.objectRef<TokenRow>('PersonalAccessToken');
PersonalAccessToken.implement({
  description: 'A token of a user, which itself is shown once: where it is made.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('PersonalAccessToken', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'What it is for.' }),
    token: t.string({
      nullable: true,
      description: 'The token itself, in the answer to its creation; null ever after.',
      resolve: ({ token }) => token ?? null,
    }),
    scopes: t.field({
      type: [TokenScope],
      description: 'What the token reaches.',
      resolve: ({ scopes }) => scopes as Reach[],
    }),
    active: t.exposeBoolean('active', { description: 'Whether it is neither revoked nor expired.' }),
    revoked: t.exposeBoolean('revoked', { description: 'Whether it was revoked.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'First day (UTC) on which it is inactive; null when it never expires.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the hour; null when it never was.',
    }),
    impersonation: t.exposeBoolean('impersonation', {
      description: 'Whether an administrator made it, to act as the user.',
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
    description: 'Tokens that they made, oldest first. For administrators and the user.',
    args: tokenArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listPersonalAccessTokens(context, id, args.state, page)),
  }),
  impersonationTokens: t.field({
    type: PersonalAccessTokenConnection,
    description: 'Tokens with which administrators act as them, oldest first. For administrators.',
    args: tokenArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listImpersonationTokens(context, id, args.state, page)),
  }),
  impersonationToken: t.field({
    type: PersonalAccessToken,
    description: 'One of the tokens with which administrators act as them. For administrators.',
    args: { id: t.arg({ ...idOf('PersonalAccessToken'), required: true, description: 'ID of the token.' }) },
    resolve: (user, { id }, context) => findToken(context, user.id, id, true),
  }),
}));
