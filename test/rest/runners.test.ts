import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { projectToken, registerRunner, type TestRunner } from '../support/runner.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const master = await world.user();
const developer = await world.user();
const stranger = await world.user();
const api = world.api(master);
let project: ProjectRow;
let other: ProjectRow;
let shared: TestRunner;
let own: TestRunner;

const ofProject = async (place: ProjectRow, who: TestUser, values: Record<string, unknown> = {}) =>
  registerRunner(world, { token: await projectToken(world, who, place.id), ...values });

beforeAll(async () => {
  project = await world.project({ owner: master });
  other = await world.project({ owner: master });
  await world.member(project, developer, 'developer');
  shared = await registerRunner(world, { description: 'shared one', tag_list: 'a,b' });
  own = await ofProject(project, master, { description: 'own one' });
});

const KEYS = [
  ...['id', 'description', 'active', 'is_shared', 'name'],
  ...['paused', 'runner_type', 'online', 'status', 'job_execution_status', 'created_at', 'created_by'],
];
const DETAILS = [
  ...KEYS,
  'tag_list',
  'run_untagged',
  'locked',
  'version',
  'revision',
  'platform',
  'architecture',
  'contacted_at',
  'access_level',
  'maximum_timeout',
  'maintenance_note',
  'groups',
  'projects',
];
const SIMPLE = ['id', 'http_url_to_repo', 'web_url', 'name', 'name_with_namespace', 'path', 'path_with_namespace'];
const ids = (body: { id: number }[]) => body.map(({ id }) => id);
const refused = (reason?: string) => ({
  status: 403,
  body: { message: reason ? `403 Forbidden  - ${reason}` : '403 Forbidden' },
});
const notFound = { status: 404, body: { message: '404 Not found' } };

describe('GET /runners', () => {
  it('lists the runners of projects that the caller is a master of, in the order of registration', async () => {
    const mine = await world.user();
    const place = await world.project({ owner: mine });
    const [one, two] = [await ofProject(place, mine), await ofProject(place, mine, { active: false })];
    const { status, body, headers } = await world.api(mine).get('/runners');
    expect([status, ids(body), headers['x-total']]).toEqual([200, [one.id, two.id], '2']);
    expect(Object.keys(body[0])).toEqual(KEYS);
    expect(body[0]).toMatchObject({
      id: one.id,
      description: 'a runner',
      active: true,
      is_shared: false,
      name: 'test-runner',
    });
    expect(ids((await world.api(mine).get('/runners?scope=paused')).body)).toEqual([two.id]);
    expect(ids((await world.api(mine).get('/runners?scope=active')).body)).toEqual([one.id]);
    expect(ids((await world.api(mine).get('/runners?scope=online')).body)).toEqual([]);
    await two.request();
    expect(ids((await world.api(mine).get('/runners?scope=online')).body)).toEqual([two.id]);
    expect((await world.api(mine).get('/runners?per_page=1&page=2')).body).toMatchObject([{ id: two.id }]);
  });

  it('shows developers and strangers none, and anonymous callers nothing', async () => {
    expect((await world.api(developer).get('/runners')).body).toEqual([]);
    expect((await world.api(stranger).get('/runners')).body).toEqual([]);
    expect((await world.api().get('/runners')).status).toBe(401);
  });

  it('lists those of groups that the caller is a master of, and of subgroups', async () => {
    const owner = await world.user();
    const group = await world.group({ owner });
    const place = await world.project({ owner, namespaceId: group.id });
    const runner = await ofProject(place, owner);
    expect(ids((await world.api(owner).get('/runners')).body)).toEqual([runner.id]);
  });

  it('400 for an unknown scope', async () => {
    const answer = { status: 400, body: { error: 'scope does not have a valid value' } };
    expect(await api.get('/runners?scope=unknown')).toMatchObject(answer);
    expect(await world.api(admin).get('/runners/all?scope=unknown')).toMatchObject(answer);
  });
});

