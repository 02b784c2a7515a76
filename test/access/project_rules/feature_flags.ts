import { createFlag } from '#src/domain/feature_flags/save.ts';
import { createUserList } from '#src/domain/feature_flags/user_lists.ts';
import type { Rule, Stage } from '../matrix.ts';
import type { ProjectGiven } from './given.ts';

/** Feature flags and user lists, which are for developers (docs/decisions.md). */
export function featureFlagRules({ world, owner, project }: ProjectGiven): Record<string, Rule> {
  const flag = async (at: Stage) => {
    // The stage is one project for all roles, which has few flags at a time.
    await world.db.featureFlag.deleteMany({ where: { projectId: at.project.id } });
    const name = world.unique('flag');
    await createFlag(world.as(owner), at.project.id, { name });
    return { ...project(at), feature_flag_name: name };
  };
  const list = async (at: Stage) => {
    const projectId = at.project.id;
    await world.db.featureFlagUserList.deleteMany({ where: { projectId } });
    const { id } = await createUserList(world.as(owner), projectId, { name: world.unique('list'), userXids: '1' });
    const { iid } = await world.db.featureFlagUserList.findUniqueOrThrow({ where: { id } });
    return { ...project(at), iid };
  };
  const [flags, lists] = ['/projects/:id/feature_flags', '/projects/:id/feature_flags_user_lists'];
  return {
    [`GET ${flags}`]: { success: 200, level: 30, given: project },
    [`GET ${flags}/:feature_flag_name`]: { success: 200, level: 30, given: flag },
    [`POST ${flags}`]: {
      success: 201,
      level: 30,
      given: async (at) => ({ id: (await flag(at)).id, name: world.unique('flag') }),
    },
    [`PUT ${flags}/:feature_flag_name`]: {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await flag(at)), description: 'changed' }),
    },
    [`DELETE ${flags}/:feature_flag_name`]: { success: 200, level: 30, given: flag },
    [`GET ${lists}`]: { success: 200, level: 30, given: project },
    [`GET ${lists}/:iid`]: { success: 200, level: 30, given: list },
    [`POST ${lists}`]: {
      success: 201,
      level: 30,
      given: async (at) => ({ id: (await list(at)).id, name: world.unique('list'), user_xids: '1' }),
    },
    [`PUT ${lists}/:iid`]: {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await list(at)), user_xids: '2' }),
    },
    [`DELETE ${lists}/:iid`]: { success: 204, level: 30, given: list },
  };
}
