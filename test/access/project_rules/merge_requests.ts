import { protectBranch } from '#src/domain/repository/branches/protect.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import { commitTo, opened } from '../../support/merge_requests.ts';
import type { TestUser } from '../../support/world.ts';
import { eventRules } from '../event_rules.ts';
import type { Rule, Stage } from '../matrix.ts';
import { talkRules } from '../talk_rules.ts';
import type { ProjectGiven } from './given.ts';

/** behaviour.md 6 of merge requests. */
export function mergeRequestRules({
  world,
  owner,
  reading,
  project,
  theAuthor,
  filled,
  named,
  newBranch,
}: ProjectGiven): Record<string, Rule> {
  /** A merge request of somebody who has no role. */
  const mergeRequest = async (at: Stage) => {
    const author = await theAuthor();
    // Some of the lower ones were deleted.
    const { _max: last } = await world.db.mergeRequest.aggregate({
      where: { targetProjectId: at.project.id },
      _max: { iid: true },
    });
    const iid = (last.iid ?? 0) + 1;
    const { id } = await world.mergeRequest(at.project, author, { iid, sourceBranch: world.unique('topic') });
    await filled(at);
    const main = await (await world.repositories.open(at.project))?.branch('main');
    const sha = main?.commit ?? '';
    const version = { mergeRequestId: id, headCommitSha: sha, baseCommitSha: sha, startCommitSha: sha, realSize: '0' };
    const { id: versionId } = await world.db.mergeRequestVersion.create({ data: version });
    return { id: at.project.id, merge_request_iid: iid, version_id: versionId };
  };
  const mergeHour = async (at: Stage) => ({ ...(await mergeRequest(at)), duration: '1h' });
  const newMergeRequest = async (at: Stage) => {
    const { id, branch } = await newBranch(at);
    return { id, title: 'New', source_branch: branch, target_branch: 'master' };
  };
  /** A merge request into a branch that masters alone push to, and that no other one is into. */
  const mergeable = async (at: Stage) => {
    const [{ id, branch }, { branch: targetBranch }] = [await newBranch(at), await newBranch(at)];
    await protectBranch(world.as(owner), id, targetBranch, {});
    await commitTo(world, { id }, owner, branch, `${branch}.txt`);
    const { iid } = await opened(world, { id }, owner, { sourceBranch: branch, targetBranch });
    return { id, merge_request_iid: iid };
  };
  /** A merge request whose head has jobs for merge requests. */
  const withJobs = async (at: Stage) => {
    const given = await mergeable(at);
    const where = { targetProjectId: given.id, iid: given.merge_request_iid };
    const { sourceBranch } = await world.db.mergeRequest.findFirstOrThrow({ where });
    const sha = await commitTo(
      world,
      given,
      owner,
      sourceBranch,
      '.gitlab-ci.yml',
      'a: { script: x, only: [merge_requests] }',
    );
    await world.db.mergeRequest.updateMany({ where, data: { sha } });
    return given;
  };
  const waiting = async (at: Stage) => {
    const given = await mergeable(at);
    const where = { targetProjectId: given.id, iid: given.merge_request_iid };
    await world.db.mergeRequest.updateMany({ where, data: { mergeWhenPipelineSucceeds: true } });
    return given;
  };

  const talked = {
    path: 'merge_requests/:merge_request_iid',
    type: 'MergeRequest',
    make: async (at: Stage) => {
      const [last] = await world.db.mergeRequest.findMany({ orderBy: { iid: 'desc' }, take: 1 });
      const { id, iid } = await world.mergeRequest(at.project, owner, { iid: (last?.iid ?? 0) + 1 });
      return { id, given: { id: at.project.id, merge_request_iid: iid } };
    },
  } as const;
  const unapproved = async (at: Stage) => {
    const given = await mergeRequest(at);
    await world.db.mergeRequestApproval.deleteMany({ where: { mergeRequest: { targetProjectId: at.project.id } } });
    return given;
  };
  /** Approved by everybody. */
  const approved = async (at: Stage) => {
    const given = await mergeRequest(at);
    const where = { targetProjectId: at.project.id, iid: given.merge_request_iid };
    const { id: mergeRequestId } = await world.db.mergeRequest.findFirstOrThrow({ where });
    const users = await world.db.user.findMany({ select: { id: true } });
    const data = users.map(({ id: userId }) => ({ mergeRequestId, userId }));
    await world.db.mergeRequestApproval.createMany({ data, skipDuplicates: true });
    return given;
  };
  /** A rule for any approver, of which there is one, and nothing else. */
  const ruled = async (at: Stage, mergeRequestId: number | null = null) => {
    const projectId = at.project.id;
    await world.db.approvalRule.deleteMany({ where: { projectId, mergeRequestId } });
    const data = { projectId, mergeRequestId, name: 'One', ruleType: 'any_approver' } as const;
    const { id } = await world.db.approvalRule.create({ data });
    return { id: projectId, approval_rule_id: id };
  };
  const unruled = async (at: Stage) => {
    await world.db.approvalRule.deleteMany({ where: { projectId: at.project.id } });
    return { id: at.project.id, name: 'One', approvals_required: 0 };
  };
  /** A merge request with a rule of its own. */
  const withRule = async (at: Stage) => {
    const given = await mergeRequest(at);
    const where = { targetProjectId: given.id, iid: given.merge_request_iid };
    await world.db.mergeRequest.updateMany({ where, data: { approvalRulesOverwritten: true } });
    const { id } = await world.db.mergeRequest.findFirstOrThrow({ where });
    return { ...given, ...(await ruled(at, id)) };
  };
  const withoutRule = async (at: Stage) => ({ ...(await mergeRequest(at)), ...(await unruled(at)) });
  /** A note on one that the caller has drafted. */
  const drafted = async (at: Stage, who: TestUser | undefined) => {
    const given = await mergeRequest(at);
    const where = { targetProjectId: given.id, iid: given.merge_request_iid };
    const { id: mergeRequestId } = await world.db.mergeRequest.findFirstOrThrow({ where });
    const data = { mergeRequestId, authorId: (who ?? owner).id, body: 'said' };
    const { id } = await world.db.draftNote.create({ data });
    return { ...given, draft_note_id: id };
  };
  const drafting = { level: 20, open: 'user', refusal: 404, inPrivate: { guest: 404 } } as const;
  /** A thread on one that can be resolved. */
  const thread = async (at: Stage) => {
    const given = await mergeRequest(at);
    const where = { targetProjectId: given.id, iid: given.merge_request_iid };
    const { id: subjectId } = await world.db.mergeRequest.findFirstOrThrow({ where });
    const note = { subjectType: 'MergeRequest', subjectId, authorId: owner.id, body: 'said' };
    const { id } = await world.db.note.create({ data: note });
    await world.db.discussion.create({ data: { id, noteId: id, mergeRequestId: subjectId } });
    return { ...given, discussion_id: threadKey('Discussion', id), resolved: true };
  };

  return {
    'GET /projects/:id/merge_requests/:merge_request_iid/draft_notes': {
      ...drafting,
      success: 200,
      given: mergeRequest,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/draft_notes': {
      ...drafting,
      success: 201,
      given: async (at) => ({ ...(await mergeRequest(at)), note: 'words' }),
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/draft_notes/bulk_publish': {
      ...drafting,
      success: 204,
      given: drafted,
    },
    'GET /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id': {
      ...drafting,
      success: 200,
      visitor: 401,
      given: drafted,
    },
    'PUT /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id': {
      ...drafting,
      success: 200,
      given: async (at, who) => ({ ...(await drafted(at, who)), note: 'words' }),
    },
    'DELETE /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id': {
      ...drafting,
      success: 204,
      given: drafted,
    },
    'PUT /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id/publish': {
      ...drafting,
      success: 204,
      given: drafted,
    },
    'PUT /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id': {
      success: 200,
      level: 30,
      inPrivate: { guest: 404 },
      given: thread,
    },
    'GET /projects/:id/merge_requests/:merge_request_iid/time_stats': { ...reading, level: 20, given: mergeRequest },
    'POST /projects/:id/merge_requests/:merge_request_iid/time_estimate': {
      success: 200,
      level: 30,
      given: mergeHour,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/reset_time_estimate': {
      success: 200,
      level: 30,
      given: mergeRequest,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/add_spent_time': {
      success: 201,
      level: 30,
      given: mergeHour,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/reset_spent_time': {
      success: 200,
      level: 30,
      given: mergeRequest,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/todo': {
      ...reading,
      success: 201,
      level: 20,
      given: mergeRequest,
    },
    ...talkRules(world, theAuthor, {
      ...talked,
      reading: { level: 20, open: 'user', refusal: 404, inPrivate: { guest: 404 } },
    }),
    ...eventRules(world, theAuthor, { ...talked, reading: { ...reading, level: 20 } }),
    'GET /projects/:id/merge_requests': { ...reading, level: 20, given: project },
    'GET /projects/:id/merge_requests/:merge_request_iid': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/commits': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/changes': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/versions': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/versions/:version_id': {
      ...reading,
      level: 20,
      given: mergeRequest,
    },
    'GET /projects/:id/merge_requests/:merge_request_iid/closes_issues': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/participants': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/reviewers': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/approvals': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/approval_state': {
      ...reading,
      level: 20,
      given: mergeRequest,
    },
    'GET /projects/:id/approvals': { success: 200, level: 20, given: project },
    'POST /projects/:id/approvals': { success: 201, level: 40, given: project },
    'GET /projects/:id/approval_rules': { success: 200, level: 20, given: (at) => ruled(at) },
    'POST /projects/:id/approval_rules': { success: 201, level: 40, given: unruled },
    'GET /projects/:id/approval_rules/:approval_rule_id': { success: 200, level: 20, given: (at) => ruled(at) },
    'PUT /projects/:id/approval_rules/:approval_rule_id': { success: 200, level: 40, given: (at) => ruled(at) },
    'DELETE /projects/:id/approval_rules/:approval_rule_id': { success: 204, level: 40, given: (at) => ruled(at) },
    'GET /projects/:id/merge_requests/:merge_request_iid/approval_rules': {
      ...reading,
      level: 20,
      given: mergeRequest,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/approval_rules': {
      success: 201,
      level: 30,
      given: withoutRule,
    },
    'GET /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id': {
      ...reading,
      level: 20,
      given: withRule,
    },
    'PUT /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id': {
      success: 200,
      level: 30,
      given: withRule,
    },
    'DELETE /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id': {
      success: 204,
      level: 30,
      given: withRule,
    },
    'GET /projects/:id/merge_requests/:merge_request_iid/diffs': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/raw_diffs': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/pipelines': { ...reading, level: 20, given: mergeRequest },
    'GET /projects/:id/merge_requests/:merge_request_iid/related_issues': {
      ...reading,
      level: 20,
      given: mergeRequest,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/approve': { success: 201, level: 30, given: unapproved },
    'POST /projects/:id/merge_requests/:merge_request_iid/unapprove': { success: 201, level: 30, given: approved },
    // Nobody here is a bot.
    'PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals': {
      success: 202,
      level: 100,
      refusal: 401,
      roles: { admin: 401 },
      given: approved,
    },
    'GET /projects/:id/merge_requests/:merge_request_iid/merge_ref': {
      ...reading,
      level: 20,
      given: mergeable,
      visitor: 401,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/pipelines': {
      success: 200,
      level: 30,
      given: withJobs,
    },
    'PUT /projects/:id/merge_requests/:merge_request_iid/rebase': {
      success: 202,
      level: 30,
      given: mergeable,
    },
    'PUT /projects/:id/merge_requests/:merge_request_iid/merge': {
      success: 200,
      level: 40,
      refusal: 401,
      inPrivate: { guest: 403 },
      given: mergeable,
    },
    'POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds': {
      success: 201,
      level: 40,
      refusal: 401,
      inPrivate: { guest: 403 },
      given: waiting,
    },
    'POST /projects/:id/merge_requests': { success: 201, level: 30, given: newMergeRequest },
    'PUT /projects/:id/merge_requests/:merge_request_iid': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await mergeRequest(at)), ...named() }),
    },
    'DELETE /projects/:id/merge_requests/:merge_request_iid': { success: 204, level: 50, given: mergeRequest },
    'POST /projects/:id/merge_requests/:merge_request_iid/subscribe': { success: 201, level: 30, given: mergeRequest },
    'POST /projects/:id/merge_requests/:merge_request_iid/unsubscribe': {
      success: 304,
      level: 30,
      given: mergeRequest,
    },
  };
}
