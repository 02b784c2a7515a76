import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const guest = await world.user();
const api = world.api(master);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/milestones`;
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, guest, 'guest');
});

const KEYS = [
  'id',
  'iid',
  'project_id',
  'group_id',
  'title',
  'description',
  'state',
  'created_at',
  'updated_at',
  'due_date',
  'start_date',
  'expired',
  'web_url',
];
const titles = ({ body }: Json) => body.map(({ title }: { title: string }) => title);
const notFound = { status: 404, body: { message: '404 Not found' } };

describe('POST /projects/:id/milestones', () => {
  it('creates a milestone', async () => {
    const given = { title: 'v1', description: 'first', start_date: '2030-01-01', due_date: '2030-02-01' };
    const { status, body } = await api.post(at, given);
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({ ...given, iid: 1, project_id: project.id, state: 'active' });
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const where = { targetType: 'Milestone', targetId: body.id };
    expect(await world.db.event.findMany({ where })).toMatchObject([{ authorId: master.id, projectId: project.id }]);
  });

  it('leaves no gap in the numbers when one is refused', async () => {
    const first = await world.milestone(project, owner);
    await api.post(at, { title: first.title });
    expect((await world.milestone(project, owner)).iid).toBe(first.iid + 1);
  });

  it.each([
    [{}, { error: 'title is missing' }],
    [{ title: '' }, { message: `Failed to create milestone {:title=>["can't be blank"]}` }],
    [{ title: 'v1' }, { message: 'Failed to create milestone {:title=>["has already been taken"]}' }],
    [
      { title: 'x', start_date: '2030-02-02', due_date: '2030-02-01' },
      { message: `Failed to create milestone {:start_date=>["Can't be greater than due date"]}` },
    ],
    [
      { title: 'x', start_date: '2030-02-01', due_date: '2030-02-01' },
      { message: `Failed to create milestone {:start_date=>["Can't be greater than due date"]}` },
    ],
    [{ title: 'x', due_date: '2030-02-30' }, { error: 'due_date is invalid' }],
    [{ title: 'x', start_date: 'now', due_date: 'then' }, { error: 'due_date is invalid, start_date is invalid' }],
  ])('refuses %j', async (given, body) => {
    const before = await world.db.milestone.count();
    const answer = await api.post(at, given);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    expect(await world.db.milestone.count()).toBe(before);
  });

  it('is for masters', async () => {
    const answer = await world.api(developer).post(at, { title: 'no' });
    expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
    expect(await world.db.milestone.count({ where: { title: 'no' } })).toBe(0);
  });
});

describe('GET /projects/:id/milestones', () => {
  it('lists the newest first, and filters by state, iids and search', LONG, async () => {
    const own = await world.project({ owner });
    const asOwner = world.api(owner);
    const path = `/projects/${own.id}/milestones`;
    for (const title of ['Alpha', 'Beta', 'Gamma'])
      await world.milestone(own, owner, { title, description: `of ${title}` });
    const beta = (await asOwner.get(`${path}?iids=2`)).body[0];
    await asOwner.put(`${path}/${beta.id}`, { state_event: 'close' });
    const list = async (query: string) => titles(await asOwner.get(`${path}?${query}`));
    expect(await list('')).toEqual(['Gamma', 'Beta', 'Alpha']);
    expect(await list('state=all')).toEqual(['Gamma', 'Beta', 'Alpha']);
    expect(await list('state=active')).toEqual(['Gamma', 'Alpha']);
    expect(await list('state=closed')).toEqual(['Beta']);
    expect(await list('iids[]=1&iids[]=3')).toEqual(['Gamma', 'Alpha']);
    expect(await list('search=OF%20b')).toEqual(['Beta']);
    expect(await list('search=%25')).toEqual([]);
    expect(await asOwner.get(`${path}?state=opened`)).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    });
    expect((await asOwner.get(`${path}?state=active`)).headers['x-total']).toBe('2');
    expect(Object.keys(beta)).toEqual(KEYS);
  });
});

describe('GET /projects/:id/milestones/:milestone_id', () => {
  it('shows the milestone of the project', async () => {
    const { id, title } = await world.milestone(project, owner);
    const { status, body } = await world.api(guest).get(`${at}/${id}`);
    expect([status, body.id, body.title, Object.keys(body)]).toEqual([200, id, title, KEYS]);
  });

  it('is 404 for missing ones and those of other projects', async () => {
    const foreign = await world.milestone(await world.project({ owner }), owner);
    for (const id of [0, 999_999, foreign.id]) expect(await api.get(`${at}/${id}`)).toMatchObject(notFound);
    expect(await api.get(`${at}/abc`)).toMatchObject({ status: 400, body: { error: 'milestone_id is invalid' } });
  });
});

describe('PUT /projects/:id/milestones/:milestone_id', () => {
  it('changes what is given and leaves the rest', async () => {
    const { id, title } = await world.milestone(project, owner, {
      description: 'kept',
      startDate: '2030-01-01',
      dueDate: '2030-02-01',
    });
    const changed = await api.put(`${at}/${id}`, { due_date: '2030-03-01' });
    expect(changed).toMatchObject({
      status: 200,
      body: { title, description: 'kept', start_date: '2030-01-01', due_date: '2030-03-01', state: 'active' },
    });
    expect(await api.put(`${at}/${id}`, { start_date: '', due_date: null })).toMatchObject({
      body: { start_date: null, due_date: null },
    });
  });

  it('closes, activates, and leaves what is so already', async () => {
    const { id } = await world.milestone(project, owner);
    for (const [state_event, state] of [
      ['close', 'closed'],
      ['close', 'closed'],
      ['activate', 'active'],
      ['activate', 'active'],
    ]) {
      expect(await api.put(`${at}/${id}`, { state_event })).toMatchObject({ status: 200, body: { state } });
    }
  });

  it('refuses what makes no milestone, and who is no master', async () => {
    const { id, title } = await world.milestone(project, owner, { dueDate: '2030-02-01' });
    const taken = await world.milestone(project, owner);
    const missing =
      'title, description, start_date, due_date, state_event are missing, at least one parameter must be provided';
    const cases: [object, object][] = [
      [{}, { error: missing }],
      [{ title: taken.title }, { message: 'Failed to update milestone {:title=>["has already been taken"]}' }],
      [{ title: '' }, { message: `Failed to update milestone {:title=>["can't be blank"]}` }],
      [
        { start_date: '2030-02-01' },
        { message: `Failed to update milestone {:start_date=>["Can't be greater than due date"]}` },
      ],
      [{ state_event: 'reopen' }, { error: 'state_event does not have a valid value' }],
    ];
    for (const [given, body] of cases) {
      const answer = await api.put(`${at}/${id}`, given);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    }
    expect(await world.api(developer).put(`${at}/${id}`, { title: 'x' })).toMatchObject({ status: 403 });
    expect(await api.put(`${at}/0`, { title: 'x' })).toMatchObject(notFound);
    expect((await api.get(`${at}/${id}`)).body).toMatchObject({ title, start_date: null });
  });
});

describe('GET /projects/:id/milestones/:milestone_id/issues', () => {
  it('lists its issues that the caller sees, oldest first', async () => {
    const { id } = await world.milestone(project, owner);
    for (const title of ['first', 'second']) await world.issue(project, owner, { title, milestoneId: id });
    await world.issue(project, owner, { title: 'secret', milestoneId: id, confidential: true });
    await world.issue(project, owner, { title: 'elsewhere' });
    const seen = await api.get(`${at}/${id}/issues`);
    expect([titles(seen), seen.headers['x-total']]).toEqual([['first', 'second', 'secret'], '3']);
    const less = await world.api(guest).get(`${at}/${id}/issues`);
    expect([titles(less), less.headers['x-total']]).toEqual([['first', 'second'], '2']);
    expect(less.body[0]).not.toHaveProperty('subscribed');
    expect(await api.get(`${at}/0/issues`)).toMatchObject(notFound);
  });
});

describe('GET /projects/:id/milestones/:milestone_id/merge_requests', () => {
  it('lists its merge requests for reporters, oldest first', LONG, async () => {
    const { id } = await world.milestone(project, owner);
    for (const iid of [1, 2]) await world.mergeRequest(project, owner, { iid, milestoneId: id });
    const { status, headers, body } = await world.api(developer).get(`${at}/${id}/merge_requests`);
    expect([status, headers['x-total']]).toEqual([200, '2']);
    expect(body.map(({ iid }: { iid: number }) => iid)).toEqual([1, 2]);
    expect(body[0]).toMatchObject({
      project_id: project.id,
      source_project_id: project.id,
      target_project_id: project.id,
      state: 'opened',
      labels: [],
      source_branch: 'topic',
      target_branch: 'main',
      merge_status: 'unchecked',
      work_in_progress: false,
      sha: null,
      milestone: { id },
      author: { id: owner.id },
      assignee: null,
      upvotes: 0,
      downvotes: 0,
      user_notes_count: 0,
    });
    expect(await world.api(guest).get(`${at}/${id}/merge_requests`)).toMatchObject({ status: 403 });
    expect(await api.get(`${at}/0/merge_requests`)).toMatchObject(notFound);
  });
});
