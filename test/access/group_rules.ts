import type { GroupRow } from '#src/domain/groups/find.ts';
import type { TestUser, World } from '../support/world.ts';
import type { Role, Rule, Stage } from './matrix.ts';

/** behaviour.md 6 for every route below a group. */
export function groupRules(world: World, users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const owner = users.owner as TestUser;
  const reading = { success: 200, level: 10, open: 'user' } as const;
  const group = ({ group: { id } }: Stage) => ({ id });
  /** A group like that of the stage, for what ends it. */
  const fresh = async (at: Stage) => {
    const made: GroupRow = await world.group({ owner, visibility: at.visibility });
    for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
      await world.member(made, users[role] as TestUser, role);
    }
    return { id: made.id };
  };
  const member = async (at: Stage) => {
    const user = await world.user();
    await world.member(at.group, user, 'guest');
    return { ...group(at), user_id: user.id };
  };
  const requester = async (at: Stage) => {
    const user = await world.user();
    await world.db.accessRequest.create({ data: { namespaceId: at.group.id, userId: user.id } });
    return { ...group(at), user_id: user.id };
  };

  return {
    'GET /groups/:id': { ...reading, given: group },
    'GET /groups/:id/notification_settings': { ...reading, given: group },
    'PUT /groups/:id/notification_settings': { ...reading, given: (at) => ({ ...group(at), level: 'watch' }) },
    'GET /groups/:id/projects': { ...reading, given: group },
    'GET /groups/:id/issues': { ...reading, given: group },
    'GET /groups/:id/merge_requests': { ...reading, given: group },
    'PUT /groups/:id': {
      success: 200,
      level: 50,
      given: (at) => ({ ...group(at), description: world.unique('about ') }),
    },
    'DELETE /groups/:id': { success: 204, level: 50, given: fresh },
    'POST /groups/:id/projects/:project_id': {
      success: 201,
      level: 100,
      adminFirst: true,
      given: async (at) => ({ ...group(at), project_id: (await world.project({ owner })).id }),
    },
    'GET /groups/:id/members': { ...reading, given: group },
    'GET /groups/:id/members/:user_id': { ...reading, given: member },
    'POST /groups/:id/members': {
      success: 201,
      level: 50,
      given: async (at) => ({ ...group(at), user_id: (await world.user()).id, access_level: 20 }),
    },
    'PUT /groups/:id/members/:user_id': {
      success: 200,
      level: 50,
      given: async (at) => ({ ...(await member(at)), access_level: 30 }),
    },
    'DELETE /groups/:id/members/:user_id': { success: 204, level: 50, given: member },
    'GET /groups/:id/access_requests': { success: 200, level: 50, given: group },
    'POST /groups/:id/access_requests': {
      success: 201,
      level: 0,
      // Who has access already asks for none.
      roles: {
        external: 201,
        outsider: 201,
        guest: 403,
        reporter: 403,
        developer: 403,
        master: 403,
        owner: 403,
        admin: 201,
      },
      inPrivate: { admin: 403 },
      given: async (at) => {
        await world.db.accessRequest.deleteMany({ where: { namespaceId: at.group.id } });
        return group(at);
      },
    },
    'PUT /groups/:id/access_requests/:user_id/approve': { success: 201, level: 50, given: requester },
    'DELETE /groups/:id/access_requests/:user_id': { success: 204, level: 50, given: requester },
  };
}
