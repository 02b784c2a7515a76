// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { git } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const outsider = await world.user();
const api = world.api(developer);

const KEYS = [
  'id',
  'iid',
  'project_id',
  'title',
  'description',
  'state',
  'created_at',
  'updated_at',
  'target_branch',
  'source_branch',
  'upvotes',
  'downvotes',
  'author',
  'assignee',
  'assignees',
  'reviewers',
  'source_project_id',
  'target_project_id',
  'labels',
  'draft',
  'work_in_progress',
  'milestone',
  'merge_when_pipeline_succeeds',
  'merge_status',
  'sha',
  'merge_commit_sha',
  'user_notes_count',
  'should_remove_source_branch',
  'force_remove_source_branch',
  'web_url',
  'merged_by',
  'merge_user',
  'merged_at',
  'closed_by',
  'closed_at',
  'prepared_at',
  'merge_after',
  'imported',
  'imported_from',
  'detailed_merge_status',
  'has_conflicts',
  'blocking_discussions_resolved',
  'discussion_locked',
  'squash',
  'squash_on_merge',
  'squash_commit_sha',
  'task_completion_status',
  'time_stats',
  'reference',
  'references',
];

const DETAIL_KEYS = [
  ...KEYS,
  'changes_count',
  'diff_refs',
  'head_pipeline',
  'pipeline',
  'latest_build_started_at',
  'latest_build_finished_at',
  'merge_error',
  'user',
  'subscribed',
];

async function stage(visibility: 'private' | 'public' = 'private', branch = 'topic') {
  const project = await world.project({ owner, visibility });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const head = await withTopic(world, project, owner, branch);
  return { project, head, at: `/projects/${project.id}/merge_requests` };
}

const branches = { source_branch: 'topic', target_branch: 'master' };
const statusOf = async (at: string, iid: number, who: TestUser = developer) =>
  (await world.api(who).get(`${at}/${iid}`)).body.merge_status;
const checked = async (at: string, iid: number, status: string) =>
  world.until(async () => (await statusOf(at, iid)) === status);
const refIn = (project: ProjectRow, ref: string) =>
  git(world.repositories.directory(project), ['rev-parse', '--verify', ref]).trim();

