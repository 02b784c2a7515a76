import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
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

const CreateAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description: 'A new access token of a project or group.',
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
});

const RotateAccessTokenInput = builder.inputType('RotateAccessTokenInput', {
  description: 'Which access token to replace, and until when the new one works.',
  fields: (t) => ({ ...placeFields(t, 'of the token'), id: token(t), expiresAt: renewed(t) }),
});

const RevokeAccessTokenInput = builder.inputType('RevokeAccessTokenInput', {
  description: 'Which access token to revoke.',
  fields: (t) => ({ ...placeFields(t, 'of the token'), id: token(t) }),
});

builder.mutationFields((t) => ({
  createAccessToken: t.field({
    type: tokenPayload('createAccessToken', NEW),
    description:
      'Creates an access token of a project or group: a bot becomes a member for as long as the token lasts. For masters of the project and owners of the group, who are no bots.',
    args: {
      input: t.arg({
        type: CreateAccessTokenInput,
        required: true,
        description: 'Place, name, scopes, level and expiry of the token.',
      }),
    },
    resolve: async (_root, { input: { project, group, ...input } }, context, info) => ({
      personalAccessToken: await createAccessToken(
        context,
        { project, group },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  rotateAccessToken: t.field({
    type: tokenPayload('rotateAccessToken', NEW),
    description:
      'Replaces an access token of a project or group by a new one, as `rotatePersonalAccessToken`. For masters of the project and owners of the group, who are no bots.',
    args: {
      input: t.arg({
        type: RotateAccessTokenInput,
        required: true,
        description: 'Names place and token, and when the new one expires.',
      }),
    },
    resolve: async (_root, { input: { project, group, ...input } }, context, info) => ({
      personalAccessToken: await rotateAccessToken(
        context,
        { project, group },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  revokeAccessToken: t.field({
    type: tokenPayload('revokeAccessToken', REVOKED),
    description:
      'Revokes an access token of a project or group, which stops working immediately. For masters of the project and owners of the group.',
    args: { input: t.arg({ type: RevokeAccessTokenInput, required: true, description: 'Names place and token.' }) },
    resolve: async (_root, { input: { project, group, id } }, context, info) => ({
      personalAccessToken: await revokeAccessToken(
        context,
        { project, group },
        id,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
}));
