import { PASSWORD, type TestUser, type World } from '../support/world.ts';
import type { Role, Rule } from './matrix.ts';

/** behaviour.md 6 for every route that belongs to no project and no group. */
export function serverRules(world: World, _users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const named = () => {
    const name = world.unique('name');
    return { name, path: name };
  };
  return {
    'GET /user': { success: 200, level: 0 },
    'GET /version': { success: 200, level: 0 },
    'GET /issues': { success: 200, level: 0 },
    'POST /session': {
      success: 201,
      level: 0,
      open: 'anyone',
      given: () => ({ login: 'the-reporter', password: PASSWORD }),
    },
    'POST /groups': { success: 201, level: 0, roles: { external: 403 }, given: named },
    'POST /projects': { success: 201, level: 0, roles: { external: 403 }, given: named },
  };
}
