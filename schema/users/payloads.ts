import { builder } from '#schema/builder.ts';
import type { Known } from '#schema/records/types.ts';
import { User } from '#schema/users/types.ts';

export const UserPayload = builder.objectRef<{ user: Known<'User'> }>('UserPayload').implement({
  description: 'The user as they are now.',
  fields: (t) => ({ user: t.expose('user', { type: User, description: 'The user.' }) }),
});

export const UserStatePayload = builder
  .objectRef<{ user: Known<'User'>; changed: boolean }>('UserStatePayload')
  .implement({
    description: 'The user as they are now, and whether that is new.',
    fields: (t) => ({
      user: t.expose('user', { type: User, description: 'The user.' }),
      changed: t.exposeBoolean('changed', { description: 'False when they were in that state already.' }),
    }),
  });
