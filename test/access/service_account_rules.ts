import { createServiceAccount } from '#src/domain/members/service_accounts/save.ts';
import { createServiceAccountToken } from '#src/domain/members/service_accounts/tokens.ts';
import { select } from '#src/platform/records/selection.ts';
import type { TestUser, World } from '../support/world.ts';
import type { Rule, Stage } from './matrix.ts';

/** Service accounts of groups, or of projects, and their tokens: for owners. */
export function serviceAccountRules(world: World, owner: TestUser, kind: 'group' | 'project'): Record<string, Rule> {
  const place = (at: Stage) => ({ id: at[kind].id });
  const account = async (at: Stage) => {
    const made = await createServiceAccount(world.as(owner), { [kind]: at[kind].id }, {}, select('User', { id: true }));
    return { ...place(at), user_id: made.id };
  };
  const token = async (at: Stage) => {
    const given = await account(at);
    const ref = { [kind]: at[kind].id, userId: given.user_id };
    const selection = select('PersonalAccessToken', { id: true });
    const made = await createServiceAccountToken(world.as(owner), ref, { name: 'robot', scopes: ['api'] }, selection);
    return { ...given, token_id: made.id };
  };
  const path = `/${kind}s/:id/service_accounts`;
  const tokens = `${path}/:user_id/personal_access_tokens`;
  return {
    [`GET ${path}`]: { success: 200, level: 50, given: place },
    [`POST ${path}`]: { success: 201, level: 50, given: place },
    [`PATCH ${path}/:user_id`]: {
      success: 200,
      level: 50,
      given: async (at) => ({ ...(await account(at)), name: 'Robot' }),
    },
    [`DELETE ${path}/:user_id`]: { success: 204, level: 50, given: account },
    [`GET ${tokens}`]: { success: 200, level: 50, given: account },
    [`POST ${tokens}`]: {
      success: 201,
      level: 50,
      given: async (at) => ({ ...(await account(at)), name: 'robot', scopes: ['api'] }),
    },
    [`POST ${tokens}/:token_id/rotate`]: { success: 200, level: 50, given: token },
    [`DELETE ${tokens}/:token_id`]: { success: 204, level: 50, given: token },
  };
}