describe('POST /projects/:id/merge_requests', () => {
  it('opens a merge request, whose head git clients can fetch', LONG, async () => {
    const { project, head, at } = await stage();
    const milestone = await world.milestone(project, owner);
    const { status, body } = await world.api(reporter).post(at, { title: 'x', ...branches });
    expect([status, body]).toEqual([403, { message: '403 Forbidden' }]);
    const given = {
      title: 'WIP: Add b',
      ...branches,
      description: 'Text for @someone',
      assignee_id: master.id,
      milestone_id: milestone.id,
      labels: 'bug, new one',
      remove_source_branch: true,
    };
    const answer = await api.post(at, given);
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual(DETAIL_KEYS);
    expect(answer.body).toMatchObject({
      iid: 1,
      project_id: project.id,
      source_project_id: project.id,
      target_project_id: project.id,
      title: 'WIP: Add b',
      description: 'Text for @someone',
      state: 'opened',
      draft: true,
      work_in_progress: true,
      author: { id: developer.id },
      assignee: { id: master.id },
      milestone: { id: milestone.id },
      labels: ['bug', 'new one'],
      sha: head,
      merge_commit_sha: null,
      merge_when_pipeline_succeeds: false,
      should_remove_source_branch: null,
      force_remove_source_branch: true,
      user_notes_count: 0,
      subscribed: true,
      web_url: expect.stringMatching(/\/merge_requests\/1$/),
    });
    expect(refIn(project, 'refs/merge-requests/1/head')).toBe(head);
    await checked(at, 1, 'can_be_merged');
    const { body: events } = await api.get(`/projects/${project.id}/events`);
    expect(events[0]).toMatchObject({ action_name: 'opened', target_type: 'MergeRequest', target_title: 'WIP: Add b' });
  });

  it('numbers merge requests by themselves, beside issues', LONG, async () => {
    const { project, at } = await stage();
    await world.issue(project, owner);
    await createBranch(world.as(owner), project.id, 'second', 'topic');
    expect((await api.post(at, { title: 'One', ...branches })).body.iid).toBe(1);
    expect((await api.post(at, { title: 'Two', ...branches, source_branch: 'second' })).body.iid).toBe(2);
  });

  it('refuses a second open one for the same branches with the title of the first', LONG, async () => {
    const { project, at } = await stage();
    await api.post(at, { title: 'The "first"', ...branches });
    const refusal = {
      status: 409,
      body: { message: ['Cannot Create: This merge request already exists: ["The \\"first\\""]'] },
    };
    expect(await api.post(at, { title: 'Second', ...branches })).toMatchObject(refusal);
    expect(await world.db.mergeRequest.count({ where: { targetProjectId: project.id } })).toBe(1);
    await api.put(`${at}/1`, { state_event: 'close' });
    expect((await api.post(at, { title: 'Second', ...branches })).status).toBe(201);
    expect(await api.put(`${at}/1`, { state_event: 'reopen' })).toMatchObject({
      status: 409,
      body: { message: ['Cannot Create: This merge request already exists: ["Second"]'] },
    });
  });

  it('opens one, however many ask at once', LONG, async () => {
    const { project, at } = await stage();
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => api.post(at, { title: `No. ${n}`, ...branches })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await world.db.mergeRequest.count({ where: { targetProjectId: project.id } })).toBe(1);
    expect((await api.get(at)).body[0].iid).toBe(1);
  });

  it('refuses equal sides and projects that are no forks', LONG, async () => {
    const { project, at } = await stage();
    const other = (await stage('public')).project;
    expect(await api.post(at, { title: 'x', ...branches, source_branch: 'master' })).toMatchObject({
      status: 422,
      body: { error: ['You can not use same project/branch for source and target'] },
    });
    expect(await api.post(at, { title: 'x', ...branches, target_project_id: other.id })).toMatchObject({
      status: 422,
      body: { error: ['Source project is not a fork of the target project'] },
    });
    const hidden = await world.project({ owner, visibility: 'private' });
    expect(await api.post(at, { title: 'x', ...branches, target_project_id: hidden.id })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
    expect(await world.db.mergeRequest.count({ where: { sourceProjectId: project.id } })).toBe(0);
  });

  it('refuses missing parameters, missing branches and bad titles', LONG, async () => {
    const { at } = await stage();
    expect(await api.post(at, {})).toMatchObject({
      status: 400,
      body: { error: 'title is missing, source_branch is missing, target_branch is missing' },
    });
    expect(await api.post(at, { title: ' ', ...branches })).toMatchObject({
      status: 400,
      body: { message: { title: ["can't be blank"] } },
    });
    expect(await api.post(at, { title: 'x', source_branch: 'no', target_branch: 'neither' })).toMatchObject({
      status: 400,
      body: { message: { source_branch: ['does not exist'], target_branch: ['does not exist'] } },
    });
    const empty = await world.project({ owner });
    const given = { title: 'x', source_branch: 'a', target_branch: 'b' };
    expect((await world.api(owner).post(`/projects/${empty.id}/merge_requests`, given)).status).toBe(400);
  });

  it(
    'drops what only reporters set, and takes nothing in an archived project or one without merge requests',
    LONG,
    async () => {
      const { project, at } = await stage('public');
      const fork = (await world.api(outsider).post(`/projects/${project.id}/fork`)).body;
      await world.idle();
      const given = { title: 'x', ...branches, target_project_id: project.id, labels: 'bug', assignee_id: master.id };
      const { status, body } = await world.api(outsider).post(`/projects/${fork.id}/merge_requests`, given);
      expect([status, body.labels, body.assignee, body.project_id, body.source_project_id]).toEqual([
        201,
        [],
        null,
        project.id,
        fork.id,
      ]);
      await world.db.project.update({ where: { id: project.id }, data: { archived: true } });
      const another = { ...given, source_branch: 'master', target_branch: 'topic' };
      expect((await world.api(outsider).post(`/projects/${fork.id}/merge_requests`, another)).status).toBe(403);
      expect((await api.post(at, { title: 'x', ...branches })).status).toBe(403);
      expect((await api.put(`${at}/1`, { title: 'y' })).status).toBe(403);
      expect((await world.api(outsider).put(`${at}/1`, { title: 'y' })).status).toBe(403);
      await world.db.project.update({
        where: { id: project.id },
        data: { archived: false, mergeRequestsEnabled: false },
      });
      expect((await world.api(outsider).post(`/projects/${fork.id}/merge_requests`, another)).status).toBe(403);
      for (const path of [at, `${at}/1`, `${at}/1/commits`, `${at}/1/changes`, `${at}/1/versions`]) {
        expect((await api.get(path)).status).toBe(403);
      }
    },
  );
});

