// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import { finishJob, startJob } from '#src/domain/ci/jobs/run.ts';
import { stopDue } from '#src/domain/ci/jobs/stop_environment.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { projectWithCommit } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { SIMPLE_PROJECT_KEYS } from '../support/records.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(master);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/environments`;
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

const KEYS = [
  ...['id', 'name', 'slug', 'external_url', 'state', 'tier', 'description', 'created_at', 'updated_at', 'auto_stop_at'],
  ...['auto_stop_setting', 'project', 'kubernetes_namespace', 'flux_resource_path', 'cluster_agent'],
];
const create = async (name = world.unique('env')) => (await api.post(at, { name })).body;
const notFound = { status: 404, body: { message: '404 Not found' } };

describe('GET /projects/:id/environments', () => {
  it('lists oldest first, with the keys of the contract and those of today', async () => {
    const own = await world.project({ owner });
    for (const name of ['b', 'a']) await world.api(owner).post(`/projects/${own.id}/environments`, { name });
    const { status, headers, body } = await world.api(owner).get(`/projects/${own.id}/environments`);
    expect([status, headers['x-total']]).toEqual([200, '2']);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['b', 'a']);
    for (const environment of body) {
      expect(Object.keys(environment)).toEqual(KEYS);
      expect(Object.keys(environment.project).sort()).toEqual(SIMPLE_PROJECT_KEYS.toSorted());
    }
  });

  it('takes the same few statements, however long it is', async () => {
    const own = await world.project({ owner });
    const path = `/projects/${own.id}/environments`;
    await world.api(owner).post(path, { name: 'one' });
    // Each asks for something new: what came before is read ahead.
    const ask = () => world.api(owner).get(`${path}?${world.unique('new')}`);
    const count = async () => (await world.statements(ask)).length;
    await count();
    await count();
    const few = await count();
    for (let n = 0; n < 5; n += 1) await world.api(owner).post(path, { name: `more ${n}` });
    expect(await count()).toBe(few);
  });

  it('is for reporters: 403 below them, also for anybody who only sees a public project', async () => {
    expect((await world.api(reporter).get(at)).status).toBe(200);
    expect((await world.api(guest).get(at)).status).toBe(403);
    const open = await world.project({ owner, visibility: 'public' });
    expect((await world.api(await world.user()).get(`/projects/${open.id}/environments`)).status).toBe(403);
    expect((await world.api().get(`/projects/${open.id}/environments`)).status).toBe(401);
  });
});

describe('POST /projects/:id/environments', () => {
  it('creates an environment with a slug of its own', async () => {
    const { status, body } = await world
      .api(developer)
      .post(at, { name: 'Review/App 1', external_url: 'https://a.example/' });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({
      name: 'Review/App 1',
      external_url: 'https://a.example/',
      project: { id: project.id },
    });
    expect(body.slug).toMatch(/^review-app-1-[a-z0-9]{6}$/);
  });

  it.each([
    [{}, { error: 'name is missing' }],
    [{ name: 'x', slug: 'y' }, { error: 'slug is automatically generated and cannot be changed' }],
    [{ name: '' }, { message: { name: ["can't be blank"] } }],
    [{ name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [
      { name: 'a:b' },
      { message: { name: ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces"] } },
    ],
    [{ name: 'x', external_url: 'javascript:alert(1)' }, { message: { external_url: ['must be a valid URL'] } }],
  ])('400 for %j', async (body, answer) => {
    const before = await world.db.environment.count();
    expect(await api.post(at, body)).toMatchObject({ status: 400, body: answer });
    expect(await world.db.environment.count()).toBe(before);
  });

  it('400 when the name is taken in the project, also by who comes at the same moment', LONG, async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.post(at, { name: 'taken' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    expect(await api.post(at, { name: 'taken' })).toMatchObject({
      status: 400,
      body: { message: { name: ['has already been taken'] } },
    });
    const other = await world.project({ owner });
    expect((await world.api(owner).post(`/projects/${other.id}/environments`, { name: 'taken' })).status).toBe(201);
  });

  it('403 for reporters', async () => {
    expect((await world.api(reporter).post(at, { name: 'mine' })).status).toBe(403);
    expect(await world.db.environment.count({ where: { name: 'mine' } })).toBe(0);
  });
});

describe('PUT /projects/:id/environments/:environment_id', () => {
  it('changes name and address, and leaves the slug', async () => {
    const { id, slug } = await create();
    const name = world.unique('new ');
    const { status, body } = await api.put(`${at}/${id}`, { name, external_url: 'http://b.example' });
    expect([status, body.name, body.slug, body.external_url]).toEqual([200, name, slug, 'http://b.example']);
    expect((await api.put(`${at}/${id}`, { external_url: '' })).body).toMatchObject({ name, external_url: null });
  });

  it('400 for a slug, 403 for developers, 404 for an unknown one', async () => {
    const { id, name } = await create();
    expect((await api.put(`${at}/${id}`, { slug: 'x' })).status).toBe(400);
    expect((await world.api(developer).put(`${at}/${id}`, { name: 'changed' })).status).toBe(403);
    expect(await api.put(`${at}/999999`, { name: 'changed' })).toMatchObject(notFound);
    expect(await world.db.environment.findUnique({ where: { id } })).toMatchObject({ name });
  });
});

describe('DELETE /projects/:id/environments/:environment_id', () => {
  it('deletes it', async () => {
    const { id } = await create();
    expect((await world.api(developer).delete(`${at}/${id}`)).status).toBe(403);
    expect(await api.delete(`${at}/${id}`)).toMatchObject({ status: 204, body: null });
    expect(await api.delete(`${at}/${id}`)).toMatchObject(notFound);
  });
});

describe('POST /projects/:id/environments/:environment_id/stop', () => {
  it('stops it, and a second time changes nothing', async () => {
    const { id } = await create();
    const stop = () => world.api(developer).post(`${at}/${id}/stop`);
    const { status, body } = await stop();
    expect([status, Object.keys(body)]).toEqual([200, KEYS]);
    expect(await world.db.environment.findUnique({ where: { id } })).toMatchObject({ state: 'stopped' });
    expect((await stop()).status).toBe(200);
    expect((await world.api(reporter).post(`${at}/${id}/stop`)).status).toBe(403);
  });

  it('starts the job that stops it, which its latest deployment names', LONG, async () => {
    const config = `
