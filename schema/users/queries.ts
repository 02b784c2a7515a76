import { builder } from '#schema/builder.ts';
import { User, Viewer } from '#schema/users/types.ts';
import { requireAccount } from '#src/access/actor.ts';
import { findUser, findViewer } from '#src/users/find.ts';

const Version = builder.objectRef<{ version: string; revision: string }>('Version').implement({
  description: 'Which server this is.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the server.' }),
    revision: t.exposeString('revision', { description: 'Revision of its source.' }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({
    type: Viewer,
    description: 'The account of the caller.',
    resolve: (_root, _args, context) => findViewer(context),
  }),
  user: t.field({
    type: User,
    description: 'A user.',
    args: { databaseId: t.arg.int({ required: true, description: 'Numeric ID.' }) },
    resolve: (_root, { databaseId }, context) => findUser(context, databaseId),
  }),
  version: t.field({
    type: Version,
    description: 'Which server this is; for signed-in users.',
    resolve: (_root, _args, context) => {
      requireAccount(context);
      return { version: context.version, revision: context.revision };
    },
  }),
}));
