import type { builder } from '#schema/builder.ts';
import { UserState } from '#schema/enums.ts';
import { avatarUrl, User } from '#schema/users/types.ts';
import type { UserRow } from '#src/users/rows.ts';

type Types = typeof builder.$inferSchemaTypes;

/** What a record about one user shows of that user, beside the user itself. */
export function userFields(t: PothosSchemaTypes.ObjectFieldBuilder<Types, { user: UserRow }>) {
  return {
    user: t.expose('user', { type: User, description: 'The user.' }),
    userId: t.int({ description: 'Numeric ID of the user.', resolve: ({ user }) => user.id }),
    username: t.string({ description: 'Username of the user.', resolve: ({ user }) => user.username }),
    name: t.string({ description: 'What people call the user.', resolve: ({ user }) => user.name }),
    state: t.field({
      type: UserState,
      description: 'Whether the user may sign in.',
      resolve: ({ user }) => user.state,
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'Address of the picture of the user; null when the server uses no avatar service.',
      resolve: ({ user }, _args, { avatars }) => (avatars ? avatarUrl(user.avatarHash) : null),
    }),
    webUrl: t.string({
      description: 'Address of the page of the user.',
      resolve: ({ user }, _args, { baseUrl }) => `${baseUrl}/${user.username}`,
    }),
  };
}
