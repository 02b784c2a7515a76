import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { values } from '#schema/enums.ts';
import { deployTokenFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { onlyField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { deployTokenOrder } from '#schema/orders.ts';
import { groupOfPlace, projectOfPlace } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { DeployScope } from '#src/access/permissions/scopes.ts';
import { findDeployToken, listAllDeployTokens, listDeployTokens } from '#src/domain/members/deploy_tokens/list.ts';

export const DeployTokenScope = builder.enumType('DeployTokenScope', {
  description: 'What a deploy token gives access to.',
  values: values<DeployScope>({
    READ_REPOSITORY: { value: 'read_repository', description: 'Fetching with git over HTTP.' },
    READ_REGISTRY: { value: 'read_registry', description: 'Pulling images from the container registry.' },
    WRITE_REGISTRY: { value: 'write_registry', description: 'Pushing images to the container registry.' },
    READ_PACKAGE_REGISTRY: { value: 'read_package_registry', description: 'Downloading packages of every kind.' },
    WRITE_PACKAGE_REGISTRY: { value: 'write_package_registry', description: 'Publishing packages of every kind.' },
  }),
});

export const DeployToken = builder.prismaObject('DeployToken', {
  description:
    'A credential without a user, for the repository, images and packages of a project, or of all projects below a group. Its text is only shown once.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the token, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('DeployToken', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the token, as the REST API uses it.' }),
    project: t.field(projectOfPlace),
    group: t.field(groupOfPlace),
    name: t.exposeString('name', { description: 'Name of the token, which says what it is for.' }),
    username: t.exposeString('username', { description: 'What clients send as the user name.' }),
    token: t.string({
      nullable: true,
      description: 'The text of the token, only returned when it is created; otherwise null.',
      resolve: ({ token }: { id: number; token?: string }) => token ?? null,
    }),
    scopes: t.field({
      type: [DeployTokenScope],
      description: 'What the token gives access to.',
      select: { scopes: true },
      resolve: ({ scopes }) => scopes as DeployScope[],
    }),
    revoked: t.exposeBoolean('revoked', { description: 'Whether the token was revoked.' }),
    expired: t.exposeBoolean('expired', { description: 'Whether the token has expired.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token stops working; null when it never expires.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the token was created.' }),
  }),
});

const DeployTokenConnection = connectionOf('DeployToken', DeployToken);

const listArgs = builder.args((t) => ({
  ...pageArgs,
  ...deployTokenFilter,
  ...deployTokenOrder('ID', 'asc'),
  active: onlyField(t, 'tokens that still work'),
}));

const tokenArgs = builder.args((t) => ({
  id: t.field({ ...idOf('DeployToken'), required: true, description: 'Global or numeric ID of the token.' }),
}));

builder.objectFields(Project, (t) => ({
  deployTokens: t.field({
    type: DeployTokenConnection,
    description: 'The deploy tokens of the project, oldest first. For its masters.',
    args: listArgs,
    resolve: (record, args, context, info) =>
      pageBelow(
        'DeployToken',
        { kind: 'project', record } as const,
        args,
        context,
        info,
        (...[, sources, page, selection]) => listDeployTokens(context, sources, args, page, selection),
      ),
  }),
  deployToken: t.field({
    type: DeployToken,
    description: 'A deploy token of the project by its ID. For masters of the project.',
    args: tokenArgs,
    resolve: (record, { id }, context, info) =>
      findDeployToken(context, { kind: 'project', record }, id, selectionAt(info, 'DeployToken')),
  }),
}));

builder.objectFields(Group, (t) => ({
  deployTokens: t.field({
    type: DeployTokenConnection,
    description: 'The deploy tokens of the group, oldest first. For its owners.',
    args: listArgs,
    resolve: (record, args, context, info) =>
      pageBelow(
        'DeployToken',
        { kind: 'group', record } as const,
        args,
        context,
        info,
        (...[, sources, page, selection]) => listDeployTokens(context, sources, args, page, selection),
      ),
  }),
  deployToken: t.field({
    type: DeployToken,
    description: 'A deploy token of the group by its ID. For owners of the group.',
    args: tokenArgs,
    resolve: (record, { id }, context, info) =>
      findDeployToken(context, { kind: 'group', record }, id, selectionAt(info, 'DeployToken')),
  }),
}));

builder.queryFields((t) => ({
  deployTokens: t.field({
    type: DeployTokenConnection,
    description: 'All deploy tokens of the server, oldest first. For administrators.',
    args: listArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listAllDeployTokens(context, args, page, selectionAt(info, 'DeployToken'))),
  }),
}));
