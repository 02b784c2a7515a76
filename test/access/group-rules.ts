import type { TestUser, World } from '../support/world.ts';
import type { Role, Rule, Stage } from './matrix.ts';

/** behaviour.md 6 for every route below a group. */
export function groupRules(_world: World, _users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const group = ({ group: { id } }: Stage) => ({ id });
  return {
    'GET /groups/:id/issues': { success: 200, level: 10, open: 'user', given: group },
  };
}
