import { createDeployment } from '#src/domain/ci/deployments/create.ts';
import { createEnvironment } from '#src/domain/ci/environments/save.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import { findTrigger, triggerToken } from '#src/domain/ci/triggers/list.ts';
import { createTrigger } from '#src/domain/ci/triggers/save.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createDeployKey } from '#src/domain/repository/deploy_keys/save.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { createBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { select } from '#src/platform/records/selection.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { commitTo, opened } from '../support/merge_requests.ts';
import { fillRepository } from '../support/repository.ts';
import { newKey } from '../support/ssh_keys.ts';
import type { TestUser, World } from '../support/world.ts';
import type { Role, Rule, Stage } from './matrix.ts';
import { talkRules } from './talk_rules.ts';

/** behaviour.md 6, line by line, for every route below a project. */
export function projectRules(world: World, users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const owner = users.owner as TestUser;
  const anyone = { success: 200, level: 10, open: 'anyone' } as const;
  const reading = { success: 200, level: 10, open: 'user' } as const;
  const project = ({ project: { id } }: Stage) => ({ id });
  const label = async (at: Stage) => ({ id: at.project.id, label_id: (await world.label(at.project, owner)).id });
  const labelName = async (at: Stage) => ({ id: at.project.id, name: (await world.label(at.project, owner)).title });
  const board = async (at: Stage) => {
    // A board has a limit of lists.
    await world.db.boardList.deleteMany({ where: { projectId: at.project.id } });
    const { id } = await world.db.board.findFirstOrThrow({ where: { projectId: at.project.id } });
    return { id: at.project.id, board_id: id };
  };
  const boardList = async (at: Stage) => {
    const given = await board(at);
    const { label_id: labelId } = await label(at);
    return { ...given, list_id: (await createBoardList(world.as(owner), at.project.id, null, labelId)).id };
  };
  const milestone = async (at: Stage) => ({
    id: at.project.id,
    milestone_id: (await world.milestone(at.project, owner)).id,
  });
  /** Somebody who has no role. */
  const theAuthor = async () =>
    (await world.db.user.findFirst({ where: { username: 'the-author' } })) ??
    (await world.user({ username: 'the-author' }));
  /** An issue of somebody who has no role. */
  const issue = async (at: Stage) => {
    const author = await theAuthor();
    const { id, iid } = await world.issue(at.project, owner);
    await world.db.issue.update({ where: { id }, data: { authorId: author.id } });
    return { id: at.project.id, issue_iid: iid };
  };
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
  const hour = async (at: Stage) => ({ ...(await issue(at)), duration: '1h' });
  const mergeHour = async (at: Stage) => ({ ...(await mergeRequest(at)), duration: '1h' });
  const newMergeRequest = async (at: Stage) => {
    const { id, branch } = await newBranch(at);
    return { id, title: 'New', source_branch: branch, target_branch: 'master' };
  };
  /** A project like that of the stage, for what changes or ends it. */
  const fresh = async (at: Stage) => {
    const { id } = await world.project({ owner, visibility: at.visibility, namespaceId: at.project.namespaceId });
    for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
      await world.member({ id, issuesEnabled: true } as ProjectRow, users[role] as TestUser, role);
    }
    return { id };
  };
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
  const unstarred = async (at: Stage) => {
    await world.db.projectStar.deleteMany({ where: { projectId: at.project.id } });
    return project(at);
  };
  const group = async () => ({ group_id: (await world.group({ owner, visibility: 'public' })).id });
  const repository = { success: 200, level: 20, open: 'anyone' } as const;
  const written = new Set<number>();
  /** The project, with a file `a.txt` on the branch `main` and the tag `v1`. */
  const filled = async (at: Stage) => {
    if (!written.has(at.project.id)) {
      const history = new HistoryBuilder();
      const mark = history.commit({ branch: 'main', changes: [{ path: 'a.txt', content: 'a\n' }] });
      history.tag('v1', mark, 'One');
      await fillRepository(world, at.project, history.build());
      written.add(at.project.id);
    }
    return project(at);
  };
  const blob = async (at: Stage) => ({ ...(await filled(at)), sha: '78981922613b2afb6025042ff6bd878ac1994e85' });
  const file = async (at: Stage) => ({ ...(await filled(at)), file_path: 'a.txt', ref: 'main' });
  const commit = async (at: Stage) => ({ ...(await filled(at)), sha: 'main' });
  const named = () => ({ title: world.unique('new '), name: world.unique('new') });

  const branched = new Map<number, { id: number }>();
  /** A project like that of the stage, in whose repository the branch `topic` is not protected. */
  const branches = async (at: Stage) => {
    const known = branched.get(at.project.id);
    if (known) return known;
    const { id } = await fresh(at);
    branched.set(at.project.id, { id });
    await createFile(world.as(owner), id, { path: 'first', branch: 'master', content: '', message: 'First' });
    await createBranch(world.as(owner), id, 'topic', 'master');
    return { id };
  };
  const newBranch = async (at: Stage) => {
    const { id } = await branches(at);
    const { name } = await createBranch(world.as(owner), id, world.unique('branch'), 'master');
    return { id, branch: name };
  };
  /** A merge request into a branch that masters alone push to. */
  const mergeable = async (at: Stage) => {
    const { id, branch } = await newBranch(at);
    await commitTo(world, { id }, owner, branch, `${branch}.txt`);
    const { iid } = await opened(world, { id }, owner, { sourceBranch: branch });
    return { id, merge_request_iid: iid };
  };
  const waiting = async (at: Stage) => {
    const given = await mergeable(at);
    const where = { targetProjectId: given.id, iid: given.merge_request_iid };
    await world.db.mergeRequest.updateMany({ where, data: { mergeWhenPipelineSucceeds: true } });
    return given;
  };
  const newVariable = async (at: Stage) => ({ ...project(at), key: world.unique('KEY_'), value: 'v' });
  const variable = async (at: Stage) => {
    const given = await newVariable(at);
    await createVariable(world.as(owner), at.project.id, given);
    return given;
  };
  const attached = (at: Stage) => ({ ...project(at), file: new File(['text'], 'a.txt') });
  const newSnippet = (at: Stage) => ({
    ...project(at),
    title: 'New',
    file_name: 'new.txt',
    code: 'text',
    visibility: 'public',
  });
  /** A public snippet of the project by somebody who has no role. */
  const snippet = async (at: Stage) => {
    const { id } = await createSnippet(world.as(owner), {
      project: at.project.id,
      title: 'Old',
      fileName: 'old.txt',
      content: 'text',
      visibility: 'public',
    });
    const author = await theAuthor();
    await world.db.snippet.update({ where: { id }, data: { authorId: author.id } });
    return { ...project(at), snippet_id: id, title: 'Other' };
  };
  const newTag = async (at: Stage) => {
    const { id } = await branches(at);
    const { name } = await createTag(world.as(owner), id, { name: world.unique('tag'), target: 'master' });
    return { id, tag_name: name };
  };
  const newFile = async (at: Stage, branch = 'topic') => {
    const { id } = await branches(at);
    const file = { path: world.unique('file'), branch, content: '', message: 'New' };
    return createFile(world.as(owner), id, file);
  };
  const how = { branch: 'topic', commit_message: 'Why' };
  const notes = async (at: Stage) => ({ ...(await newTag(at)), description: 'notes' });
  const writtenFile = async (at: Stage) => ({ ...(await branches(at)), ...how, file_path: (await newFile(at)).path });

  const reading20 = { success: 200, level: 20, open: 'user' } as const;
  /** A pipeline with a job that waits for somebody, in a project that says what pipelines do on `topic`. */
  const pipeline = async (at: Stage) => {
    const { id } = await branches(at);
    await configure(id);
    const { id: pipelineId } = await createPipeline(world.as(owner), id, 'topic');
    const job = await world.db.job.findFirstOrThrow({ where: { pipelineId, name: 'ship' } });
    return { id, pipeline_id: pipelineId, job_id: job.id };
  };
  const configuredProjects = new Set<number>();
  const configure = async (id: number) => {
    if (configuredProjects.has(id)) return;
    configuredProjects.add(id);
    const content = 'unit: {stage: build, script: x}\nship: {script: x, when: manual}';
    await createFile(world.as(owner), id, { path: '.gitlab-ci.yml', branch: 'topic', content, message: 'Jobs' });
    await world.idle();
  };
  const job = async (at: Stage) => {
    const { id, job_id } = await pipeline(at);
    return { id, job_id };
  };
  /** As job, when it has finished and printed something. */
  const finishedJob = async (at: Stage) => {
    const given = await job(at);
    await world.db.job.update({ where: { id: given.job_id }, data: { status: 'failed' } });
    await world.db.jobTraceChunk.create({ data: { jobId: given.job_id, position: 0, content: Buffer.from('text') } });
    return given;
  };
  /** As job, with artifacts that are kept for a day. */
  const jobWithArtifacts = async (at: Stage) => {
    const given = await job(at);
    await storeArtifacts(world, { id: given.job_id, projectId: given.id });
    return given;
  };
  /** Of a branch whose pipeline succeeded. */
  const latestArtifacts = async (at: Stage) => {
    const { id, pipeline_id, job_id } = await pipeline(at);
    await storeArtifacts(world, { id: job_id, projectId: id });
    await world.db.pipeline.update({ where: { id: pipeline_id }, data: { status: 'success' } });
    return { id, ref_name: 'topic', job: 'ship' };
  };
  const manualJob = async (at: Stage) => {
    const given = await job(at);
    await world.db.job.update({ where: { id: given.job_id }, data: { status: 'manual' } });
    return given;
  };
  const environment = async (at: Stage) => {
    const { id } = await createEnvironment(world.as(owner), at.project.id, { name: world.unique('env') });
    return { id: at.project.id, environment_id: id };
  };
  const outside = async (at: Stage) => {
    const { id } = await branches(at);
    return { id, environment: world.unique('env'), sha: 'topic', ref: 'topic' };
  };
  const deployment = async (at: Stage) => {
    const { id, ...input } = await outside(at);
    return { id, deployment_id: (await createDeployment(world.as(owner), id, input)).id };
  };
  const trigger = async (at: Stage) => {
    const { id } = await createTrigger(world.as(owner), at.project.id, 'a trigger');
    return { id: at.project.id, trigger_id: id };
  };
  const deployKeyOf = async ({ id }: { id: number }) => {
    const key = await createDeployKey(world.as(owner), id, { title: 'key', key: newKey(), canPush: false });
    return { id, key_id: key.id };
  };
  const deployKey = async (at: Stage) => deployKeyOf(at.project);
  /** A deploy key of another project that has the same masters. */
  const foreignDeployKey = async (at: Stage) => {
    const other = await fresh(at);
    return { id: at.project.id, key_id: (await deployKeyOf(other)).key_id };
  };
  /** The token of a trigger is all that it takes. */
  const fire = async (at: Stage) => {
    const { id } = await branches(at);
    await configure(id);
    const made = await createTrigger(world.as(owner), id, 'a trigger');
    const trigger = await findTrigger(
      world.as(owner),
      made.project,
      made.id,
      select('Trigger', { tokenEncrypted: true }),
    );
    return { id, token: triggerToken(world.as(owner), trigger), ref: 'topic' };
  };

  /** A runner that is enabled for these projects. */
  const runnerOf = async (...places: { id: number }[]) => {
    const projects = { create: places.map(({ id: projectId }) => ({ projectId })) };
    const tokenHash = Buffer.from(world.unique('runner'));
    return (await world.db.runner.create({ data: { description: 'a runner', tokenHash, projects } })).id;
  };

  /** Nothing is sent to it: its address is not a public one. */
  const hook = async ({ project: { id: projectId } }: Stage) => {
    const data = { projectId, url: 'http://127.0.0.1:9/' };
    return { id: projectId, hook_id: (await world.db.hook.create({ data })).id };
  };
  const hookEvent = async (at: Stage) => {
    await world.db.signInFailures.deleteMany();
    const given = await hook(at);
    const event = { create: { kind: 'push', facts: {}, payload: '{}' } };
    const data = { hook: { connect: { id: given.hook_id } }, event, state: 'failed' };
    return { ...given, hook_event_id: (await world.db.hookDelivery.create({ data })).id };
  };
  const testedHook = async (at: Stage) => {
    await world.issue(at.project, owner);
    return { ...(await hookEvent(at)), trigger: 'issues_events' };
  };
  const hookUrl = { url: 'https://example.org/hook' };

  return {
    'GET /projects/:id/runners': { success: 200, level: 40, given: project },
    'POST /projects/:id/runners': {
      success: 201,
      level: 40,
      given: async (at) => ({ ...project(at), runner_id: await runnerOf(at.elsewhere) }),
    },
    'DELETE /projects/:id/runners/:runner_id': {
      success: 204,
      level: 40,
      given: async (at) => ({ ...project(at), runner_id: await runnerOf(at.project, at.elsewhere) }),
    },
    'GET /projects/:id/hooks': { success: 200, level: 40, given: project },
    'GET /projects/:id/hooks/:hook_id': { success: 200, level: 40, given: hook },
    'POST /projects/:id/hooks': { success: 201, level: 40, given: (at) => ({ ...project(at), ...hookUrl }) },
    'PUT /projects/:id/hooks/:hook_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await hook(at)), ...hookUrl }),
    },
    'DELETE /projects/:id/hooks/:hook_id': { success: 204, level: 40, given: hook },
    'GET /projects/:id/hooks/:hook_id/events': { success: 200, level: 40, given: hookEvent },
    'POST /projects/:id/hooks/:hook_id/events/:hook_event_id/resend': { success: 201, level: 40, given: hookEvent },
    'POST /projects/:id/hooks/:hook_id/test/:trigger': { success: 201, level: 40, given: testedHook },
    'GET /projects/:id/repository/commits/:sha/statuses': { ...reading20, given: commit },
    'POST /projects/:id/statuses/:sha': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), sha: 'topic', state: 'success' }),
    },
    'GET /projects/:id/pipelines': { ...reading, given: project },
    'GET /projects/:id/pipelines/:pipeline_id': { ...reading, given: pipeline },
    'POST /projects/:id/pipeline': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), ref: 'topic' }),
    },
    'POST /projects/:id/pipelines/:pipeline_id/retry': { success: 201, level: 30, given: pipeline },
    'POST /projects/:id/pipelines/:pipeline_id/cancel': { success: 200, level: 30, given: pipeline },
    'GET /projects/:id/jobs': { ...reading, given: project },
    'GET /projects/:id/pipelines/:pipeline_id/jobs': { ...reading, given: pipeline },
    'GET /projects/:id/jobs/:job_id': { ...reading, given: job },
    'GET /projects/:id/jobs/:job_id/trace': { ...reading, given: job },
    'GET /projects/:id/jobs/:job_id/artifacts': { ...reading, given: jobWithArtifacts },
    'GET /projects/:id/jobs/artifacts/:ref_name/download': { ...reading, given: latestArtifacts },
    'POST /projects/:id/jobs/:job_id/artifacts/keep': { success: 200, level: 30, given: jobWithArtifacts },
    'POST /projects/:id/jobs/:job_id/cancel': { success: 201, level: 30, given: job },
    'POST /projects/:id/jobs/:job_id/retry': { success: 201, level: 30, given: finishedJob },
    'POST /projects/:id/jobs/:job_id/play': { success: 200, level: 30, given: manualJob },
    'POST /projects/:id/jobs/:job_id/erase': { success: 201, level: 30, given: finishedJob },
    'GET /projects/:id/environments': { success: 200, level: 20, given: project },
    'POST /projects/:id/environments': { success: 201, level: 30, given: (at) => ({ ...project(at), ...named() }) },
    'PUT /projects/:id/environments/:environment_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await environment(at)), ...named() }),
    },
    'DELETE /projects/:id/environments/:environment_id': { success: 204, level: 40, given: environment },
    'POST /projects/:id/environments/:environment_id/stop': { success: 200, level: 30, given: environment },
    'GET /projects/:id/deployments': { success: 200, level: 20, given: project },
    'GET /projects/:id/deployments/:deployment_id': { success: 200, level: 20, given: deployment },
    'POST /projects/:id/deployments': { success: 201, level: 30, given: outside },
    'GET /projects/:id/triggers': { success: 200, level: 40, given: project },
    'GET /projects/:id/triggers/:trigger_id': { success: 200, level: 40, given: trigger },
    'POST /projects/:id/triggers': { success: 201, level: 40, given: (at) => ({ ...project(at), description: 'new' }) },
    'PUT /projects/:id/triggers/:trigger_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await trigger(at)), description: 'changed' }),
    },
    'POST /projects/:id/triggers/:trigger_id/take_ownership': { success: 200, level: 40, given: trigger },
    'DELETE /projects/:id/triggers/:trigger_id': { success: 204, level: 40, given: trigger },
    'POST /projects/:id/trigger/pipeline': { success: 201, level: 0, open: 'token', given: fire },
    'POST /projects/:id/ref/:ref/trigger/pipeline': { success: 201, level: 0, open: 'token', given: fire },
    'GET /projects/:id/deploy_keys': { success: 200, level: 40, given: project },
    'GET /projects/:id/deploy_keys/:key_id': { success: 200, level: 40, given: deployKey },
    'POST /projects/:id/deploy_keys': {
      success: 201,
      level: 40,
      given: (at) => ({ ...project(at), title: 'key', key: newKey() }),
    },
    'POST /projects/:id/deploy_keys/:key_id/enable': { success: 201, level: 40, given: foreignDeployKey },
    'DELETE /projects/:id/deploy_keys/:key_id': { success: 204, level: 40, given: deployKey },
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
    'GET /projects/:id/issues/:issue_iid/time_stats': { ...reading, given: issue },
    'POST /projects/:id/issues/:issue_iid/time_estimate': { success: 200, level: 20, given: hour },
    'POST /projects/:id/issues/:issue_iid/reset_time_estimate': { success: 200, level: 20, given: issue },
    'POST /projects/:id/issues/:issue_iid/add_spent_time': { success: 201, level: 20, given: hour },
    'POST /projects/:id/issues/:issue_iid/reset_spent_time': { success: 200, level: 20, given: issue },
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
    'POST /projects/:id/issues/:issue_iid/todo': { ...reading, success: 201, given: issue },
    'POST /projects/:id/merge_requests/:merge_request_iid/todo': {
      ...reading,
      success: 201,
      level: 20,
      given: mergeRequest,
    },
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
    'GET /projects/:id/boards': { ...reading, given: project },
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
    'GET /projects/:id/notification_settings': { ...reading, given: project },
    'PUT /projects/:id/notification_settings': {
      ...reading,
      given: (at) => ({ ...project(at), level: 'watch' }),
    },
    'GET /projects/:id/milestones': { ...reading, given: project },
    'GET /projects/:id/milestones/:milestone_id': { ...reading, given: milestone },
    'POST /projects/:id/milestones': { success: 201, level: 40, given: (at) => ({ ...project(at), ...named() }) },
    'PUT /projects/:id/milestones/:milestone_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await milestone(at)), ...named() }),
    },
    ...talkRules(world, theAuthor, {
      path: 'issues/:issue_iid',
      type: 'Issue',
      reading,
      make: async (at) => {
        const { id, iid } = await world.issue(at.project, owner);
        return { id, given: { id: at.project.id, issue_iid: iid } };
      },
    }),
    ...talkRules(world, theAuthor, {
      path: 'merge_requests/:merge_request_iid',
      type: 'MergeRequest',
      reading: { level: 20, open: 'user', refusal: 404, inPrivate: { guest: 404 } },
      make: async (at) => {
        const [last] = await world.db.mergeRequest.findMany({ orderBy: { iid: 'desc' }, take: 1 });
        const { id, iid } = await world.mergeRequest(at.project, owner, { iid: (last?.iid ?? 0) + 1 });
        return { id, given: { id: at.project.id, merge_request_iid: iid } };
      },
    }),
    ...talkRules(world, theAuthor, {
      path: 'snippets/:snippet_id',
      type: 'Snippet',
      reading,
      make: async (at) => {
        const given = await snippet(at);
        return { id: given.snippet_id, given };
      },
    }),
    'GET /projects/:id/milestones/:milestone_id/issues': { ...reading, given: milestone },
    'GET /projects/:id/milestones/:milestone_id/merge_requests': { ...reading, level: 20, given: milestone },
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
    'GET /projects/:id/members': { ...reading, given: project },
    'GET /projects/:id/members/:user_id': { ...reading, given: member },
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
    'PUT /projects/:id': {
      success: 200,
      level: 40,
      given: (at) => ({ ...project(at), description: world.unique('about ') }),
    },
    'DELETE /projects/:id': { success: 202, level: 50, given: fresh },
    'POST /projects/:id/fork': { success: 201, level: 20, open: 'user', roles: { external: 403 }, given: fresh },
    'POST /projects/:id/fork/:forked_from_id': {
      success: 201,
      level: 100,
      given: async (at) => ({ ...(await fresh(at)), forked_from_id: at.elsewhere.id }),
    },
    'DELETE /projects/:id/fork': {
      success: 204,
      level: 50,
      given: async (at) => {
        const { id } = await fresh(at);
        await world.db.project.update({ where: { id }, data: { forkedFromId: at.elsewhere.id } });
        return { id };
      },
    },
    'POST /projects/:id/star': {
      ...reading,
      success: 201,
      given: unstarred,
    },
    'POST /projects/:id/unstar': { ...reading, success: 304, given: unstarred },
    'POST /projects/:id/archive': { success: 201, level: 50, given: fresh },
    'POST /projects/:id/unarchive': { success: 201, level: 50, given: fresh },
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
    'GET /projects/:id/users': { ...anyone, given: project },
    'GET /projects/:id/events': { ...anyone, given: project },
    'POST /projects/:id/repository/commits': {
      success: 201,
      level: 30,
      given: async (at) => ({
        ...(await branches(at)),
        ...how,
        actions: [{ action: 'create', file_path: world.unique('file'), content: '' }],
      }),
    },
    'POST /projects/:id/repository/commits/:sha/cherry_pick': {
      success: 201,
      level: 30,
      given: async (at) => ({
        ...(await branches(at)),
        sha: (await newFile(at, 'master')).commit.oid,
        branch: 'topic',
      }),
    },
    'POST /projects/:id/repository/commits/:sha/comments': {
      success: 201,
      level: 20,
      open: 'user',
      given: async (at) => ({ ...(await branches(at)), sha: 'master', note: 'a note' }),
    },
    'POST /projects/:id/repository/files/:file_path': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), ...how, file_path: world.unique('file'), content: '' }),
    },
    'PUT /projects/:id/repository/files/:file_path': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await writtenFile(at)), content: 'new' }),
    },
    'DELETE /projects/:id/repository/files/:file_path': { success: 200, level: 30, given: writtenFile },
    'POST /projects/:id/repository/branches': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), branch: world.unique('branch'), ref: 'master' }),
    },
    'DELETE /projects/:id/repository/branches/:branch': { success: 200, level: 30, given: newBranch },
    'PUT /projects/:id/repository/branches/:branch/protect': { success: 200, level: 40, given: newBranch },
    'PUT /projects/:id/repository/branches/:branch/unprotect': { success: 200, level: 40, given: newBranch },
    'DELETE /projects/:id/repository/merged_branches': { success: 202, level: 30, given: fresh },
    'POST /projects/:id/repository/tags': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), tag_name: world.unique('tag'), ref: 'master' }),
    },
    'DELETE /projects/:id/repository/tags/:tag_name': { success: 204, level: 30, given: newTag },
    'POST /projects/:id/repository/tags/:tag_name/release': { success: 201, level: 30, given: notes },
    'PUT /projects/:id/repository/tags/:tag_name/release': {
      success: 200,
      level: 30,
      given: async (at) => {
        const given = await notes(at);
        const { id: projectId, tag_name: tag, description } = given;
        await world.db.release.create({ data: { projectId, tag, description } });
        return given;
      },
    },
    'GET /projects/:id/variables': { success: 200, level: 40 },
    'GET /projects/:id/variables/:key': { success: 200, level: 40, given: variable },
    'POST /projects/:id/variables': { success: 201, level: 40, given: newVariable },
    'PUT /projects/:id/variables/:key': { success: 200, level: 40, given: variable },
    'DELETE /projects/:id/variables/:key': { success: 204, level: 40, given: variable },
    'POST /projects/:id/uploads': { ...reading, success: 201, given: attached },
    'GET /projects/:id/snippets': reading,
    'GET /projects/:id/snippets/:snippet_id': { ...anyone, given: snippet },
    'GET /projects/:id/snippets/:snippet_id/raw': { ...anyone, given: snippet },
    'POST /projects/:id/snippets': { success: 201, level: 20, given: newSnippet },
    'PUT /projects/:id/snippets/:snippet_id': { success: 200, level: 100, given: snippet },
    'DELETE /projects/:id/snippets/:snippet_id': { success: 200, level: 100, given: snippet },
    'GET /projects/:id/repository/tree': { ...repository, given: filled },
    'GET /projects/:id/repository/blobs/:sha': { ...repository, given: blob },
    'GET /projects/:id/repository/blobs/:sha/raw': { ...repository, given: blob },
    'GET /projects/:id/repository/files/:file_path': { ...repository, given: file },
    'GET /projects/:id/repository/files/:file_path/raw': { ...repository, given: file },
    'GET /projects/:id/repository/archive': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.zip': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.tar': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.tar.gz': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.tar.bz2': { ...repository, given: filled },
    'GET /projects/:id/repository/compare': {
      ...repository,
      given: async (at) => ({ ...(await filled(at)), from: 'main', to: 'v1' }),
    },
    'GET /projects/:id/repository/contributors': { ...repository, given: filled },
    'GET /projects/:id/repository/commits': { ...repository, open: 'user', given: filled },
    'GET /projects/:id/repository/commits/:sha': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/commits/:sha/diff': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/commits/:sha/comments': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/branches': { ...repository, given: filled },
    'GET /projects/:id/repository/branches/:branch': {
      ...repository,
      given: async (at) => ({ ...(await filled(at)), branch: 'main' }),
    },
    'GET /projects/:id/repository/tags': { ...repository, given: filled },
    'GET /projects/:id/repository/tags/:tag_name': {
      ...repository,
      given: async (at) => ({ ...(await filled(at)), tag_name: 'v1' }),
    },
  };
}