start:
  stage: deploy
  script: up
  environment: {name: review/$CI_COMMIT_REF_NAME, url: 'https://$CI_COMMIT_REF_SLUG.example.org', on_stop: stop}
stop:
  stage: deploy
  script: down
  when: manual
  environment: {name: review/$CI_COMMIT_REF_NAME, action: stop}
`;
    const { project: own, sha } = await projectWithCommit(world, owner, { config });
    await world.idle();
    const report = (name: string) =>
      world.api(owner).post(`/projects/${own.id}/statuses/${sha}`, { name, state: 'success' });
    await report('start');
    const [environment] = (await world.api(owner).get(`/projects/${own.id}/environments`)).body;
    expect(environment).toMatchObject({ name: 'review/master', external_url: 'https://master.example.org' });
    const where = { projectId: own.id, name: 'stop' };
    expect(await world.db.job.findFirst({ where })).toMatchObject({ status: 'manual' });
    await world.api(owner).post(`/projects/${own.id}/environments/${environment.id}/stop`);
    expect(await world.db.job.findFirst({ where })).toMatchObject({ status: 'pending', userId: owner.id });
    // What is deployed again is there again, and the job that stops it says so when it has done it.
    await report('start');
    const state = async () => (await world.db.environment.findUnique({ where: { id: environment.id } }))?.state;
    expect(await state()).toBe('available');
    await report('stop');
    expect(await state()).toBe('stopped');
    expect(await world.db.deployment.count({ where: { projectId: own.id } })).toBe(2);
  });
});

const DEPLOYING = `
start:
  stage: deploy
  script: up
  environment: {name: review/$CI_COMMIT_REF_NAME, on_stop: stop, auto_stop_in: $DAYS days, deployment_tier: testing}
  variables: {DAYS: '2'}
verify:
  stage: deploy
  script: look
  environment: {name: review/$CI_COMMIT_REF_NAME, action: verify, auto_stop_in: never}
plain:
  stage: deploy
  script: up
  environment: {name: live}
stop:
  stage: deploy
  script: down
  when: manual
  environment: {name: review/$CI_COMMIT_REF_NAME, action: stop}
