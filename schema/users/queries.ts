import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { UserState } from '#schema/enums.ts';
import { onlyField, sortField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { activityOrder } from '#schema/orders.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User, UserActivityConnection, UserConnection } from '#schema/users/types.ts';
import { requireAccount } from '#src/access/permissions/actor.ts';
import { findUser, findUserByName, findViewer } from '#src/domain/users/find.ts';
import { listActivities, listUsers } from '#src/domain/users/list.ts';
import { API_VERSION } from '#src/platform/api_version.ts';
import { BadRequest } from '#src/platform/errors.ts';

interface Build {
  version: string;
  revision: string;
}

const GantryBuild = builder.objectRef<Build>('GantryBuild').implement({
  description: 'The release of Gantry that the server runs.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of Gantry, such as `1.2.3`.' }),
    revision: t.exposeString('revision', { description: 'Hash of the commit from which the server was built.' }),
  }),
});

const Version = builder.objectRef<Build>('Version').implement({
  description: 'Version of the API, which clients compare, and what the server is.',
  fields: (t) => ({
    version: t.string({
      description:
        'Version of the REST API that the server offers, such as `17.11.0`: three integers that rise with what is added. For the version of Gantry see `gantry`.',
      resolve: () => API_VERSION,
    }),
    revision: t.exposeString('revision', { description: 'Hash of the commit from which the server was built.' }),
    enterprise: t.boolean({
      description: 'Whether the server is a paid edition; always false, as there is none.',
      resolve: () => false,
    }),
    gantry: t.field({
      type: GantryBuild,
      description: 'The release of Gantry that the server runs.',
      resolve: (build) => build,
    }),
  }),
});

const UserOrder = builder.enumType('UserOrder', {
  description: 'Ways to order users.',
  values: {
    ID: { value: 'id', description: 'By number, and so by age.' },
    NAME: { value: 'name', description: 'By display name, in alphabetical order.' },
    USERNAME: { value: 'username', description: 'By username, in alphabetical order.' },
    CREATED_AT: { value: 'created_at', description: 'By when the account was created.' },
    UPDATED_AT: { value: 'updated_at', description: 'By when the account last changed.' },
  } as const,
});

const TwoFactorFilter = builder.enumType('TwoFactorFilter', {
  description: 'Whether users have a second factor.',
  values: {
    ENABLED: { value: 'enabled', description: 'Users who sign in with a second factor.' },
    DISABLED: { value: 'disabled', description: 'Users who sign in without a second factor.' },
  } as const,
});

const IGNORED = 'ignored unless the caller is an administrator';

const UserFilter = builder.inputType('UserFilter', {
  description: 'Which users are listed, beyond the arguments.',
  fields: (t) => ({
    excludeActive: t.boolean({ description: 'Whether to leave out active users.' }),
    excludeExternal: t.boolean({ description: `Whether to leave out external users; ${IGNORED}.` }),
    excludeInternal: t.boolean({
      description: 'Whether to leave out users that the server made for itself. No list has them in any case.',
    }),
    humans: t.boolean({ description: 'Whether to only list people.' }),
    excludeHumans: t.boolean({ description: 'Whether to only list users of access tokens and service accounts.' }),
    withoutProjectBots: t.boolean({
      description:
        'Whether to leave out the users of access tokens of projects and groups, which service accounts are not.',
    }),
    createdBefore: t.field({ type: 'DateTime', description: 'Only users whose account was created before this.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Only users whose account was created after this.' }),
    twoFactor: t.field({
      type: TwoFactorFilter,
      description: `Only users with or without a second factor; ${IGNORED}.`,
    }),
    withoutProjects: t.boolean({
      description: `Whether to only list users who have no project and are members of none; ${IGNORED}.`,
    }),
    admins: t.boolean({ description: `Whether to only list administrators; ${IGNORED}.` }),
    publicEmail: t.string({ description: `Only the user with this public e-mail address; ${IGNORED}.` }),
    lastActivityBefore: t.field({
      type: 'Date',
      description: `Only users whose latest request was on a day (UTC) before this one; ${IGNORED}.`,
    }),
    lastActivityAfter: t.field({
      type: 'Date',
      description: `Only users whose latest request was on a day (UTC) after this one; ${IGNORED}.`,
    }),
    customAttributes: t.field({
      type: 'JSON',
      description: `Only users with all of these custom attributes: an object of values by their keys, at most 20; ${IGNORED}.`,
    }),
  }),
});

