import type { Payload } from '#schema/mutation.ts';
import type { Known } from '#schema/records/types.ts';
import { User } from '#schema/users/types.ts';

/** The payload of a mutation that creates or updates a user. */
export function userPayload(description = 'The user as they are now.'): Payload<{ user: Known<'User'> }> {
  return {
    description: 'The user after the mutation.',
    fields: (t) => ({ user: t.expose('user', { type: User, description }) }),
  };
}

/** The payload of a mutation that puts a user into a state, possibly the current one. */
export const userStatePayload: Payload<{ user: Known<'User'>; changed: boolean }> = {
  description: 'The user after the mutation, and whether it changed anything.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user as they are now.' }),
    changed: t.exposeBoolean('changed', { description: 'False when the user already was in that state.' }),
  }),
};