describe('GET /runners/all', () => {
  it('lists all for administrators', async () => {
    const all = world.api(admin);
    const { body } = await all.get('/runners/all?per_page=100');
    expect(ids(body)).toEqual(expect.arrayContaining([shared.id, own.id]));
    expect(ids((await all.get('/runners/all?scope=shared&per_page=100')).body)).toContain(shared.id);
    expect(ids((await all.get('/runners/all?scope=shared&per_page=100')).body)).not.toContain(own.id);
    expect(ids((await all.get('/runners/all?scope=specific&per_page=100')).body)).not.toContain(shared.id);
    expect(await api.get('/runners/all')).toMatchObject(refused());
  });

  it('costs the same number of statements however many there are', async () => {
    const all = world.api(admin);
    await all.get('/runners/all');
    const few = (await world.statements(() => all.get('/runners/all'))).length;
    for (let n = 0; n < 4; n += 1) await registerRunner(world);
    expect((await world.statements(() => all.get('/runners/all'))).length).toBe(few);
  });
});

describe('GET /runners/:id', () => {
  it('shows all of a runner, and of its projects those that the caller sees; its token never', async () => {
    const { status, body } = await api.get(`/runners/${own.id}`);
    expect([status, Object.keys(body)]).toEqual([200, DETAILS]);
    expect(body).toMatchObject({
      id: own.id,
      description: 'own one',
      active: true,
      is_shared: false,
      tag_list: [],
      run_untagged: true,
      locked: false,
      version: '9.1.0',
      platform: 'linux',
      contacted_at: null,
    });
    expect(body.projects.map(Object.keys)).toEqual([SIMPLE]);
    expect(ids(body.projects)).toEqual([project.id]);
    expect(JSON.stringify((await world.api(admin).get(`/runners/${own.id}`)).body)).not.toContain(own.token);
  });

  it('shows shared runners to every user', async () => {
    const { status, body } = await world.api(stranger).get(`/runners/${shared.id}`);
    expect([status, body.tag_list, body.projects]).toEqual([200, ['a', 'b'], []]);
  });

  it('refuses those who administer no project of it, and knows no others', async () => {
    for (const who of [developer, stranger]) {
      expect(await world.api(who).get(`/runners/${own.id}`)).toMatchObject(refused('No access granted'));
    }
    expect(await api.get('/runners/999999')).toMatchObject(notFound);
    expect((await world.api().get(`/runners/${shared.id}`)).status).toBe(401);
  });
});

describe('PUT /runners/:id', () => {
  it('changes what is given, and leaves the rest', async () => {
    const runner = await ofProject(project, master, { tag_list: 'x' });
    const path = `/runners/${runner.id}`;
    const changes = {
      description: 'ünï',
      active: false,
      tag_list: ['p', ' q ', 'p'],
      run_untagged: false,
      locked: true,
    };
    const { status, body } = await api.put(path, changes);
    expect([status, Object.keys(body)]).toEqual([200, DETAILS]);
    expect(body).toMatchObject({ ...changes, tag_list: ['p', 'q'] });
    expect((await api.put(path, { active: 'true' })).body).toMatchObject({
      ...changes,
      active: true,
      tag_list: ['p', 'q'],
    });
  });

  it.each([
    [
      {},
      {
        error:
          'description, active, tag_list, run_untagged, locked, paused, access_level, maximum_timeout, maintenance_note are missing, at least one parameter must be provided',
      },
    ],
    [{ active: 'perhaps' }, { error: 'active is invalid' }],
    [{ description: 'x'.repeat(256) }, { message: { description: ['is too long (maximum is 255 characters)'] } }],
    [
      { tag_list: [], run_untagged: false },
      { message: { tag_list: ['can not be empty when runner is not allowed to pick untagged jobs'] } },
    ],
    [
      { tag_list: Array.from({ length: 51 }, (_, n) => `t${n}`) },
      { message: { tag_list: ['is too long (maximum is 50 tags)'] } },
    ],
  ])('400 for %.60j', async (changes, body) => {
    const before = await world.db.runner.findUniqueOrThrow({ where: { id: own.id } });
    expect(await api.put(`/runners/${own.id}`, changes)).toMatchObject({ status: 400, body });
    expect(await world.db.runner.findUniqueOrThrow({ where: { id: own.id } })).toEqual(before);
  });

  it('is for masters of a project of it, of shared ones for administrators', async () => {
    const changes = { description: 'other' };
    expect(await world.api(stranger).put(`/runners/${own.id}`, changes)).toMatchObject(refused('No access granted'));
    expect(await world.api(developer).put(`/runners/${own.id}`, changes)).toMatchObject(refused('No access granted'));
    expect(await api.put(`/runners/${shared.id}`, changes)).toMatchObject(refused('Runner is shared'));
    expect((await world.api(admin).put(`/runners/${shared.id}`, { description: 'shared one' })).status).toBe(200);
    expect(await api.put('/runners/999999', changes)).toMatchObject(notFound);
  });
});

