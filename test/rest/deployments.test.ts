// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { projectToken, registerRunner } from '../support/runner.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const master = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(developer);

const CONFIG = `
ship:
  stage: deploy
  script: ship
  environment: {name: production, url: 'https://example.org'}
`;

const made = {} as Awaited<ReturnType<typeof projectWithCommit>>;
let at: string;

beforeAll(async () => {
  Object.assign(made, await projectWithCommit(world, owner, { config: CONFIG }));
  const { project } = made;
  at = `/projects/${project.id}/deployments`;
  await world.member(project, developer, 'developer');
  await world.member(project, master, 'master');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await world.idle();
});

const report = (state: string, who = developer) =>
  world.api(who).post(`/projects/${made.project.id}/statuses/${made.sha}`, { name: 'ship', state });
const outside = (input: object = {}) => ({ environment: 'staging', sha: made.sha, ref: 'master', ...input });
const count = () => world.db.deployment.count({ where: { projectId: made.project.id } });

const KEYS = ['id', 'iid', 'ref', 'sha', 'status', 'created_at', 'updated_at', 'user', 'environment', 'deployable'];
const DEPLOYABLE_KEYS = [
  'id',
  'status',
  'stage',
  'name',
  'ref',
  'tag',
  'coverage',
  'allow_failure',
  'web_url',
  'duration',
  'queued_duration',
  'tag_list',
  'erased_at',
  'created_at',
  'started_at',
  'finished_at',
  'user',
  'artifacts',
  'artifacts_expire_at',
  'failure_reason',
  'commit',
  'runner_manager',
  'runner',
  'pipeline',
];

describe('A deployment', () => {
  it('is recorded when a job with an environment runs, and succeeds with it', LONG, async () => {
    await report('pending');
    await report('failed');
    expect(await count()).toBe(0);
    await report('running');
    expect((await api.get(at)).body).toMatchObject([{ iid: 1, status: 'running' }]);
    await report('success');
    const { status, body } = await api.get(at);
    expect([status, body.length]).toEqual([200, 1]);
    expect(Object.keys(body[0])).toEqual(KEYS);
    expect(Object.keys(body[0].deployable)).toEqual(DEPLOYABLE_KEYS);
    expect(body[0]).toMatchObject({
      iid: 1,
      ref: 'master',
      sha: made.sha,
      user: { id: developer.id, username: developer.username },
      environment: { name: 'production', slug: 'production', external_url: 'https://example.org' },
      deployable: {
        status: 'success',
        stage: 'deploy',
        name: 'ship',
        ref: 'master',
        tag: false,
        user: { username: developer.username, is_admin: false, bio: null, skype: '' },
        commit: { id: made.sha, short_id: made.sha.slice(0, 8), title: 'Change', message: 'Change' },
        runner: null,
        pipeline: { sha: made.sha, status: 'success' },
      },
    });
  });
});