describe('GET /projects/:id/merge_requests', () => {
  let at: string;
  beforeAll(async () => {
    const { project, ...made } = await stage();
    at = made.at;
    for (const name of ['one', 'two', 'three']) await createBranch(world.as(owner), project.id, name, 'topic');
    for (const name of ['one', 'two', 'three']) await api.post(at, { ...branches, title: name, source_branch: name });
    await api.put(`${at}/2`, { state_event: 'close' });
    await world.idle();
    await api.put(`${at}/1`, { description: 'changed' });
  });
  const titles = async (query: string) => (await api.get(at + query)).body.map(({ title }: { title: string }) => title);

  it('lists them newest first, by state, numbers and order', async () => {
    expect(await titles('')).toEqual(['three', 'two', 'one']);
    expect(await titles('?state=opened')).toEqual(['three', 'one']);
    expect(await titles('?state=closed')).toEqual(['two']);
    expect(await titles('?state=merged')).toEqual([]);
    expect(await titles('?state=all&sort=asc')).toEqual(['one', 'two', 'three']);
    expect((await titles('?order_by=updated_at'))[0]).toBe('one');
    expect(await titles('?iids[]=1&iids[]=3')).toEqual(['three', 'one']);
    expect(await titles('?per_page=1&page=2')).toEqual(['two']);
    const { headers, body } = await api.get(at);
    expect(headers).toMatchObject({ 'x-total': '3' });
    expect(Object.keys(body[0])).toEqual(KEYS);
    expect(await api.get(`${at}?state=odd`)).toMatchObject({ body: { error: 'state does not have a valid value' } });
  });

  it('is for reporters in a private project', async () => {
    expect((await world.api(guest).get(at)).status).toBe(403);
    expect((await world.api(outsider).get(at)).status).toBe(404);
    expect((await world.api().get(at)).status).toBe(401);
    expect((await world.api(reporter).get(at)).status).toBe(200);
    expect(await api.get(`${at}/99`)).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    expect((await world.api(guest).get(`${at}/99`)).status).toBe(403);
  });
});

