import { builder } from '#schema/builder.ts';
import { connectionOf, loadCountedPage, loadPage, pageArgs } from '#schema/connection.ts';
import { OAuthScope } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import type { Scope } from '#src/access/scopes.ts';
import { type AuthorizedRow, listAuthorized } from '#src/applications/authorized.ts';
import { type ApplicationRow, findApplication, listAllApplications, listApplications } from '#src/applications/find.ts';

export const OAuthApplication = builder.prismaObject('OAuthApplication', {
  description: 'A program that users may let act for them.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('OAuthApplication', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID.' }),
    applicationId: t.exposeString('uid', { description: 'What OAuth calls client_id.' }),
    secret: t.string({
      nullable: true,
      description: 'The secret, in the answer to what made it; null ever after, and for public applications.',
      resolve: ({ secret }: Pick<ApplicationRow, 'id' | 'secret'>) => secret ?? null,
    }),
    name: t.exposeString('name', { description: 'As users are told.' }),
    redirectUris: t.exposeStringList('redirectUris', {
      description: 'Where users may be sent back to, to the letter.',
    }),
    scopes: t.field({
      type: [OAuthScope],
      description: 'What the application may ask users for.',
      select: { scopes: true },
      resolve: ({ scopes }) => scopes as Scope[],
    }),
    confidential: t.exposeBoolean('confidential', { description: 'Whether it has a secret.' }),
    ownerId: t.exposeInt('ownerId', { description: 'Numeric ID of the user who registered it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
  }),
});

const OAuthApplicationConnection = connectionOf('OAuthApplication', OAuthApplication);

const AuthorizedApplication = builder.objectRef<AuthorizedRow>('AuthorizedApplication');
AuthorizedApplication.implement({
  description: 'An application that a user let in.',
  fields: (t) => ({
    applicationDatabaseId: t.exposeInt('applicationId', {
      nullable: true,
      description: 'Numeric ID of the application; null for what was given for the password, to no application.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Of the application.' }),
    ownerUsername: t.exposeString('owner', { nullable: true, description: 'Who registered it.' }),
    scopes: t.exposeStringList('scopes', { description: 'What it may do.' }),
    authorizedAt: t.expose('since', { type: 'DateTime', description: 'When it was let in first.' }),
  }),
});

const AuthorizedApplicationConnection = connectionOf('AuthorizedApplication', AuthorizedApplication);

builder.objectFields(User, (t) => ({
  oauthApplications: t.field({
    type: OAuthApplicationConnection,
    description: 'Applications that they registered, oldest first. For administrators and the user.',
    args: pageArgs,
    resolve: ({ id }, args, context, info) => pageBelow('OAuthApplication', id, args, context, info, listApplications),
  }),
  authorizedApplications: t.field({
    type: AuthorizedApplicationConnection,
    description: 'Applications that they let in, by name. For administrators and the user.',
    args: pageArgs,
    resolve: ({ id }, args, context, info) => loadCountedPage(args, info, (page) => listAuthorized(context, id, page)),
  }),
}));

builder.queryFields((t) => ({
  oauthApplication: t.field({
    type: OAuthApplication,
    description: "One of the caller's own applications; for administrators any.",
    args: { id: t.arg({ ...idOf('OAuthApplication'), required: true, description: 'ID of the application.' }) },
    resolve: (_root, { id }, context, info) => findApplication(context, id, selectionAt(info, 'OAuthApplication')),
  }),
  oauthApplications: t.field({
    type: OAuthApplicationConnection,
    description: 'All applications, oldest first. For administrators.',
    args: pageArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listAllApplications(context, page, selectionAt(info, 'OAuthApplication'))),
  }),
}));
