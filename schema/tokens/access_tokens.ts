import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
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
import { currentAccessTokenOf, findAccessToken, listAccessTokens } from '#src/domain/members/access_tokens/list.ts';
import {
  createAccessToken,
  revokeAccessToken,
  rotateAccessToken,
  rotateCurrentAccessTokenOf,
} from '#src/domain/members/access_tokens/save.ts';

const listArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: PersonalAccessTokenFilter, description: 'Which tokens to list; all when left out.' }),
  orderBy: t.field({
    type: PersonalAccessTokenOrder,
    required: true,
    defaultValue: 'created_asc',
    description: 'Order of the tokens.',
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
  currentAccessToken: t.field({
    type: PersonalAccessToken,
    nullable: true,
    description: 'The access token of the project that the request is made with. An error for other credentials.',
    resolve: (record, _args, context, info) =>
      currentAccessTokenOf(context, { kind: 'project', record }, selectionAt(info, 'PersonalAccessToken')),
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
  currentAccessToken: t.field({
    type: PersonalAccessToken,
    nullable: true,
    description: 'The access token of the group that the request is made with. An error for other credentials.',
    resolve: (record, _args, context, info) =>
      currentAccessTokenOf(context, { kind: 'group', record }, selectionAt(info, 'PersonalAccessToken')),
  }),
}));

/** The values of a new access token; `upTo` is the highest level. */
const values = (t: InputFields, upTo: string) => ({
  ...made(t),
  accessLevel: t.field({
    type: AccessLevel,
    required: true,
    defaultValue: 40,
    description: `The access level of the token’s bot: up to ${upTo}, and no higher than the caller’s own.`,
  }),
});

const CreateProjectAccessTokenInput = builder.inputType('CreateProjectAccessTokenInput', {
  description: 'A new access token of a project.',
  fields: (t) => ({ project: projectField(t, 'that the token is for'), ...values(t, 'MASTER') }),
});

const CreateGroupAccessTokenInput = builder.inputType('CreateGroupAccessTokenInput', {
  description: 'A new access token of a group.',
  fields: (t) => ({ group: groupField(t, 'that the token is for'), ...values(t, 'OWNER') }),
});

const RotateProjectAccessTokenInput = builder.inputType('RotateProjectAccessTokenInput', {
  description: 'Which access token of a project to replace, and until when the new one works.',
  fields: (t) => ({ project: projectField(t, 'of the token'), id: token(t), expiresAt: renewed(t) }),
});

const RotateGroupAccessTokenInput = builder.inputType('RotateGroupAccessTokenInput', {
  description: 'Which access token of a group to replace, and until when the new one works.',
  fields: (t) => ({ group: groupField(t, 'of the token'), id: token(t), expiresAt: renewed(t) }),
});

const RotateCurrentProjectAccessTokenInput = builder.inputType('RotateCurrentProjectAccessTokenInput', {
  description: 'The project of the token that the request is made with, and until when the new one works.',
  fields: (t) => ({ project: projectField(t, 'of the token'), expiresAt: renewed(t) }),
});

const RotateCurrentGroupAccessTokenInput = builder.inputType('RotateCurrentGroupAccessTokenInput', {
  description: 'The group of the token that the request is made with, and until when the new one works.',
  fields: (t) => ({ group: groupField(t, 'of the token'), expiresAt: renewed(t) }),
});

const RevokeProjectAccessTokenInput = builder.inputType('RevokeProjectAccessTokenInput', {
  description: 'Which access token of a project to revoke.',
  fields: (t) => ({ project: projectField(t, 'of the token'), id: token(t) }),
});

const RevokeGroupAccessTokenInput = builder.inputType('RevokeGroupAccessTokenInput', {
  description: 'Which access token of a group to revoke.',
  fields: (t) => ({ group: groupField(t, 'of the token'), id: token(t) }),
});

const ROTATES =
  'the old one stops working immediately. Rotating a revoked token revokes the tokens that took its place.';

builder.mutationFields((t) => ({
  createProjectAccessToken: t.field({
    type: tokenPayload('createProjectAccessToken', NEW),
    description:
      'Creates an access token of a project: a bot becomes a member of the project for as long as the token lasts. For masters of the project who are no bots.',
    args: {
      input: t.arg({
        type: CreateProjectAccessTokenInput,
        required: true,
        description: 'Project, name, scopes, level and expiry of the token.',
      }),
    },
    resolve: async (_root, { input: { project, ...input } }, context, info) => ({
      personalAccessToken: await createAccessToken(
        context,
        { kind: 'project', ref: project },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  createGroupAccessToken: t.field({
    type: tokenPayload('createGroupAccessToken', NEW),
    description:
      'Creates an access token of a group: a bot becomes a member of the group for as long as the token lasts. For owners of the group who are no bots.',
    args: {
      input: t.arg({
        type: CreateGroupAccessTokenInput,
        required: true,
        description: 'Group, name, scopes, level and expiry of the token.',
      }),
    },
    resolve: async (_root, { input: { group, ...input } }, context, info) => ({
      personalAccessToken: await createAccessToken(
        context,
        { kind: 'group', ref: group },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  rotateProjectAccessToken: t.field({
    type: tokenPayload('rotateProjectAccessToken', NEW),
    description: `Replaces an access token of a project by a new one; ${ROTATES} For masters of the project who are no bots.`,
    args: {
      input: t.arg({
        type: RotateProjectAccessTokenInput,
        required: true,
        description: 'Names project and token, and when the new one expires.',
      }),
    },
    resolve: async (_root, { input: { project, ...input } }, context, info) => ({
      personalAccessToken: await rotateAccessToken(
        context,
        { kind: 'project', ref: project },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  rotateGroupAccessToken: t.field({
    type: tokenPayload('rotateGroupAccessToken', NEW),
    description: `Replaces an access token of a group by a new one; ${ROTATES} For owners of the group who are no bots.`,
    args: {
      input: t.arg({
        type: RotateGroupAccessTokenInput,
        required: true,
        description: 'Names group and token, and when the new one expires.',
      }),
    },
    resolve: async (_root, { input: { group, ...input } }, context, info) => ({
      personalAccessToken: await rotateAccessToken(
        context,
        { kind: 'group', ref: group },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  rotateCurrentProjectAccessToken: t.field({
    type: tokenPayload('rotateCurrentProjectAccessToken', NEW),
    description: `Replaces the access token of a project that the request is made with by a new one; ${ROTATES}`,
    args: {
      input: t.arg({
        type: RotateCurrentProjectAccessTokenInput,
        required: true,
        description: 'The project, and when the new token expires.',
      }),
    },
    resolve: async (_root, { input: { project, ...input } }, context, info) => ({
      personalAccessToken: await rotateCurrentAccessTokenOf(
        context,
        { kind: 'project', ref: project },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  rotateCurrentGroupAccessToken: t.field({
    type: tokenPayload('rotateCurrentGroupAccessToken', NEW),
    description: `Replaces the access token of a group that the request is made with by a new one; ${ROTATES}`,
    args: {
      input: t.arg({
        type: RotateCurrentGroupAccessTokenInput,
        required: true,
        description: 'The group, and when the new token expires.',
      }),
    },
    resolve: async (_root, { input: { group, ...input } }, context, info) => ({
      personalAccessToken: await rotateCurrentAccessTokenOf(
        context,
        { kind: 'group', ref: group },
        input,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  revokeProjectAccessToken: t.field({
    type: tokenPayload('revokeProjectAccessToken', REVOKED),
    description: 'Revokes an access token of a project, which stops working immediately. For masters of the project.',
    args: {
      input: t.arg({ type: RevokeProjectAccessTokenInput, required: true, description: 'Names project and token.' }),
    },
    resolve: async (_root, { input: { project, id } }, context, info) => ({
      personalAccessToken: await revokeAccessToken(
        context,
        { kind: 'project', ref: project },
        id,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
  revokeGroupAccessToken: t.field({
    type: tokenPayload('revokeGroupAccessToken', REVOKED),
    description: 'Revokes an access token of a group, which stops working immediately. For owners of the group.',
    args: {
      input: t.arg({ type: RevokeGroupAccessTokenInput, required: true, description: 'Names group and token.' }),
    },
    resolve: async (_root, { input: { group, id } }, context, info) => ({
      personalAccessToken: await revokeAccessToken(
        context,
        { kind: 'group', ref: group },
        id,
        selectionAt(info, 'PersonalAccessToken'),
      ),
    }),
  }),
}));