describe('PUT /projects/:id/merge_requests/:merge_request_iid', () => {
  it('changes it for developers, its author and its assignee', LONG, async () => {
    const { project, at } = await stage('public');
    const mergeRequest = await opened(world, project, developer);
    expect((await world.api(reporter).put(`${at}/1`, { title: 'No' })).status).toBe(403);
    expect((await world.api(outsider).put(`${at}/1`, { title: 'No' })).status).toBe(403);
    await api.put(`${at}/1`, { assignee_id: outsider.id, labels: 'bug' });
    const { status, body } = await world.api(outsider).put(`${at}/1`, { title: '[WIP] Yes', labels: '' });
    expect([status, body.title, body.work_in_progress, body.labels]).toEqual([200, '[WIP] Yes', true, ['bug']]);
    expect((await api.put(`${at}/1`, { assignee_id: 0, labels: '', remove_source_branch: false })).body).toMatchObject({
      assignee: null,
      labels: [],
      force_remove_source_branch: false,
    });
    expect((await world.api(outsider).put(`${at}/1`, { title: 'No' })).status).toBe(403);
    expect((await world.db.mergeRequest.findUnique({ where: { id: mergeRequest.id } }))?.title).toBe('[WIP] Yes');
  });

  it('refuses blank values, and asks for one parameter at least', LONG, async () => {
    const { project, at } = await stage();
    await opened(world, project, developer);
    expect(await api.put(`${at}/1`, { title: '', target_branch: ' ' })).toMatchObject({
      status: 400,
      body: { error: 'title is empty, target_branch is empty' },
    });
    expect((await api.put(`${at}/1`, {})).body.error).toMatch(/^title, target_branch, .*at least one parameter/);
    expect((await api.put(`${at}/1`, { target_branch: 'none' })).body).toEqual({
      message: { target_branch: ['does not exist'] },
    });
    expect(await api.put(`${at}/1`, { target_branch: 'topic' })).toMatchObject({ status: 422 });
  });

  it('closes and reopens it, with events, but not one that is merged', LONG, async () => {
    const { project, at } = await stage();
    const { id } = await opened(world, project, developer);
    expect((await api.put(`${at}/1`, { state_event: 'close' })).body.state).toBe('closed');
    expect((await api.put(`${at}/1`, { state_event: 'close' })).body.state).toBe('closed');
    expect((await api.put(`${at}/1`, { state_event: 'reopen' })).body.state).toBe('opened');
    const events = await world.db.event.findMany({ where: { targetType: 'MergeRequest' }, orderBy: { id: 'asc' } });
    expect(events.filter(({ targetId }) => targetId === id).map(({ action }) => action)).toEqual([
      'opened',
      'closed',
      'opened',
    ]);
    await world.idle();
    await world.db.mergeRequest.update({ where: { id }, data: { state: 'merged' } });
    for (const state_event of ['close', 'reopen']) {
      expect(await api.put(`${at}/1`, { state_event })).toMatchObject({ status: 200, body: { state: 'merged' } });
    }
  });

  it('takes a time to merge after, and waits for none', LONG, async () => {
    const { at } = await stage();
    const values = {
      title: 'Soon',
      source_branch: 'topic',
      target_branch: 'master',
      merge_after: '2030-01-01T00:00:00Z',
    };
    const { status, body: made } = await api.post(at, values);
    expect([status, made.merge_after]).toEqual([201, null]);
    const changed = await api.put(`${at}/1`, { merge_after: '2030-01-01T00:00:00Z' });
    expect([changed.status, changed.body.title, changed.body.merge_after]).toEqual([200, 'Soon', null]);
  });

  it('takes another target branch with a new version, and looks at it anew', LONG, async () => {
    const { project, at } = await stage();
    await createBranch(world.as(owner), project.id, 'release', 'master');
    await commitTo(world, project, owner, 'release', 'b.txt', 'something else\n');
    await opened(world, project, developer);
    await checked(at, 1, 'can_be_merged');
    const { body } = await api.put(`${at}/1`, { target_branch: 'release' });
    expect(body).toMatchObject({ target_branch: 'release', merge_status: 'unchecked' });
    await checked(at, 1, 'cannot_be_merged');
    expect((await api.get(`${at}/1/versions`)).body).toHaveLength(2);
  });
});

describe('DELETE /projects/:id/merge_requests/:merge_request_iid', () => {
  it('is for owners; ref, events but its own and everything below go', LONG, async () => {
    const { project, at } = await stage();
    const { id } = await opened(world, project, developer, { labels: ['bug'] });
    await world.idle();
    expect((await world.api(master).delete(`${at}/1`)).status).toBe(403);
    expect(await world.db.mergeRequest.count({ where: { id } })).toBe(1);
    expect(await world.api(owner).delete(`${at}/1`)).toMatchObject({ status: 204 });
    expect(await api.get(`${at}/1`)).toMatchObject({ status: 404 });
    expect((await world.api(owner).delete(`${at}/1`)).status).toBe(404);
    await world.idle();
    expect(() => refIn(project, 'refs/merge-requests/1/head')).toThrow();
    const about = { targetType: 'MergeRequest', targetId: id };
    expect((await world.db.event.findMany({ where: about })).map(({ action }) => action)).toEqual(['destroyed']);
    expect(await world.db.mergeRequestVersion.count({ where: { mergeRequestId: id } })).toBe(0);
    expect((await api.post(at, { title: 'Next', ...branches })).body.iid).toBe(2);
  });
});