describe('A deployment by a job', () => {
  const JOBS = `
stages: [deploy, later]
ship: {stage: deploy, script: ship, environment: {name: live, url: 'https://live.example', deployment_tier: staging}}
look: {stage: deploy, script: look, environment: {name: live, action: verify}}
`;
  /** A project with a pipeline whose jobs a runner takes. */
  const pipeline = async () => {
    const { project, sha } = await projectWithCommit(world, owner, { config: JOBS });
    await world.member(project, developer, 'developer');
    await world.idle();
    const runner = await registerRunner(world, { token: await projectToken(world, owner, project.id) });
    const path = `/projects/${project.id}`;
    const deployments = async () => (await world.api(owner).get(`${path}/deployments`)).body;
    const live = async () => {
      const [found] = (await world.api(owner).get(`${path}/environments?name=live`)).body;
      return (await world.api(owner).get(`${path}/environments/${found.id}`)).body;
    };
    return { project, sha, runner, path, deployments, live };
  };

  it(
    'runs as soon as a runner takes the job, and succeeds with it; the last success stays current until then',
    LONG,
    async () => {
      const { runner, path, deployments, live } = await pipeline();
      const ship = await runner.take();
      const [begun, ...none] = await deployments();
      expect([begun.status, begun.deployable.id, none]).toEqual(['running', ship.id, []]);
      expect(await live()).toMatchObject({ last_deployment: null, external_url: null, tier: 'staging' });
      await runner.update(ship, 'success');
      await world.idle();
      expect(await deployments()).toMatchObject([{ id: begun.id, iid: 1, status: 'success' }]);
      expect(await live()).toMatchObject({ last_deployment: { id: begun.id }, external_url: 'https://live.example' });
      await world.api(owner).post(`${path}/jobs/${ship.id}/retry`);
      const taken = [await runner.take(), await runner.take()];
      const again = taken.find((job) => job.job_info.name === 'ship');
      expect(await deployments()).toMatchObject([
        { status: 'success' },
        { status: 'running', deployable: { id: again.id } },
      ]);
      expect((await live()).last_deployment.id).toBe(begun.id);
      await runner.update(again, 'failed');
      await world.idle();
      expect((await deployments()).map((one: { status: string }) => one.status)).toEqual(['success', 'failed']);
      expect((await live()).last_deployment.id).toBe(begun.id);
    },
  );

  it('is canceled with the job, or when its pipeline is deleted', LONG, async () => {
    const { runner, path, deployments, project } = await pipeline();
    const ship = await runner.take();
    await world.api(owner).post(`${path}/jobs/${ship.id}/cancel`);
    expect(await deployments()).toMatchObject([{ status: 'canceled' }]);
    await world.api(owner).post(`${path}/jobs/${ship.id}/retry`);
    await runner.take();
    await runner.take();
    expect((await deployments()).at(-1).status).toBe('running');
    const { id } = await world.db.pipeline.findFirstOrThrow({ where: { projectId: project.id } });
    expect((await world.api(owner).delete(`${path}/pipelines/${id}`)).status).toBe(204);
    const rows = await world.db.deployment.findMany({ where: { projectId: project.id } });
    expect(rows.map(({ status, finishedAt }) => [status, finishedAt !== null])).toEqual([
      ['canceled', true],
      ['canceled', true],
    ]);
  });

  it('does not count as one of a merge request until it has succeeded', LONG, async () => {
    const { project, path } = await pipeline();
    await withTopic(world, project, owner);
    const { iid } = await opened(world, project, owner);
    const merged = await world.api(owner).put(`${path}/merge_requests/${iid}/merge`);
    const given = { environment: 'live', ref: 'master', sha: merged.body.merge_commit_sha };
    const made = await world.api(owner).post(`${path}/deployments`, { ...given, status: 'running' });
    const found = async () => (await world.api(owner).get(`${path}/merge_requests?environment=live`)).body.length;
    expect([made.status, await found()]).toEqual([201, 0]);
    await world.api(owner).put(`${path}/deployments/${made.body.id}`, { status: 'success' });
    expect(await found()).toBe(1);
  });
});

