import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { deployKeyFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { deployKeyOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import '#schema/users/types.ts';
import { findDeployKey, listAllDeployKeys, listDeployKeys } from '#src/domain/repository/deploy_keys/list.ts';

export const DeployKey = builder.prismaObject('DeployKey', {
  description: 'A public key that opens the repositories of one or more projects over SSH, without being a user’s.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the deploy key, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('DeployKey', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the deploy key, as the REST API uses it.' }),
    title: t.exposeString('title', { description: 'What the deploy key is for.' }),
    key: t.exposeString('key', {
      description: 'The public key in OpenSSH format, on one line: type, Base64 and comment.',
    }),
    fingerprint: t.exposeString('fingerprint', {
      description: 'MD5 fingerprint: hexadecimal pairs separated by colons.',
    }),
    fingerprintSha256: t.exposeString('fingerprintSha256', {
      description: 'SHA-256 fingerprint: base64 without padding.',
    }),
    canPush: t.exposeBoolean('canPush', {
      description: 'Whether the key can push, with the permissions of a developer; otherwise it can only fetch.',
    }),
    public: t.exposeBoolean('isPublic', {
      description: 'Whether masters of any project can enable the key there; administrators add such keys.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the deploy key was added.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute; null if never.',
    }),
    user: t.relation('user', {
      nullable: true,
      description: 'The user who added the key, on whose behalf it pushes; null if the user was deleted.',
    }),
  }),
});

const DeployKeyConnection = connectionOf('DeployKey', DeployKey);

builder.objectFields(Project, (t) => ({
  deployKeys: t.field({
    type: DeployKeyConnection,
    description: 'The deploy keys of the project, newest first. For masters.',
    args: { ...pageArgs, ...deployKeyFilter, ...deployKeyOrder('ID', 'desc') },
    resolve: (project, args, context, info) => pageBelow('DeployKey', project, args, context, info, listDeployKeys),
  }),
  deployKey: t.field({
    type: DeployKey,
    description: 'A deploy key of the project by its ID. For masters.',
    args: {
      id: t.arg({ ...idOf('DeployKey'), required: true, description: 'Global or numeric ID of the deploy key.' }),
    },
    resolve: (project, { id }, context, info) => findDeployKey(context, project, id, selectionAt(info, 'DeployKey')),
  }),
}));

builder.queryFields((t) => ({
  deployKeys: t.field({
    type: DeployKeyConnection,
    description: 'The deploy keys of all projects, newest first. For administrators.',
    args: { ...pageArgs, ...deployKeyFilter, ...deployKeyOrder('ID', 'desc') },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listAllDeployKeys(context, page, selectionAt(info, 'DeployKey'))),
  }),
}));