const userArgs = builder.args((t) => ({
  ...pageArgs,
  active: onlyField(t, 'active users'),
  blocked: onlyField(t, 'users who are blocked'),
  state: t.field({
    type: UserState,
    description: 'Only users in this state; ignored unless the caller is an administrator.',
  }),
  search: t.string({
    description:
      'Only users with this text in name or username, or with this whole e-mail address if it is public; administrators also find by parts of any primary address.',
  }),
  username: t.string({ description: 'Only the user with this username; other filters are ignored.' }),
  usernames: t.stringList({
    description: 'Only the users with these usernames, in any case, at most 100; other filters are ignored.',
  }),
  external: onlyField(t, 'external users; ignored unless the caller is an administrator'),
  provider: t.string({
    description:
      'Only the user with an account at this identity provider; together with `externUid`. For administrators.',
  }),
  externUid: t.string({
    description: 'Only the user with this ID at the identity provider; together with `provider`. For administrators.',
  }),
  skipLdap: onlyField(t, 'users without an account in a directory; ignored unless the caller is an administrator'),
  filter: t.field({ type: UserFilter, description: 'Which users are listed, beyond the other arguments.' }),
  orderBy: t.field({
    type: UserOrder,
    required: true,
    defaultValue: 'id',
    description: `What to sort the users by; ${IGNORED}.`,
  }),
  sort: sortField(t, 'desc'),
}));

const activityArgs = builder.args((t) => ({
  ...pageArgs,
  ...activityOrder('LAST_ACTIVITY_ON', 'asc'),
  from: t.field({
    type: 'Date',
    description: 'Only users whose latest request was on this day (UTC) or later; 6 months ago by default.',
  }),
}));

builder.queryFields((t) => ({
  viewer: t.field({
    type: User,
    nullable: true,
    description: 'The account of the caller; null, with the error UNAUTHENTICATED, for anonymous callers.',
    resolve: (_root, _args, context, info) => findViewer(context, selectionAt(info, 'User')),
  }),
  user: t.field({
    type: User,
    nullable: true,
    description:
      'A user by ID or by username, in one of three forms. Visitors without an account find those whose profile is not private.',
    args: {
      id: t.arg({ ...idOf('User'), description: 'ID of the user; not together with `username`.' }),
      username: t.arg.string({ description: 'Username of the user, in any case.' }),
      idOrUsername: t.arg.string({ description: 'Numeric ID of the user, or otherwise the username.' }),
    },
    resolve: (_root, { id, username, idOrUsername }, context, info) => {
      const selection = selectionAt(info, 'User');
      if ([id, username, idOrUsername].filter((one) => one != null).length !== 1)
        throw new BadRequest('Give one of id, username and idOrUsername');
      const number = id ?? (/^[1-9]\d{0,8}$/.test(idOrUsername ?? '') ? Number(idOrUsername) : null);
      if (number !== null) return findUser(context, number, selection);
      return findUserByName(context, username ?? idOrUsername ?? '', selection);
    },
  }),
  users: t.field({
    type: UserConnection,
    description: 'All users of the server, newest first. For signed-in callers.',
    args: userArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => {
        const order = { by: args.orderBy, direction: args.sort };
        return listUsers(context, { ...args, more: args.filter, order }, page, selectionAt(info, 'User'));
      }),
  }),
  userActivities: t.field({
    type: UserActivityConnection,
    description: 'The days of the users’ latest requests, least recent first. For administrators.',
    args: activityArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listActivities(context, args.from, page, selectionAt(info, 'User'))),
  }),
  version: t.field({
    type: Version,
    description: 'Version of the API, and what the server is. For signed-in callers.',
    resolve: (_root, _args, context) => {
      requireAccount(context);
      return { version: context.version, revision: context.revision };
    },
  }),
}));