describe('POST /projects/:id/deployments', () => {
  it('records what another system deployed, and makes the environment', async () => {
    const { status, body } = await api.post(at, outside({ tag: false, status: 'success' }));
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({
      ref: 'master',
      sha: made.sha,
      user: { id: developer.id },
      environment: { name: 'staging', slug: 'staging', external_url: null },
      deployable: null,
    });
    const again = await api.post(at, outside());
    expect(again.body).toMatchObject({ iid: body.iid + 1, environment: { id: body.environment.id } });
  });

  it('counts every one of those that come at once', LONG, async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.post(at, outside({ environment: 'busy' }))));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(new Set(answers.map(({ body }) => body.iid)).size).toBe(6);
    expect(new Set(answers.map(({ body }) => body.environment.id)).size).toBe(1);
    expect(await count()).toBe(before + 6);
  });

  it('400 for a ref that is longer than any', async () => {
    const before = await count();
    expect(await api.post(at, outside({ ref: 'ü'.repeat(501) }))).toMatchObject({
      status: 400,
      body: { message: { ref: ['is too long (maximum is 1000 bytes)'] } },
    });
    expect(await count()).toBe(before);
    expect((await api.post(at, outside({ ref: 'x'.repeat(1000) }))).status).toBe(201);
  });

  it('makes a stopped environment available again', async () => {
    const { body } = await api.post(at, outside({ environment: 'once' }));
    const { id } = body.environment;
    await api.post(`/projects/${made.project.id}/environments/${id}/stop`);
    await api.post(at, outside({ environment: 'once' }));
    expect(await world.db.environment.findUnique({ where: { id } })).toMatchObject({ state: 'available' });
  });

  it.each([
    [{ sha: undefined }, 400, { error: 'sha is missing' }],
    [{ environment: undefined, ref: undefined }, 400, { error: 'environment is missing, ref is missing' }],
    [{ environment: ' ' }, 400, { message: { environment: ["can't be blank"] } }],
    [{ ref: '' }, 400, { message: { ref: ["can't be blank"] } }],
    [{ status: 'blocked' }, 400, { error: 'status does not have a valid value' }],
    [{ sha: '1'.repeat(40) }, 404, { message: '404 Commit Not Found' }],
  ])('refuses %j', async (input, status, answer) => {
    const before = await count();
    expect(await api.post(at, outside(input))).toMatchObject({ status, body: answer });
    expect(await count()).toBe(before);
  });

  it('403 for reporters', async () => {
    expect((await world.api(reporter).post(at, outside())).status).toBe(403);
    expect((await world.api().post(at, outside())).status).toBe(401);
  });
});

describe('GET /projects/:id/deployments', () => {
  it('lists oldest first in pages', async () => {
    for (let n = 0; n < 3; n += 1) await api.post(at, outside());
    const { headers, body } = await api.get(`${at}?per_page=2&page=2`);
    expect([body[0].iid, body[1].iid, headers['x-total']]).toEqual([3, 4, String(await count())]);
  });

  it('takes the same few statements, however long it is', LONG, async () => {
    const { project, sha } = await projectWithCommit(world, owner, { config: CONFIG });
    await world.idle();
    const deploy = async () => {
      for (const state of ['running', 'success']) {
        await world.api(owner).post(`/projects/${project.id}/statuses/${sha}`, { name: 'ship', state });
      }
    };
    const statements = async () =>
      (await world.statements(() => world.api(owner).get(`/projects/${project.id}/deployments`))).length;
    await deploy();
    for (let time = 0; time < 2; time += 1) await statements();
    const few = await statements();
    for (let n = 0; n < 4; n += 1) await deploy();
    expect(await statements()).toBe(few);
    expect(await world.db.deployment.count({ where: { projectId: project.id } })).toBe(5);
  });

  it('403 below reporter', async () => {
    expect((await world.api(reporter).get(at)).status).toBe(200);
    expect((await world.api(guest).get(at)).status).toBe(403);
  });
});

describe('GET /projects/:id/deployments/:deployment_id', () => {
  it('is one deployment', async () => {
    const { body } = await api.post(at, outside());
    expect(await api.get(`${at}/${body.id}`)).toMatchObject({ status: 200, body });
    const { project: other } = await projectWithCommit(world, owner);
    const elsewhere = await world.api(owner).get(`/projects/${other.id}/deployments/${body.id}`);
    expect(elsewhere).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    expect((await world.api(guest).get(`${at}/${body.id}`)).status).toBe(403);
  });

  it('goes with its environment', async () => {
    const { body } = await api.post(at, outside({ environment: 'gone' }));
    await world.api(owner).delete(`/projects/${made.project.id}/environments/${body.environment.id}`);
    expect((await api.get(`${at}/${body.id}`)).status).toBe(404);
  });

  it('names the ghost when its user is gone', LONG, async () => {
    const leaver = await world.user();
    await world.member(made.project, leaver, 'developer');
    const { body } = await world.api(leaver).post(at, outside());
    await world
      .api(leaver)
      .post(`/projects/${made.project.id}/statuses/${made.sha}`, { name: 'left', state: 'success' });
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).delete(`/users/${leaver.id}`)).status).toBe(200);
    expect((await api.get(`${at}/${body.id}`)).body.user.username).toMatch(/^ghost/);
    expect(await world.db.job.count({ where: { userId: leaver.id } })).toBe(0);
  });
});