`;

/** A project that deploys from `topic`, with a way to report that jobs ended. */
async function deploying() {
  const { project: own } = await projectWithCommit(world, owner, { config: DEPLOYING });
  await createBranch(world.as(owner), own.id, 'topic', 'master');
  await world.member(own, developer, 'developer');
  const { id } = await createPipeline(world.as(developer), own.id, 'topic');
  const job = async (name: string) => world.db.job.findFirstOrThrow({ where: { pipelineId: id, name } });
  const end = async (name: string, state: 'success' | 'failed' = 'success') => {
    const { id: jobId } = await job(name);
    await startJob(world.as(owner), { id: jobId, pipelineId: id }, '');
    await finishJob(world.as(owner), { id: jobId, pipelineId: id }, { state });
  };
  const list = `/projects/${own.id}/environments`;
  const review = async () => (await world.api(owner).get(`${list}?name=review/topic`)).body[0];
  const stopDueNow = async () => {
    const context = world.as(owner);
    const as = async (userId: number) => (userId === developer.id ? world.as(developer) : null);
    await stopDue(context, as);
  };
  return { project: own, list, job, end, review, stopDueNow };
}

const due = (id: number) =>
  world.db.environment.update({ where: { id }, data: { autoStopAt: new Date(Date.now() - 1_000) } });

describe('GET …/environments', () => {
  it('has those of a name, with a text in their names, or in a state', async () => {
    const own = await world.project({ owner });
    const path = `/projects/${own.id}/environments`;
    for (const name of ['production', 'Staging', 'staging-2']) await world.api(owner).post(path, { name });
    const { id } = await world.db.environment.findFirstOrThrow({ where: { projectId: own.id, name: 'staging-2' } });
    await world.api(owner).post(`${path}/${id}/stop`);
    const names = async (query: string) =>
      (await world.api(owner).get(`${path}?${query}`)).body.map(({ name }: Json) => name);
    expect(await names('name=Staging')).toEqual(['Staging']);
    expect(await names('search=STAGING')).toEqual(['Staging', 'staging-2']);
    expect(await names('search=___')).toEqual([]);
    expect(await names('states=stopped')).toEqual(['staging-2']);
    expect(await names('states=available&search=tag')).toEqual(['Staging']);
    for (const query of ['search=st', 'name=a&search=abc', 'states=other']) {
      expect((await world.api(owner).get(`${path}?${query}`)).status).toBe(400);
    }
  });

  it('says what environments are for, as it was given or as their names say', async () => {
    const tiers = async (input: object) => (await api.post(at, { name: world.unique('x'), ...input })).body.tier;
    expect(await tiers({})).toBe('other');
    expect(await tiers({ name: world.unique('prod') })).toBe('production');
    expect(await tiers({ name: world.unique('review/') })).toBe('development');
    expect(await tiers({ name: world.unique('prod-tier'), tier: 'staging' })).toBe('staging');
    const made = await api.post(at, { name: 'described', description: 'Text', auto_stop_setting: 'with_action' });
    expect(made.body).toMatchObject({ description: 'Text', auto_stop_setting: 'with_action', auto_stop_at: null });
    const changed = await api.put(`${at}/${made.body.id}`, { description: '', tier: 'testing' });
    expect(changed.body).toMatchObject({ description: null, tier: 'testing', auto_stop_setting: 'with_action' });
    expect((await api.post(at, { name: 'bad', tier: 'other things' })).status).toBe(400);
  });

  it('has the latest deployment that succeeded on each alone', async () => {
    const { project: own, sha } = await projectWithCommit(world, owner);
    const path = `/projects/${own.id}/deployments`;
    const input = { environment: 'live', sha, ref: 'master' };
    const first = (await world.api(owner).post(path, input)).body;
    await world.api(owner).post(path, { ...input, status: 'failed' });
    await world.api(owner).post(path, { ...input, environment: 'other' });
    const one = `/projects/${own.id}/environments/${first.environment.id}`;
    const { status, body } = await world.api(owner).get(one);
    expect([status, Object.keys(body).toSorted()]).toEqual([200, [...KEYS, 'last_deployment'].toSorted()]);
    expect(body.last_deployment).toMatchObject({ id: first.id, status: 'success', deployable: null });
    expect((await world.api(owner).get(`${one}999`)).status).toBe(404);
  });
});

describe('Jobs of an environment', () => {
  it('deploy to it, with a tier and a time at which it is stopped, or only use it', LONG, async () => {
    const { project: own, end, review } = await deploying();
    await end('verify');
    expect(await review()).toBeUndefined();
    await end('start');
    const { tier, auto_stop_at: stopAt, state } = await review();
    expect([tier, state]).toEqual(['testing', 'available']);
    const days = (Date.parse(stopAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(1.9);
    expect(days).toBeLessThanOrEqual(2);
    expect(await world.db.deployment.count({ where: { projectId: own.id } })).toBe(1);
    const pipelineId = (await world.db.pipeline.findFirstOrThrow({ where: { projectId: own.id, ref: 'topic' } })).id;
    const verify = await world.db.job.findFirstOrThrow({ where: { pipelineId, name: 'verify' } });
    await world.api(owner).post(`/projects/${own.id}/jobs/${verify.id}/retry`);
    const again = await world.db.job.findFirstOrThrow({ where: { pipelineId, name: 'verify', retried: false } });
    await startJob(world.as(owner), { id: again.id, pipelineId }, '');
    await finishJob(world.as(owner), { id: again.id, pipelineId }, { state: 'success' });
    expect((await review()).auto_stop_at).toBeNull();
    expect(await world.db.deployment.count({ where: { projectId: own.id } })).toBe(1);
  });

  it('stop it when its time has come, started by who deployed', LONG, async () => {
    const { list, job, end, review, stopDueNow } = await deploying();
    await end('start');
    const { id } = await review();
    await stopDueNow();
    expect((await review()).state).toBe('available');
    await due(id);
    await stopDueNow();
    expect(await review()).toMatchObject({ state: 'stopping', auto_stop_at: null });
    expect(await job('stop')).toMatchObject({ status: 'pending', userId: developer.id });
    await end('stop', 'failed');
    expect((await review()).state).toBe('available');
    await world.api(owner).post(`${list}/${id}/stop`);
    expect((await review()).state).toBe('stopped');
  });

  it('are not needed where the environment has none, unless it asks for one', LONG, async () => {
    const { list, end, stopDueNow } = await deploying();
    await end('plain');
    const [{ id }] = (await world.api(owner).get(`${list}?name=live`)).body;
    const state = async () => (await world.api(owner).get(`${list}/${id}`)).body;
    await world.api(owner).put(`${list}/${id}`, { auto_stop_setting: 'with_action' });
    await due(id);
    await stopDueNow();
    expect(await state()).toMatchObject({ state: 'available', auto_stop_at: null });
    await world.api(owner).put(`${list}/${id}`, { auto_stop_setting: 'always' });
    await due(id);
    await stopDueNow();
    expect(await state()).toMatchObject({ state: 'stopped' });
  });

  it('are left alone by a stop that is forced', LONG, async () => {
    const { list, job, end, review } = await deploying();
    await end('start');
    const { id } = await review();
    const forced = await world.api(developer).post(`${list}/${id}/stop`, { force: true });
    expect(forced.body).toMatchObject({ state: 'stopped' });
    expect((await job('stop')).status).toBe('manual');
  });

  it('stop it when its branch is deleted', LONG, async () => {
    const { project: own, job, end, review } = await deploying();
    await end('start');
    await end('plain');
    await world.api(owner).delete(`/projects/${own.id}/repository/branches/topic`);
    await world.idle();
    expect((await review()).state).toBe('stopping');
    expect((await job('stop')).status).toBe('pending');
    const other = await world.db.environment.findFirstOrThrow({ where: { projectId: own.id, name: 'live' } });
    expect(other.state).toBe('stopped');
  });
});

describe('By GraphQL', () => {
  it('environments are created, changed, stopped, read and deleted', async () => {
    const run = async (text: string, input: object, who = master) => {
      const { body } = await world.graphql(text, { input: { project: project.id, ...input } }, who);
      return body.errors ? body.errors[0].extensions.code : Object.values(body.data)[0];
    };
    const mutation = (name: string, type: string) =>
      `mutation ($input: ${type}!) { ${name}(input: $input) { environment { databaseId name state externalUrl } } }`;
    const created = await run(mutation('createEnvironment', 'CreateEnvironmentInput'), {
      name: 'graph',
      externalUrl: 'http://g',
    });
    const { databaseId: id } = created.environment;
    expect(created.environment).toMatchObject({ name: 'graph', state: 'AVAILABLE', externalUrl: 'http://g' });
    const update = mutation('updateEnvironment', 'UpdateEnvironmentInput');
    expect((await run(update, { id, externalUrl: null })).environment.externalUrl).toBeNull();
    expect(await run(update, { id, name: 'x' }, developer)).toBe('FORBIDDEN');
    const stopped = await run(mutation('stopEnvironment', 'StopEnvironmentInput'), { id });
    expect(stopped.environment.state).toBe('STOPPED');
    const query = `query { project(ref: ${project.id}) { environment(id: ${id}) { name project { databaseId } } } }`;
    expect((await world.graphql(query, {}, reporter)).body.data.project.environment).toEqual({
      name: 'graph',
      project: { databaseId: project.id },
    });
    const remove =
      'mutation ($input: DeleteEnvironmentInput!) { deleteEnvironment(input: $input) { deletedEnvironmentId } }';
    expect(await run(remove, { id })).toEqual({ deletedEnvironmentId: toGlobalId('Environment', id) });
    expect(await run(remove, { id })).toBe('NOT_FOUND');
  });
});
