import { builder } from '#schema/builder.ts';
import { User } from '#schema/users/types.ts';
import type { UserRow } from '#src/users/rows.ts';

export const UserPayload = builder.objectRef<{ user: UserRow }>('UserPayload').implement({
  description: 'The user as they are now.',
  fields: (t) => ({ user: t.expose('user', { type: User, description: 'The user.' }) }),
});

export const UserStatePayload = builder.objectRef<{ user: UserRow; changed: boolean }>('UserStatePayload').implement({
  description: 'The user as they are now, and whether that is new.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user.' }),
    changed: t.exposeBoolean('changed', { description: 'False when they were in that state already.' }),
  }),
});
