import type { TestUser, World } from '../support/world.ts';
import type { Role, Rule, Stage } from './matrix.ts';

/** behaviour.md 6, line by line, for every route below a project. */
export function projectRules(world: World, users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const owner = users.owner as TestUser;
  const anyone = { success: 200, level: 10, open: 'anyone' } as const;
  const reading = { success: 200, level: 10, open: 'user' } as const;
  const project = ({ project: { id } }: Stage) => ({ id });
  const label = async (at: Stage) => ({ id: at.project.id, label_id: (await world.label(at.project, owner)).id });
  const labelName = async (at: Stage) => ({ id: at.project.id, name: (await world.label(at.project, owner)).title });
  const milestone = async (at: Stage) => ({
    id: at.project.id,
    milestone_id: (await world.milestone(at.project, owner)).id,
  });
  /** An issue of somebody who has no role. */
  const issue = async (at: Stage) => {
    const author =
      (await world.db.user.findFirst({ where: { username: 'the-author' } })) ??
      (await world.user({ username: 'the-author' }));
    const { id, iid } = await world.issue(at.project, owner);
    await world.db.issue.update({ where: { id }, data: { authorId: author.id } });
    return { id: at.project.id, issue_iid: iid };
  };
  const named = () => ({ title: world.unique('new '), name: world.unique('new') });

  return {
    'GET /projects/:id': { ...anyone, given: project },
    'GET /projects/:id/issues': { ...reading, given: project },
    'GET /projects/:id/issues/:issue_iid': { ...reading, given: issue },
    'POST /projects/:id/issues': { ...reading, success: 201, given: (at) => ({ ...project(at), title: 'new' }) },
    'PUT /projects/:id/issues/:issue_iid': {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await issue(at)), title: 'changed' }),
    },
    'DELETE /projects/:id/issues/:issue_iid': { success: 204, level: 50, given: issue },
    'POST /projects/:id/issues/:issue_iid/move': {
      success: 201,
      level: 20,
      refusal: 400,
      given: async (at) => ({ ...(await issue(at)), to_project_id: at.elsewhere.id }),
    },
    'POST /projects/:id/issues/:issue_iid/subscribe': { ...reading, success: 201, given: issue },
    'POST /projects/:id/issues/:issue_iid/unsubscribe': { ...reading, success: 304, given: issue },
    'GET /projects/:id/labels': { ...reading, given: project },
    'POST /projects/:id/labels': {
      success: 201,
      level: 20,
      given: (at) => ({ ...project(at), ...named(), color: 'red' }),
    },
    'PUT /projects/:id/labels': {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await labelName(at)), color: 'blue' }),
    },
    'DELETE /projects/:id/labels': { success: 204, level: 20, given: labelName },
    'POST /projects/:id/labels/:label_id/subscribe': { ...reading, success: 201, given: label },
    'POST /projects/:id/labels/:label_id/unsubscribe': { ...reading, success: 304, given: label },
    'GET /projects/:id/milestones': { ...reading, given: project },
    'GET /projects/:id/milestones/:milestone_id': { ...reading, given: milestone },
    'POST /projects/:id/milestones': { success: 201, level: 40, given: (at) => ({ ...project(at), ...named() }) },
    'PUT /projects/:id/milestones/:milestone_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await milestone(at)), ...named() }),
    },
    'GET /projects/:id/milestones/:milestone_id/issues': { ...reading, given: milestone },
    'GET /projects/:id/milestones/:milestone_id/merge_requests': { ...reading, level: 20, given: milestone },
  };
}
