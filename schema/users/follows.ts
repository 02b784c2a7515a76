import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User, UserConnection } from '#schema/users/types.ts';
import { findUser } from '#src/domain/users/find.ts';
import { followsThem, followUser, listFollows } from '#src/domain/users/follow.ts';

builder.objectFields(User, (t) => ({
  followers: t.field({
    type: UserConnection,
    description: 'The users who follow the user, the newest accounts first; none for a private profile of another.',
    args: pageArgs,
    resolve: ({ id }, args, context, info) =>
      pageBelow('User', id, args, context, info, (_context, ids, page, selection) =>
        listFollows(context, ids, 'followers', page, selection),
      ),
  }),
  following: t.field({
    type: UserConnection,
    description: 'The users whom the user follows, the newest accounts first; none for a private profile of another.',
    args: pageArgs,
    resolve: ({ id }, args, context, info) =>
      pageBelow('User', id, args, context, info, (_context, ids, page, selection) =>
        listFollows(context, ids, 'following', page, selection),
      ),
  }),
  viewerFollows: t.boolean({
    description: 'Whether the caller follows the user. For signed-in callers.',
    resolve: (user, _args, context, info) =>
      // Nobody follows themself; and who is signing in asks for nobody else.
      'isOwn' in user && user.isOwn
        ? false
        : loaderAt(context, info, { key: 'follows' }, (ids: readonly number[]) => followsThem(context, ids)).load(
            user.id,
          ),
  }),
}));

const who = (what: string) => (t: InputFields) => ({
  userId: t.field({ ...idOf('User'), required: true, description: `ID of the user ${what}.` }),
});

const payload: Payload<{ id: number }> = {
  description: 'The user after the mutation.',
  fields: (t) => ({
    user: t.field({
      type: User,
      description: 'The user, with who follows them now.',
      resolve: ({ id }, _args, context, info) => findUser(context, id, selectionAt(info, 'User')),
    }),
  }),
};

mutation('followUser', {
  description: 'Follows a user: at most 300. `changed` is false if the caller does already, and for the caller.',
  input: {
    description: 'The user to follow.',
    argument: 'The user whom the caller is to follow.',
    fields: who('to follow'),
  },
  resolve: async ({ userId: id }, context) => ({ id, changed: await followUser(context, id, true) }),
  payload: toldChanged(payload),
});

mutation('unfollowUser', {
  description: 'Follows a user no longer. `changed` is false if the caller does not.',
  input: {
    description: 'The user to follow no longer.',
    argument: 'The user whom the caller is to follow no longer.',
    fields: who('to follow no longer'),
  },
  resolve: async ({ userId: id }, context) => ({ id, changed: await followUser(context, id, false) }),
  payload: toldChanged(payload),
});
