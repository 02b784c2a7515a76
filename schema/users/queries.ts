import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { onlyField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User, UserActivityConnection, UserConnection } from '#schema/users/types.ts';
import { requireActor } from '#src/access/actor.ts';
import { findUser, findViewer } from '#src/users/find.ts';
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
  active: onlyField(t, 'users who may sign in'),
  blocked: onlyField(t, 'users who are blocked'),
  search: t.string({
    description:
      'Only users with this text in name or username, or with this whole primary e-mail address; administrators find parts of it too.',
  }),
  username: t.string({ description: 'Only the user with this username, whatever the other filters.' }),
  external: onlyField(t, 'external users, for administrators: for others it does not filter'),
}));

const activityArgs = builder.args((t) => ({
  ...pageArgs,
  from: t.field({
    type: 'Date',
    description: 'Only users who were there on this day or later; 6 months ago when left out.',
  }),
}));

builder.queryFields((t) => ({
  viewer: t.field({
    type: User,
    description: 'The account of the caller.',
    resolve: (_root, _args, context, info) => findViewer(context, selectionAt(info, 'User')),
  }),
  user: t.field({
    type: User,
    description: 'A user.',
    args: { id: t.arg({ ...idOf('User'), required: true, description: 'ID of the user.' }) },
    resolve: (_root, { id }, context, info) => findUser(context, id, selectionAt(info, 'User')),
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
