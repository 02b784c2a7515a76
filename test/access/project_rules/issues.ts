import { createBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { createIssueLink } from '#src/domain/tracking/issue_links/save.ts';
import { eventRules } from '../event_rules.ts';
import type { Rule, Stage } from '../matrix.ts';
import { type Talked, talkRules } from '../talk_rules.ts';
import type { ProjectGiven } from './given.ts';

/** behaviour.md 6 of issues, labels, boards and milestones. */
export function issueRules({
  world,
  owner,
  reading,
  project,
  theAuthor,
  named,
  groupMembers,
}: ProjectGiven): Record<string, Rule> {
  const label = async (at: Stage) => ({ id: at.project.id, label_id: (await world.label(at.project, owner)).id });
  const labelName = async (at: Stage) => ({ id: at.project.id, name: (await world.label(at.project, owner)).title });
  /** A label of the project, whose group has the same members. */
  const promotable = async (at: Stage) => {
    await groupMembers(at);
    const { id, title } = await world.label(at.project, owner);
    return { id: at.project.id, label_id: id, name: title };
  };
  const board = async (at: Stage) => {
    // A board has a limit of lists.
    await world.db.boardList.deleteMany({ where: { projectId: at.project.id } });
    const { id } = await world.db.board.findFirstOrThrow({
      where: { projectId: at.project.id },
      orderBy: { id: 'asc' },
    });
    return { id: at.project.id, board_id: id };
  };
  const newBoard = async (at: Stage) => {
    const first = await world.db.board.findFirstOrThrow({
      where: { projectId: at.project.id },
      orderBy: { id: 'asc' },
    });
    await world.db.board.deleteMany({ where: { projectId: at.project.id, id: { not: first.id } } });
    return { id: at.project.id, name: world.unique('board') };
  };
  const boardList = async (at: Stage) => {
    const given = await board(at);
    const { label_id: labelId } = await label(at);
    return {
      ...given,
      list_id: (await createBoardList(world.as(owner), { project: at.project.id }, null, labelId)).id,
    };
  };
  const milestone = async (at: Stage) => ({
    id: at.project.id,
    milestone_id: (await world.milestone(at.project, owner)).id,
  });
  /** An issue of somebody who has no role. */
  const issue = async (at: Stage) => {
    const author = await theAuthor();
    const { id, iid } = await world.issue(at.project, owner);
    await world.db.issue.update({ where: { id }, data: { authorId: author.id } });
    return { id: at.project.id, issue_iid: iid };
  };
  const hour = async (at: Stage) => ({ ...(await issue(at)), duration: '1h' });

  const linkable = async (at: Stage) => {
    const { issue_iid: target_issue_iid } = await issue(at);
    return { ...(await issue(at)), target_project_id: at.project.id, target_issue_iid };
  };
  const linked = async (at: Stage) => {
    const { target_issue_iid: targetIid, issue_iid: iid, id } = await linkable(at);
    const link = await createIssueLink(world.as(owner), { project: id, iid }, { project: id, iid: targetIid });
    return { id, issue_iid: iid, issue_link_id: link.id };
  };

  const talked: Talked = {
    path: 'issues/:issue_iid',
    type: 'Issue',
    reading,
    make: async (at) => {
      const { id, iid } = await world.issue(at.project, owner);
      return { id, given: { id: at.project.id, issue_iid: iid } };
    },
  };

  return {
    'GET /projects/:id/issues': { ...reading, given: project },
    'GET /projects/:id/issues_statistics': { ...reading, given: project },
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
    'PUT /projects/:id/issues/:issue_iid/reorder': {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await issue(at)), move_after_id: (await world.issue(at.project, owner)).id }),
    },
    'POST /projects/:id/issues/:issue_iid/subscribe': { ...reading, success: 201, given: issue },
    'POST /projects/:id/issues/:issue_iid/unsubscribe': { ...reading, success: 304, given: issue },
    'GET /projects/:id/issues/:issue_iid/participants': { ...reading, given: issue },
    'GET /projects/:id/issues/:issue_iid/related_merge_requests': { ...reading, given: issue },
    'GET /projects/:id/issues/:issue_iid/closed_by': { ...reading, given: issue },
    'GET /projects/:id/issues/:issue_iid/links': { ...reading, given: issue },
    'POST /projects/:id/issues/:issue_iid/links': { success: 201, level: 20, refusal: 404, given: linkable },
    'GET /projects/:id/issues/:issue_iid/links/:issue_link_id': { ...reading, given: linked },
    'DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id': { success: 200, level: 20, given: linked },
    'GET /projects/:id/issues/:issue_iid/time_stats': { ...reading, given: issue },
    'POST /projects/:id/issues/:issue_iid/time_estimate': { success: 200, level: 20, given: hour },
    'POST /projects/:id/issues/:issue_iid/reset_time_estimate': { success: 200, level: 20, given: issue },
    'POST /projects/:id/issues/:issue_iid/add_spent_time': { success: 201, level: 20, given: hour },
    'POST /projects/:id/issues/:issue_iid/reset_spent_time': { success: 200, level: 20, given: issue },
    'POST /projects/:id/issues/:issue_iid/todo': { ...reading, success: 201, given: issue },
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
    'GET /projects/:id/labels/:label_id': { ...reading, given: label },
    'PUT /projects/:id/labels/:label_id': {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await label(at)), color: 'blue' }),
    },
    'DELETE /projects/:id/labels/:label_id': { success: 204, level: 20, given: label },
    'PUT /projects/:id/labels/:label_id/promote': { success: 200, level: 20, given: promotable },
    'PUT /projects/:id/labels/promote': { success: 200, level: 20, given: promotable },
    'GET /projects/:id/boards': { ...reading, given: project },
    'POST /projects/:id/boards': { success: 201, level: 20, given: newBoard },
    'GET /projects/:id/boards/:board_id': { ...reading, given: board },
    'PUT /projects/:id/boards/:board_id': {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await board(at)), name: world.unique('board') }),
    },
    'DELETE /projects/:id/boards/:board_id': {
      success: 204,
      level: 20,
      given: async (at) => {
        const { id } = await world.db.board.create({ data: { projectId: at.project.id } });
        return { id: at.project.id, board_id: id };
      },
    },
    'GET /projects/:id/boards/:board_id/lists': { ...reading, given: board },
    'GET /projects/:id/boards/:board_id/lists/:list_id': { ...reading, given: boardList },
    'POST /projects/:id/boards/:board_id/lists': {
      success: 201,
      level: 20,
      given: async (at) => ({ ...(await board(at)), ...(await label(at)) }),
    },
    'PUT /projects/:id/boards/:board_id/lists/:list_id': {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await boardList(at)), position: 0 }),
    },
    'DELETE /projects/:id/boards/:board_id/lists/:list_id': { success: 204, level: 20, given: boardList },
    'GET /projects/:id/milestones': { ...reading, given: project },
    'GET /projects/:id/milestones/:milestone_id': { ...reading, given: milestone },
    'POST /projects/:id/milestones': { success: 201, level: 40, given: (at) => ({ ...project(at), ...named() }) },
    'PUT /projects/:id/milestones/:milestone_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await milestone(at)), ...named() }),
    },
    'DELETE /projects/:id/milestones/:milestone_id': { success: 204, level: 40, given: milestone },
    'POST /projects/:id/milestones/:milestone_id/promote': {
      success: 200,
      level: 40,
      given: async (at) => {
        await groupMembers(at);
        return milestone(at);
      },
    },
    ...talkRules(world, theAuthor, talked),
    ...eventRules(world, theAuthor, talked),
    'GET /projects/:id/milestones/:milestone_id/issues': { ...reading, given: milestone },
    'GET /projects/:id/milestones/:milestone_id/merge_requests': { ...reading, level: 20, given: milestone },
  };
}
