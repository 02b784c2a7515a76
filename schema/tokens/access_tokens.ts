import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { made, NEW, REVOKED, renewed, token, tokenPayload } from '#schema/tokens/mutations.ts';
import {
  PersonalAccessToken,
  PersonalAccessTokenConnection,
  PersonalAccessTokenFilter,
  PersonalAccessTokenOrder,
} from '#schema/tokens/types.ts';
import { findAccessToken, listAccessTokens } from '#src/domain/members/access_tokens/list.ts';
import { createAccessToken, revokeAccessToken, rotateAccessToken } from '#src/domain/members/access_tokens/save.ts';

const listArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: PersonalAccessTokenFilter, description: 'Which tokens to list; all when left out.' }),
  orderBy: t.field({
    type: PersonalAccessTokenOrder,
    required: true,
    defaultValue: 'created_asc',
    description: 'In which order they are.',
  }),
}));

const tokenArgs = builder.args((t) => ({
  id: t.field({ ...idOf('PersonalAccessToken'), required: true, description: 'Global or numeric ID of the token.' }),
}));

builder.objectFields(Project, (t) => ({
  accessTokens: t.field({
    type: PersonalAccessTokenConnection,
    description: 'The access tokens of the project, which act as bots that are members of it. For its masters.',
    args: listArgs,
    resolve: (record, { filter, orderBy, ...args }, context, info) =>
      pageBelow(
        'PersonalAccessToken',
        { kind: 'project', record } as const,
        args,
        context,
        info,
        (...[, sources, page, selection]) =>
          listAccessTokens(context, sources, { filter: filter ?? { state: 'all' }, order: orderBy }, page, selection),
      ),
  }),
  accessToken: t.field({
    type: PersonalAccessToken,
    description: 'An access token of the project by its ID. For masters of the project.',
    args: tokenArgs,
    resolve: (record, { id }, context, info) =>
      findAccessToken(context, { kind: 'project', record }, id, selectionAt(info, 'PersonalAccessToken')),
  }),
}));

builder.objectFields(Group, (t) => ({
  accessTokens: t.field({
    type: PersonalAccessTokenConnection,
    description: 'The access tokens of the group, which act as bots that are members of it. For its owners.',
    args: listArgs,
    resolve: (record, { filter, orderBy, ...args }, context, info) =>
      pageBelow(
        'PersonalAccessToken',
        { kind: 'group', record } as const,
        args,
        context,
        info,
        (...[, sources, page, selection]) =>
          listAccessTokens(context, sources, { filter: filter ?? { state: 'all' }, order: orderBy }, page, selection),
      ),
  }),
  accessToken: t.field({
    type: PersonalAccessToken,
    description: 'An access token of the group by its ID. For owners of the group.',
    args: tokenArgs,
    resolve: (record, { id }, context, info) =>
      findAccessToken(context, { kind: 'group', record }, id, selectionAt(info, 'PersonalAccessToken')),
  }),
}));

mutation('createAccessToken', {
  description:
    'Creates an access token of a project or group: a bot becomes a member for as long as the token lasts. For masters of the project and owners of the group, who are no bots.',
  input: {
    description: 'A new access token of a project or group.',
    argument: 'Place, name, scopes, level and expiry of the token.',
    fields: (t) => ({
      ...placeFields(t, 'that the token is for'),
      ...made(t),
      accessLevel: t.field({
        type: AccessLevel,
        required: true,
        defaultValue: 40,
        description:
          'The access level of the token’s bot: up to MASTER in projects and OWNER in groups, and no higher than the caller’s own.',
      }),
    }),
  },
  resolve: async ({ project, group, ...input }, context, info) => ({
    personalAccessToken: await createAccessToken(
      context,
      { project, group },
      input,
      selectionAt(info, 'PersonalAccessToken'),
    ),
  }),
  payload: tokenPayload(NEW),
});

mutation('rotateAccessToken', {
  description:
    'Replaces an access token of a project or group by a new one, as `rotatePersonalAccessToken`. For masters of the project and owners of the group, who are no bots.',
  input: {
    description: 'Which access token to replace, and until when the new one works.',
    argument: 'Names place and token, and when the new one expires.',
    fields: (t) => ({ ...placeFields(t, 'of the token'), id: token(t), expiresAt: renewed(t) }),
  },
  resolve: async ({ project, group, ...input }, context, info) => ({
    personalAccessToken: await rotateAccessToken(
      context,
      { project, group },
      input,
      selectionAt(info, 'PersonalAccessToken'),
    ),
  }),
  payload: tokenPayload(NEW),
});

mutation('revokeAccessToken', {
  description:
    'Revokes an access token of a project or group, which stops working immediately. For masters of the project and owners of the group.',
  input: {
    description: 'Which access token to revoke.',
    argument: 'Names place and token.',
    fields: (t) => ({ ...placeFields(t, 'of the token'), id: token(t) }),
  },
  resolve: async ({ project, group, id }, context, info) => ({
    personalAccessToken: await revokeAccessToken(
      context,
      { project, group },
      id,
      selectionAt(info, 'PersonalAccessToken'),
    ),
  }),
  payload: tokenPayload(REVOKED),
});