describe('DELETE /runners/:id', () => {
  it('deletes a runner of one project, which gets no jobs then', async () => {
    const runner = await ofProject(project, master);
    expect(await api.delete(`/runners/${runner.id}`)).toMatchObject({ status: 204, body: null });
    expect((await runner.request()).status).toBe(403);
    expect(await api.delete(`/runners/${runner.id}`)).toMatchObject(notFound);
  });

  it('refuses strangers, shared ones, and those of several projects', async () => {
    const runner = await ofProject(project, master);
    await api.post(`/projects/${other.id}/runners`, { runner_id: runner.id });
    expect(await world.api(stranger).delete(`/runners/${own.id}`)).toMatchObject(refused('No access granted'));
    expect(await api.delete(`/runners/${shared.id}`)).toMatchObject(refused('Runner is shared'));
    expect(await api.delete(`/runners/${runner.id}`)).toMatchObject(
      refused('Runner associated with more than one project'),
    );
    expect(await world.db.runner.count({ where: { id: { in: [own.id, shared.id, runner.id] } } })).toBe(3);
    expect((await world.api(admin).delete(`/runners/${runner.id}`)).status).toBe(204);
  });
});

describe('The runners of a project', () => {
  it('GET lists its own and the shared ones', async () => {
    const owner = await world.user();
    const place = await world.project({ owner });
    const runner = await ofProject(place, owner);
    const { status, body } = await world.api(owner).get(`/projects/${place.id}/runners?per_page=100`);
    expect([status, Object.keys(body[0])]).toEqual([200, KEYS]);
    expect(ids(body)).toEqual(expect.arrayContaining([shared.id, runner.id]));
    expect(ids(body)).not.toContain(own.id);
    expect(ids((await world.api(owner).get(`/projects/${place.id}/runners?scope=specific`)).body)).toEqual([runner.id]);
    expect(await world.api(developer).get(`/projects/${project.id}/runners`)).toMatchObject(refused());
    expect((await world.api(stranger).get(`/projects/${project.id}/runners`)).status).toBe(404);
  });

  it('POST enables a runner for another project, once', async () => {
    const runner = await ofProject(project, master);
    const path = `/projects/${other.id}/runners`;
    const { status, body } = await api.post(path, { runner_id: runner.id });
    expect([status, Object.keys(body), body.id]).toEqual([201, KEYS, runner.id]);
    expect(ids((await api.get(`/runners/${runner.id}`)).body.projects)).toEqual([project.id, other.id]);
    expect(await api.post(path, { runner_id: runner.id })).toMatchObject({
      status: 409,
      body: { message: 'Runner was already enabled for this project' },
    });
  });

  it('POST enables it once when asked twice at once', async () => {
    const runner = await ofProject(project, master);
    const asked = () => api.post(`/projects/${other.id}/runners`, { runner_id: runner.id });
    const statuses = (await Promise.all([asked(), asked(), asked()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409]);
  });

  it('POST refuses shared, locked and foreign ones, whoever asks', LONG, async () => {
    const locked = await ofProject(project, master, { locked: true });
    const path = `/projects/${other.id}/runners`;
    expect(await api.post(path, { runner_id: shared.id })).toMatchObject(refused('Runner is shared'));
    expect(await api.post(path, { runner_id: locked.id })).toMatchObject(refused('Runner is locked'));
    const mine = await world.project({ owner: stranger });
    const foreign = await world.api(stranger).post(`/projects/${mine.id}/runners`, { runner_id: own.id });
    expect(foreign).toMatchObject(refused('No access granted'));
    expect(await world.api(developer).post(`/projects/${project.id}/runners`, { runner_id: own.id })).toMatchObject(
      refused(),
    );
    expect(await api.post(path, { runner_id: 999_999 })).toMatchObject(notFound);
    expect(await api.post(path, {})).toMatchObject({ status: 400, body: { error: 'runner_id is missing' } });
    expect(
      await world.db.runnerProject.count({
        where: { projectId: { in: [other.id, mine.id] }, runnerId: { in: [shared.id, locked.id, own.id] } },
      }),
    ).toBe(0);
  });

  it('DELETE disables it, unless it is its only project', async () => {
    const runner = await ofProject(project, master);
    await api.post(`/projects/${other.id}/runners`, { runner_id: runner.id });
    const at = (place: ProjectRow) => `/projects/${place.id}/runners/${runner.id}`;
    expect(await world.api(developer).delete(at(project))).toMatchObject(refused());
    expect(await api.delete(at(project))).toMatchObject({ status: 204, body: null });
    const missing = { status: 404, body: { message: '404 Runner Not Found' } };
    expect(await api.delete(at(project))).toMatchObject(missing);
    expect(await api.delete(at(other))).toMatchObject(
      refused('Only one project associated with the runner. Please remove the runner instead'),
    );
    expect(await api.delete(`/projects/${project.id}/runners/${shared.id}`)).toMatchObject(missing);
  });

  it('DELETE by two at once leaves it one project', async () => {
    const runner = await ofProject(project, master);
    await api.post(`/projects/${other.id}/runners`, { runner_id: runner.id });
    const places = [project, other];
    const answers = await Promise.all(places.map(({ id }) => api.delete(`/projects/${id}/runners/${runner.id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
  });
});

describe('The runner of a job', () => {
  it('is in its record', LONG, async () => {
    const { project: place } = await projectWithCommit(world, master, { config: 'unit: {script: x}' });
    await world.idle();
    const runner = await ofProject(place, master);
    const path = `/projects/${place.id}/jobs`;
    expect((await api.get(path)).body[0].runner).toBeNull();
    const job = await runner.take();
    const record = { id: runner.id, description: 'a runner', active: true, is_shared: false, name: 'test-runner' };
    expect((await api.get(path)).body[0].runner).toMatchObject(record);
    await runner.update(job, 'success');
    await api.delete(`/runners/${runner.id}`);
    expect((await api.get(`${path}/${job.id}`)).body.runner).toBeNull();
  });
});

describe('POST /ci/lint', () => {
  it.each([
    ['a: {script: x}', 'valid', []],
    [
      'a: {stage: nowhere}',
      'invalid',
      ['a job: chosen stage nowhere does not exist; available stages are .pre, build, test, deploy, .post'],
    ],
    ['', 'invalid', ['Please provide content of .gitlab-ci.yml']],
    ['{', 'invalid', [expect.any(String)]],
    ['a: {script: "\u0000"}', 'invalid', [expect.any(String)]],
  ])('says of %.30j that it is %s, to anybody', async (content, status, errors) => {
    const answer = await world.api().post('/ci/lint', { content });
    expect([answer.status, answer.body]).toEqual([200, { status, errors, warnings: [] }]);
  });

  it('ends a text that is made to take long', LONG, async () => {
    const lines = ['a0: &a0 [x]', ...Array.from({ length: 900 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)];
    const { status, body } = await world.api().post('/ci/lint', { content: lines.join('\n') });
    expect([status, body.status]).toEqual([200, 'invalid']);
  });

  it('costs so much in GraphQL that one operation has five texts checked at most', async () => {
    const query = (times: number) =>
      `{${Array.from({ length: times }, (_, n) => `c${n}: ciLint(content: "a: {script: x}") { status }`).join(' ')}}`;
    const few = (await world.graphql(query(4))).body;
    expect(few.data.c3).toEqual({ status: 'VALID' });
    const many = (await world.graphql(query(6))).body;
    expect(many.errors[0].extensions.code).toBe('QUERY_TOO_LARGE');
  });

  it('400 without content, and where it is no text', async () => {
    expect(await world.api().post('/ci/lint', {})).toMatchObject({
      status: 400,
      body: { error: 'content is missing' },
    });
    expect((await world.api().post('/ci/lint', { content: { a: 1 } })).status).toBe(400);
  });

  it('is the same in GraphQL', async () => {
    const query = 'query ($text: String!) { ciLint(content: $text) { status errors } }';
    const { body } = await world.graphql(query, { text: 'a: {script: x}' });
    expect(body.data.ciLint).toEqual({ status: 'VALID', errors: [] });
  });
});
