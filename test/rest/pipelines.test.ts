import { beforeAll, describe, expect, it } from 'vitest';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { pipelineOf, projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { CONFIG, LIST_KEYS, startPipelineWorld } from '../support/pipelines.ts';

const { world, owner, developer, reporter, guest, members, configured } = await startPipelineWorld();
const api = world.api(developer);
let project: ProjectRow;

beforeAll(async () => {
  ({ project } = await projectWithCommit(world, owner));
  await members(project);
  for (let n = 0; n < 3; n += 1) await createPipeline(world.as(owner), project.id, 'master');
});

describe('GET /projects/:id/pipelines', () => {
  it('lists newest first, with the keys of the contract and of today', async () => {
    const { status, headers, body } = await api.get(`/projects/${project.id}/pipelines?per_page=2`);
    expect([status, body.length]).toEqual([200, 2]);
    expect(Number(headers['x-total'])).toBe(await world.db.pipeline.count({ where: { projectId: project.id } }));
    for (const pipeline of body) expect(Object.keys(pipeline)).toEqual(LIST_KEYS);
    expect(body[0].id).toBeGreaterThan(body[1].id);
  });

  it('takes filters and orders', LONG, async () => {
    const { project: own, sha: tip } = await projectWithCommit(world, owner);
    await members(own);
    await createTag(world.as(owner), own.id, { name: 'v1', target: 'master' });
    const make = async (who: typeof owner, ref: string) =>
      (await world.api(who).post(`/projects/${own.id}/pipeline`, { ref })).body.id;
    const first = await make(owner, 'master');
    const second = await make(developer, 'master');
    const third = await make(developer, 'v1');
    const gone =
      (await api.post(`/projects/${own.id}/statuses/${tip}`, { state: 'running', ref: 'gone' })) && third + 1;
    await api.post(`/projects/${own.id}/pipelines/${first}/cancel`);
    const list = async (query: string) =>
      (await api.get(`/projects/${own.id}/pipelines?${query}`)).body.map(({ id }: { id: number }) => id);
    expect(await list('')).toEqual([gone, third, second, first]);
    expect(await list('sort=asc')).toEqual([first, second, third, gone]);
    expect(await list('order_by=ref&sort=asc')).toEqual([gone, first, second, third]);
    expect(await list('order_by=status&sort=asc')).toEqual([second, third, gone, first]);
    expect(await list('order_by=user_id')).toEqual([gone, third, second, first]);
    expect(await list('scope=running')).toEqual([gone]);
    expect(await list('scope=pending')).toEqual([third, second]);
    expect(await list('scope=finished')).toEqual([first]);
    expect(await list('scope=branches')).toEqual([second]);
    expect(await list('scope=tags')).toEqual([third]);
    expect(await list('status=canceled')).toEqual([first]);
    expect(await list('ref=master')).toEqual([second, first]);
    expect(await list(`username=${owner.username.toUpperCase()}`)).toEqual([first]);
    expect(await list(`name=${encodeURIComponent(`Name of ${developer.username}`)}`)).toEqual([gone, third, second]);
    expect(await list('username=u_er1')).toEqual([]);
  });

  it.each(['scope=odd', 'status=odd', 'order_by=odd', 'sort=odd'])('400 for %s', async (query) => {
    const { status, body } = await api.get(`/projects/${project.id}/pipelines?${query}`);
    expect([status, body]).toEqual([400, { error: `${query.split('=')[0]} does not have a valid value` }]);
  });

  it('is for guests too while jobs are public, and hides private projects', async () => {
    const at = `/projects/${project.id}/pipelines`;
    expect((await world.api(guest).get(at)).status).toBe(200);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: false } });
    expect((await world.api(guest).get(at)).status).toBe(403);
    expect((await world.api(reporter).get(at)).status).toBe(200);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: true } });
    expect((await world.api(await world.user()).get(at)).status).toBe(404);
    expect((await world.api().get(at)).status).toBe(401);
  });
});

describe('GET /projects/:id/pipelines/:pipeline_id', () => {
  it('404 for an unknown one', async () => {
    const answer = await api.get(`/projects/${project.id}/pipelines/999999`);
    expect(answer).toMatchObject({ status: 404, body: { message: '404 Not found' } });
  });
});

describe('By GraphQL', () => {
  it('pipelines are created, canceled, retried and read with their jobs', LONG, async () => {
    const { project: own } = await configured(CONFIG);
    const change = (name: string, type: string, input: object, who = developer) =>
      world.graphql(
        `mutation ($input: ${type}!) { ${name}(input: $input) { pipeline { databaseId status source jobs(limit: 9) {
          totalCount nodes { name status commit { title } } } } } }`,
        { input: { project: own.id, ...input } },
        who,
      );
    const created = (await change('createPipeline', 'CreatePipelineInput', { ref: 'master' })).body.data.createPipeline
      .pipeline;
    expect(created).toMatchObject({ status: 'PENDING', source: 'API', jobs: { totalCount: 4 } });
    expect(created.jobs.nodes[0]).toEqual({ name: 'compile', status: 'PENDING', commit: { title: 'Change' } });
    const { databaseId: id } = created;
    const canceled = await change('cancelPipeline', 'CancelPipelineInput', { id });
    expect(canceled.body.data.cancelPipeline.pipeline.status).toBe('CANCELED');
    const retried = await change('retryPipeline', 'RetryPipelineInput', { id });
    expect(retried.body.data.retryPipeline.pipeline).toMatchObject({ status: 'PENDING', jobs: { totalCount: 8 } });
    const refused = await change('retryPipeline', 'RetryPipelineInput', { id }, reporter);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const invalid = await change('createPipeline', 'CreatePipelineInput', { ref: 'no\0where' });
    expect(invalid.body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { input: ['Reference not found'] },
    });
  });
});

describe('Everything about pipelines', () => {
  it('goes with its project', LONG, async () => {
    const own = await world.project({ owner });
    await pipelineOf(world, owner, own, 'whole');
    expect((await world.api(owner).delete(`/projects/${own.id}`)).status).toBe(202);
    await world.idle();
    const where = { projectId: own.id };
    const { db } = world;
    const left = [db.pipeline, db.job, db.environment, db.deployment, db.trigger].map((model) =>
      (model as typeof db.pipeline).count({ where }),
    );
    expect(await Promise.all(left)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('However many there are, the list of pipelines', () => {
  it('takes the same few statements', LONG, async () => {
    const { project: own } = await projectWithCommit(world, owner);
    const count = async () =>
      (await world.statements(() => world.api(owner).get(`/projects/${own.id}/pipelines`))).length;
    await world.api(owner).post(`/projects/${own.id}/pipeline`, { ref: 'master' });
    await count();
    await count();
    const few = await count();
    for (let n = 0; n < 5; n += 1) await world.api(owner).post(`/projects/${own.id}/pipeline`, { ref: 'master' });
    expect(await count()).toBe(few);
  });
});
