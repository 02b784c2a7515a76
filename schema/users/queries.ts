import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User, UserActivityConnection, UserConnection } from '#schema/users/types.ts';
import { requireActor } from '#src/access/actor.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { findUser, findUserByName, findViewer } from '#src/users/find.ts';
import { listActivities, listUsers } from '#src/users/list.ts';

const Version = builder.objectRef<{ version: string; revision: string }>('Version').implement({
  description: 'Which server this is.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the server.' }),
    revision: t.exposeString('revision', { description: 'Revision of its source.' }),
  }),
});

const userArgs = builder.args((t) => ({
  ...pageArgs,
  active: t.boolean({ description: 'Only those who may sign in; false does not filter.' }),
  blocked: t.boolean({ description: 'Only those who may not; false does not filter.' }),
  search: t.string({
    description:
      'Only those with this text in name or username, or with this whole primary e-mail address; administrators find parts of it too.',
  }),
  username: t.string({ description: 'The one with this username; the other filters do not count then.' }),
  external: t.boolean({ description: 'Only external ones. For administrators; others are not filtered.' }),
}));

const activityArgs = builder.args((t) => ({
  ...pageArgs,
  from: t.field({
    type: 'Date',
    description: 'Only those who were there on this day or later; 6 months ago if unset.',
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
    description: 'A user by numeric ID or by username, one of which must be given. For signed-in callers.',
    args: {
      databaseId: t.arg.int({ description: 'Numeric ID of the user, as the REST API uses it.' }),
      username: t.arg.string({ description: 'Username of the user, in any case.' }),
    },
    resolve: (_root, { databaseId, username }, context, info) => {
      const selection = selectionAt(info, 'User');
      if (databaseId != null && username == null) return findUser(context, databaseId, selection);
      if (databaseId == null && username != null) return findUserByName(context, username, selection);
      throw new BadRequest('Give either databaseId or username');
    },
  }),
  users: t.field({
    type: UserConnection,
    description: 'Users, newest first.',
    args: userArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listUsers(context, args, page, selectionAt(info, 'User'))),
  }),
  userActivities: t.field({
    type: UserActivityConnection,
    description: 'When users were last there, the longest absent first. For administrators.',
    args: activityArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listActivities(context, args.from, page, selectionAt(info, 'User'))),
  }),
  version: t.field({
    type: Version,
    description: 'Which server this is; for signed-in users.',
    resolve: (_root, _args, context) => {
      requireActor(context);
      return { version: context.version, revision: context.revision };
    },
  }),
}));
