import { builder } from '#schema/builder.ts';
import { namesOf } from '#schema/inputs.ts';
import type { Known } from '#schema/records/types.ts';
import { User } from '#schema/users/types.ts';

/** The payload of a mutation that creates or updates a user. */
export function userPayload(mutation: string, description = 'The user as they are now.') {
  return builder.objectRef<{ user: Known<'User'> }>(namesOf(mutation).payload).implement({
    description: 'The user after the mutation.',
    fields: (t) => ({ user: t.expose('user', { type: User, description }) }),
  });
}

/** The payload of a mutation that puts a user into a state, possibly the current one. */
export function userStatePayload(mutation: string) {
  return builder.objectRef<{ user: Known<'User'>; changed: boolean }>(namesOf(mutation).payload).implement({
    description: 'The user after the mutation, and whether it changed anything.',
    fields: (t) => ({
      user: t.expose('user', { type: User, description: 'The user as they are now.' }),
      changed: t.exposeBoolean('changed', { description: 'False when the user already was in that state.' }),
    }),
  });
}