describe('By GraphQL', () => {
  it('deployments are recorded and read', async () => {
    const text = `mutation ($input: CreateDeploymentInput!) { createDeployment(input: $input) {
      deployment { databaseId tag environment { name state } deployable { name } } } }`;
    const input = { project: made.project.id, ...outside({ environment: 'graph', tag: true }) };
    const { body } = await world.graphql(text, { input }, developer);
    const { databaseId, ...deployment } = body.data.createDeployment.deployment;
    expect(deployment).toEqual({ tag: true, environment: { name: 'graph', state: 'AVAILABLE' }, deployable: null });
    const query = `{ project(ref: ${made.project.id}) { deployment(id: ${databaseId}) { sha user { username } } } }`;
    expect((await world.graphql(query, {}, reporter)).body.data.project.deployment).toEqual({
      sha: made.sha,
      user: { username: developer.username },
    });
    expect((await world.graphql(query, {}, guest)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await world.graphql(text, { input }, reporter)).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('PUT and DELETE /projects/:id/deployments/:deployment_id', () => {
  it('follow what another system does, and its end', async () => {
    const { body } = await api.post(at, outside({ environment: 'followed', status: 'running' }));
    const one = `${at}/${body.id}`;
    expect(body).toMatchObject({ status: 'running' });
    const stored = () => world.db.deployment.findUniqueOrThrow({ where: { id: body.id } });
    expect((await stored()).finishedAt).toBeNull();
    const place = `/projects/${made.project.id}/environments/${body.environment.id}`;
    expect((await api.get(place)).body.last_deployment).toBeNull();
    expect((await world.api(master).delete(one)).body).toEqual({ message: 'Cannot destroy running deployment' });
    expect((await api.put(one, { status: 'success' })).body).toMatchObject({ id: body.id, status: 'success' });
    expect((await stored()).finishedAt).not.toBeNull();
    expect((await api.get(place)).body.last_deployment).toMatchObject({ id: body.id });
    expect(await api.put(one, { status: 'running' })).toMatchObject({
      status: 400,
      body: { message: { status: ['cannot become running'] } },
    });
    expect((await api.put(one, { status: 'other' })).status).toBe(400);
    expect((await world.api(reporter).put(one, { status: 'failed' })).status).toBe(403);
  });

  it('delete what is neither running nor deployed now, for masters', async () => {
    const [old, now] = [
      (await api.post(at, outside({ environment: 'renewed' }))).body,
      (await api.post(at, outside({ environment: 'renewed' }))).body,
    ];
    expect((await api.delete(`${at}/${old.id}`)).status).toBe(403);
    expect(await world.api(master).delete(`${at}/${now.id}`)).toMatchObject({
      status: 400,
      body: { message: 'Deployment currently deployed to environment' },
    });
    expect((await world.api(master).delete(`${at}/${old.id}`)).status).toBe(204);
    expect((await api.get(`${at}/${old.id}`)).status).toBe(404);
    expect((await api.get(`${at}/${now.id}`)).status).toBe(200);
  });

  it('refuse to change what a job deployed', async () => {
    const ofProject = { projectId: made.project.id, userId: owner.id };
    const { id: pipelineId } = await world.db.pipeline.create({
      data: { ...ofProject, ref: 'master', sha: made.sha, source: 'api' },
    });
    const { id: jobId } = await world.db.job.create({
      data: { ...ofProject, pipelineId, name: 'deploy', stage: 'deploy', stageIndex: 0 },
    });
    const { body } = await api.post(at, outside({ environment: 'deployed' }));
    const deployment = await world.db.deployment.update({ where: { id: body.id }, data: { jobId } });
    expect(await api.put(`${at}/${deployment.id}`, { status: 'failed' })).toMatchObject({
      status: 403,
      body: {
        message: expect.stringContaining('Deployments created using Gantry CI can not be updated using the API'),
      },
    });
  });
});

describe('GET /projects/:id/deployments', () => {
  it('is filtered and ordered', async () => {
    const own = await projectWithCommit(world, owner);
    const path = `/projects/${own.project.id}/deployments`;
    const as = world.api(owner);
    const make = async (environment: string, ref: string, status: string) =>
      (await as.post(path, { environment, sha: own.sha, ref, status })).body.id;
    const [first, second, third] = [
      await make('live', 'b', 'success'),
      await make('live', 'a', 'failed'),
      await make('test', 'c', 'running'),
    ];
    const past = new Date('2026-01-01T00:00:00Z');
    await world.db.deployment.update({ where: { id: first }, data: { updatedAt: past, finishedAt: past } });
    const ids = async (query: string) => (await as.get(`${path}?${query}`)).body.map(({ id }: { id: number }) => id);
    expect(await ids('')).toEqual([first, second, third]);
    expect(await ids('environment=live')).toEqual([first, second]);
    expect(await ids('status=failed')).toEqual([second]);
    expect(await ids('order_by=ref')).toEqual([second, first, third]);
    expect(await ids('order_by=iid&sort=desc')).toEqual([third, second, first]);
    expect(await ids('order_by=finished_at')).toEqual([first, second, third]);
    expect(await ids('order_by=created_at&sort=desc')).toEqual([third, second, first]);
    expect(await ids('updated_before=2026-01-01T00:00:00Z')).toEqual([first]);
    expect(await ids('updated_after=2026-02-01T00:00:00Z&order_by=updated_at')).toEqual([second, third]);
    expect(await ids('finished_after=2026-02-01T00:00:00Z')).toEqual([second]);
    expect(await ids('finished_before=2026-02-01T00:00:00Z')).toEqual([first]);
    expect((await as.get(`${path}?order_by=name`)).status).toBe(400);
  });
});

describe('GET …/deployments/:deployment_id/merge_requests', () => {
  it('has those that the deployment was the first to bring, and no others', LONG, async () => {
    const project = await world.project({ owner });
    const merges = `/projects/${project.id}/merge_requests`;
    const as = world.api(owner);
    await withTopic(world, project, owner);
    const deploy = async (status = 'success') => {
      const input = { environment: 'live', sha: 'master', ref: 'master', status };
      return (await as.post(`/projects/${project.id}/deployments`, input)).body.id;
    };
    const shipped = async (id: number, query = '') =>
      (await as.get(`/projects/${project.id}/deployments/${id}/merge_requests${query}`)).body.map(
        ({ iid }: { iid: number }) => iid,
      );
    const before = await deploy();
    const first = await opened(world, project, owner);
    await as.put(`${merges}/${first.iid}/merge`);
    await deploy('failed');
    const then = await deploy();
    await createBranch(world.as(owner), project.id, 'later', 'master');
    await commitTo(world, project, owner, 'later', 'later.txt');
    const second = await opened(world, project, owner, { sourceBranch: 'later', title: 'Later' });
    await as.put(`${merges}/${second.iid}/merge`);
    const last = await deploy();
    expect([await shipped(before), await shipped(then), await shipped(last)]).toEqual([[], [first.iid], [second.iid]]);
    expect(await shipped(last, '?search=Later')).toEqual([second.iid]);
    expect(await shipped(last, '?state=opened')).toEqual([]);
  });
});
