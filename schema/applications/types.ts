import { builder } from '#schema/builder.ts';
import { connectionOf, loadCountedPage, loadPage, pageArgs } from '#schema/connection.ts';
import { OAuthScope } from '#schema/enums.ts';
import { applicationFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { applicationOrder } from '#schema/orders.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import type { Scope } from '#src/access/permissions/scopes.ts';
import { type AuthorizedRow, listAuthorized } from '#src/domain/applications/authorized.ts';
import {
  type ApplicationRow,
  findApplication,
  listAllApplications,
  listApplications,
} from '#src/domain/applications/find.ts';

export const OAuthApplication = builder.prismaObject('OAuthApplication', {
  description: 'A program that users may authorize to act for them through OAuth 2.0.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the application, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('OAuthApplication', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the application.' }),
    applicationId: t.exposeString('uid', {
      description: 'Public identifier of the application: the `client_id` of OAuth.',
    }),
    secret: t.string({
      nullable: true,
      description:
        'The `client_secret`, only returned when it is created or renewed; otherwise null, and for public applications.',
      resolve: ({ secret }: Pick<ApplicationRow, 'id' | 'secret'>) => secret ?? null,
    }),
    name: t.exposeString('name', { description: 'Name of the application, as users see it when they authorize it.' }),
    redirectUris: t.exposeStringList('redirectUris', {
      description: 'The URLs that users can be redirected to; they must match exactly.',
    }),
    callbackUrl: t.string({
      description: 'The redirect URIs as one text, with one in each line, as the REST API returns them.',
      select: { redirectUris: true },
      resolve: ({ redirectUris }) => redirectUris.join('\n'),
    }),
    scopes: t.field({
      type: [OAuthScope],
      description: 'The scopes that the application can request.',
      select: { scopes: true },
      resolve: ({ scopes }) => scopes as Scope[],
    }),
    confidential: t.exposeBoolean('confidential', {
      description: 'Whether the application has a secret. Native and single-page apps do not.',
    }),
    ownerId: t.exposeInt('ownerId', {
      nullable: true,
      description: 'Numeric ID of the user who registered it; see also `owner`. Null for one that registered itself.',
    }),
    owner: t.relation('owner', {
      nullable: true,
      description: 'The user who registered the application; null for one that registered itself.',
    }),
    selfRegistered: t.boolean({
      description:
        'Whether the application registered itself (RFC 7591): nobody has checked its name. It is deleted a day later unless somebody authorizes it, and when nobody uses it any more.',
      select: { ownerId: true },
      resolve: ({ ownerId }) => ownerId === null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the application was registered.' }),
  }),
});

const OAuthApplicationConnection = connectionOf('OAuthApplication', OAuthApplication);

export const AuthorizedApplication = builder.objectRef<AuthorizedRow>('AuthorizedApplication');
AuthorizedApplication.implement({
  description: 'An application that a user has authorized to act for them.',
  fields: (t) => ({
    applicationDatabaseId: t.exposeInt('applicationId', {
      nullable: true,
      description:
        'Numeric ID of the application; null for access granted in exchange for a password, without an application.',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description:
        'Name of the application; null for access granted in exchange for a password, without an application.',
    }),
    ownerUsername: t.exposeString('owner', {
      nullable: true,
      description: 'Username of the user who registered the application; null without an application.',
    }),
    owner: t.expose('ownerUser', {
      type: User,
      nullable: true,
      description: 'The user who registered the application; null without an application.',
    }),
    scopes: t.exposeStringList('scopes', { description: 'Scopes that the user granted.' }),
    authorizedAt: t.expose('since', {
      type: 'DateTime',
      description: 'When the user first authorized the application.',
    }),
  }),
});

const AuthorizedApplicationConnection = connectionOf('AuthorizedApplication', AuthorizedApplication);

builder.objectFields(User, (t) => ({
  oauthApplications: t.field({
    type: OAuthApplicationConnection,
    description: 'The OAuth applications that the user registered, oldest first. For administrators and the user.',
    args: { ...pageArgs, ...applicationFilter, ...applicationOrder('ID', 'asc') },
    resolve: ({ id }, args, context, info) => pageBelow('OAuthApplication', id, args, context, info, listApplications),
  }),
  authorizedApplications: t.field({
    type: AuthorizedApplicationConnection,
    description: 'The applications that the user authorized, by name. For administrators and the user.',
    args: pageArgs,
    resolve: ({ id }, args, context, info) =>
      loadCountedPage(args, info, (page) => listAuthorized(context, id, page, selectionAt(info, 'User'))),
  }),
}));

builder.queryFields((t) => ({
  oauthApplication: t.field({
    type: OAuthApplication,
    description: 'An OAuth application of the caller by its ID; for administrators, any application.',
    args: {
      id: t.arg({
        ...idOf('OAuthApplication'),
        required: true,
        description: 'Global or numeric ID of the application.',
      }),
    },
    resolve: (_root, { id }, context, info) => findApplication(context, id, selectionAt(info, 'OAuthApplication')),
  }),
  oauthApplications: t.field({
    type: OAuthApplicationConnection,
    description: 'All OAuth applications of the server, oldest first. For administrators.',
    args: { ...pageArgs, ...applicationFilter, ...applicationOrder('ID', 'asc') },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listAllApplications(context, page, selectionAt(info, 'OAuthApplication'))),
  }),
}));