describe('POST /projects/:id/merge_requests/:merge_request_iid/subscribe', () => {
  it('is for those who may change it', LONG, async () => {
    const { project, at } = await stage();
    await opened(world, project, developer);
    expect((await world.api(developer).post(`${at}/1/subscribe`)).status).toBe(304);
    expect((await world.api(reporter).post(`${at}/1/subscribe`)).status).toBe(403);
    expect(await world.api(master).post(`${at}/1/subscribe`)).toMatchObject({
      status: 201,
      body: { subscribed: true, iid: 1 },
    });
    expect((await world.api(master).post(`${at}/1/subscribe`)).status).toBe(304);
    expect((await world.api(master).post(`${at}/1/unsubscribe`)).body.subscribed).toBe(false);
    expect((await world.api(master).post(`${at}/1/unsubscribe`)).status).toBe(304);
  });
});

describe('The commits, changes and versions of a merge request', () => {
  it('are those of its branch since both parted', LONG, async () => {
    const { project, head, at } = await stage('private', 'feature/with/slashes');
    await commitTo(world, project, owner, 'master', 'other.txt');
    const second = await commitTo(world, project, owner, 'feature/with/slashes', 'c.txt');
    await opened(world, project, developer, { sourceBranch: 'feature/with/slashes' });
    const commits = await api.get(`${at}/1/commits`);
    expect(commits.body.map(({ id }: { id: string }) => id)).toEqual([second, head]);
    expect(commits.headers['x-total']).toBe('2');
    expect((await api.get(`${at}/1/commits?per_page=1&page=2`)).body[0].id).toBe(head);
    const { body } = await api.get(`${at}/1/changes`);
    expect(Object.keys(body)).toEqual([...DETAIL_KEYS, 'changes', 'overflow']);
    expect(body.changes.map(({ new_path }: { new_path: string }) => new_path)).toEqual(['b.txt', 'c.txt']);
    expect(body.changes[0]).toMatchObject({ new_file: true, diff: expect.stringContaining('+b.txt') });
    const [version] = (await api.get(`${at}/1/versions`)).body;
    const reader = await world.repositories.open(project);
    expect(version).toEqual({
      id: expect.any(Number),
      head_commit_sha: second,
      base_commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      start_commit_sha: (await reader?.branch('master'))?.commit,
      created_at: expect.any(String),
      merge_request_id: expect.any(Number),
      state: 'collected',
      real_size: '2',
      patch_id_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const single = await api.get(`${at}/1/versions/${version.id}`);
    expect(single.body).toMatchObject(version);
    expect(single.body.commits).toHaveLength(2);
    expect(single.body.diffs).toEqual(body.changes);
    expect(await api.get(`${at}/1/versions/${version.id + 1000}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
    for (const below of ['commits', 'changes', 'versions', `versions/${version.id}`]) {
      expect((await world.api(guest).get(`${at}/1/${below}`)).status).toBe(403);
      expect((await world.api(outsider).get(`${at}/1/${below}`)).status).toBe(404);
    }
  });

  it('of another merge request are not found under this one', LONG, async () => {
    const { project, at } = await stage();
    await createBranch(world.as(owner), project.id, 'second', 'topic');
    await opened(world, project, developer);
    await opened(world, project, developer, { sourceBranch: 'second' });
    const [version] = (await api.get(`${at}/2/versions`)).body;
    expect((await api.get(`${at}/1/versions/${version.id}`)).status).toBe(404);
  });
});
