import type { Rule, Stage } from '../matrix.ts';
import { serviceAccountRules } from '../service_account_rules.ts';
import type { ProjectGiven } from './given.ts';

/** behaviour.md 6 of members, requests for access and shares. */
export function memberRules({ world, owner, reading, project }: ProjectGiven): Record<string, Rule> {
  const member = async (at: Stage) => {
    const user = await world.user();
    await world.member(at.project, user, 'guest');
    return { ...project(at), user_id: user.id };
  };
  /** Somebody who asks for access; nobody else does. */
  const requester = async (at: Stage) => {
    const user = await world.user();
    await world.db.accessRequest.create({ data: { projectId: at.project.id, userId: user.id } });
    return { ...project(at), user_id: user.id };
  };
  const group = async () => ({ group_id: (await world.group({ owner, visibility: 'public' })).id });

  /** An access token with a bot of its own. */
  const accessToken = async (at: Stage) => {
    const bot = await world.user();
    await world.db.user.update({ where: { id: bot.id }, data: { bot: true } });
    await world.member(at.project, bot, 'reporter');
    const data = { userId: bot.id, projectId: at.project.id, name: 'robot', scopes: ['api'] };
    const token = await world.db.personalAccessToken.create({
      data: { ...data, tokenHash: Buffer.from(world.unique('hash')) },
    });
    return { ...project(at), token_id: token.id };
  };
  const administering = { success: 200, level: 40, refusal: 401 } as const;

  const auditEvent = async (at: Stage) => {
    const data = { projectId: at.project.id, action: 'project_updated', targetType: 'Project' };
    return { ...project(at), audit_event_id: (await world.db.auditEvent.create({ data })).id };
  };

  const deployToken = async (at: Stage) => {
    const data = { projectId: at.project.id, name: 'deploy', username: 'robot', scopes: ['read_repository'] };
    const token = await world.db.deployToken.create({
      data: { ...data, tokenHash: Buffer.from(world.unique('hash')) },
    });
    return { ...project(at), token_id: token.id };
  };

  const invitation = async (at: Stage) => {
    const email = `${world.unique('guest')}@example.net`;
    await world.db.invitation.create({
      data: { projectId: at.project.id, email, accessLevel: 10, createdById: owner.id },
    });
    return { ...project(at), email };
  };

  const allowed = async (at: Stage) => {
    const target = await world.project({ owner });
    await world.db.jobTokenProject.create({ data: { projectId: at.project.id, allowedProjectId: target.id } });
    return { ...project(at), target_project_id: target.id };
  };
  const allowedGroup = async (at: Stage) => {
    const target = await world.group({ owner });
    await world.db.jobTokenGroup.create({ data: { projectId: at.project.id, groupId: target.id } });
    return { ...project(at), target_group_id: target.id };
  };
  /** Emptied, as there is a limit. */
  const newlyAllowed = async (at: Stage) => {
    await world.db.jobTokenProject.deleteMany({ where: { projectId: at.project.id } });
    return { ...project(at), target_project_id: (await world.project({ owner, visibility: 'public' })).id };
  };
  const newlyAllowedGroup = async (at: Stage) => {
    await world.db.jobTokenGroup.deleteMany({ where: { projectId: at.project.id } });
    return { ...project(at), target_group_id: (await world.group({ owner, visibility: 'public' })).id };
  };

  return {
    'GET /projects/:id/job_token_scope': { success: 200, level: 40, given: project },
    'PATCH /projects/:id/job_token_scope': {
      success: 204,
      level: 40,
      given: (at) => ({ ...project(at), enabled: true }),
    },
    'GET /projects/:id/job_token_scope/allowlist': { success: 200, level: 40, given: project },
    'GET /projects/:id/job_token_scope/groups_allowlist': { success: 200, level: 40, given: project },
    'POST /projects/:id/job_token_scope/allowlist': { success: 201, level: 40, given: newlyAllowed },
    'POST /projects/:id/job_token_scope/groups_allowlist': { success: 201, level: 40, given: newlyAllowedGroup },
    'DELETE /projects/:id/job_token_scope/allowlist/:target_project_id': { success: 204, level: 40, given: allowed },
    'DELETE /projects/:id/job_token_scope/groups_allowlist/:target_group_id': {
      success: 204,
      level: 40,
      given: allowedGroup,
    },
    'GET /projects/:id/audit_events': { success: 200, level: 40, given: project },
    'GET /projects/:id/audit_events/:audit_event_id': { success: 200, level: 40, given: auditEvent },
    ...serviceAccountRules(world, owner, 'project'),
    'GET /projects/:id/deploy_tokens': { success: 200, level: 40, given: project },
    'GET /projects/:id/deploy_tokens/:token_id': { success: 200, level: 40, given: deployToken },
    'POST /projects/:id/deploy_tokens': {
      success: 201,
      level: 40,
      given: (at) => ({ ...project(at), name: 'deploy', scopes: ['read_repository'] }),
    },
    'DELETE /projects/:id/deploy_tokens/:token_id': { success: 204, level: 40, given: deployToken },
    'GET /projects/:id/access_tokens': { ...administering, given: project },
    // The tokens of these callers are those of people.
    'GET /projects/:id/access_tokens/self': { ...reading, success: 400, given: project, visitor: 401 },
    'POST /projects/:id/access_tokens/self/rotate': { ...reading, success: 405, given: project },
    'GET /projects/:id/access_tokens/:token_id': { ...administering, given: accessToken },
    'POST /projects/:id/access_tokens': {
      success: 201,
      level: 40,
      refusal: 400,
      given: (at) => ({ ...project(at), name: 'robot', scopes: ['api'], access_level: 20 }),
    },
    'POST /projects/:id/access_tokens/:token_id/rotate': { ...administering, given: accessToken },
    'DELETE /projects/:id/access_tokens/:token_id': { success: 204, level: 40, refusal: 400, given: accessToken },
    'GET /projects/:id/members': { ...reading, given: project },
    'GET /projects/:id/members/:user_id': { ...reading, given: member },
    'GET /projects/:id/members/all': { ...reading, given: project },
    'GET /projects/:id/members/all/:user_id': { ...reading, given: member },
    'POST /projects/:id/members': {
      success: 201,
      level: 40,
      given: async (at) => ({ ...project(at), user_id: (await world.user()).id, access_level: 20 }),
    },
    'PUT /projects/:id/members/:user_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await member(at)), access_level: 30 }),
    },
    'DELETE /projects/:id/members/:user_id': { success: 204, level: 40, given: member },
    'GET /projects/:id/access_requests': { success: 200, level: 40, given: project },
    'POST /projects/:id/access_requests': {
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
        await world.db.accessRequest.deleteMany({ where: { projectId: at.project.id } });
        return project(at);
      },
    },
    'PUT /projects/:id/access_requests/:user_id/approve': { success: 201, level: 40, given: requester },
    'DELETE /projects/:id/access_requests/:user_id': { success: 204, level: 40, given: requester },
    'GET /projects/:id/invitations': { success: 200, level: 40, given: project },
    'POST /projects/:id/invitations': {
      success: 201,
      level: 40,
      given: async (at) => ({ ...project(at), user_id: [(await world.user()).id], access_level: 10 }),
    },
    'PUT /projects/:id/invitations/:email': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await invitation(at)), access_level: 20 }),
    },
    'DELETE /projects/:id/invitations/:email': { success: 204, level: 40, given: invitation },
    'POST /projects/:id/share': {
      success: 201,
      level: 40,
      given: async (at) => ({ ...project(at), ...(await group()), group_access: 20 }),
    },
    'DELETE /projects/:id/share/:group_id': {
      success: 204,
      level: 40,
      given: async (at) => {
        const { group_id: groupId } = await group();
        await world.db.projectShare.create({ data: { projectId: at.project.id, groupId, groupAccess: 10 } });
        return { ...project(at), group_id: groupId };
      },
    },
  };
}
