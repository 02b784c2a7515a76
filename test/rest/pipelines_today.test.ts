// Each of its tests takes long.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { projectToken, registerRunner } from '../support/runner.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

describe('Pipelines of today', () => {
  it('have a number, a page, and their status in words', async () => {
    const { project: own } = await projectWithCommit(world, owner, {
      config: 'unit: {script: x, allow_failure: true}',
    });
    await world.idle();
    const { body: second } = await world.api(owner).post(`/projects/${own.id}/pipeline?ref=master`);
    expect(second).toMatchObject({
      iid: 2,
      project_id: own.id,
      name: null,
      source: 'api',
      queued_duration: null,
      web_url: `${world.url}/${own.fullPath}/-/pipelines/${second.id}`,
      detailed_status: {
        icon: 'status_pending',
        text: 'Pending',
        label: 'pending',
        group: 'pending',
        tooltip: 'pending',
        has_details: true,
        details_path: `/${own.fullPath}/-/pipelines/${second.id}`,
      },
    });
    const [job] = await world.db.job.findMany({ where: { pipelineId: second.id } });
    const started = new Date(Date.now() - 30_000);
    const times = { createdAt: new Date(started.getTime() - 12_000), startedAt: started };
    await world.db.pipeline.update({ where: { id: second.id }, data: { ...times, status: 'success' } });
    await world.db.job.update({ where: { id: job?.id ?? 0 }, data: { status: 'failed', startedAt: started } });
    const { body } = await world.api(owner).get(`/projects/${own.id}/pipelines/${second.id}`);
    expect([body.queued_duration, body.detailed_status.text, body.detailed_status.group]).toEqual([
      12,
      'Warning',
      'success-with-warnings',
    ]);
    expect((await world.api(owner).get(`/projects/${own.id}/pipelines`)).body.map(({ iid }: Json) => iid)).toEqual([
      2, 1,
    ]);
  });

  it('are numbered apart in each project, without a number twice', async () => {
    const { project: one } = await projectWithCommit(world, owner);
    const { project: two } = await projectWithCommit(world, owner);
    const create = (id: number) => world.api(owner).post(`/projects/${id}/pipeline?ref=master`);
    const made = await Promise.all([one, two, one, one, two].map(({ id }) => create(id)));
    const numbers = (id: number) => made.filter(({ body }) => body.project_id === id).map(({ body }) => body.iid);
    expect([numbers(one.id).sort(), numbers(two.id).sort()]).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
  });

  it('are found as the latest of what a branch or tag points to', async () => {
    const { project: own } = await projectWithCommit(world, owner);
    const url = `/projects/${own.id}`;
    const create = async (ref: string) => (await world.api(owner).post(`${url}/pipeline?ref=${ref}`)).body.id;
    await world.api(owner).post(`${url}/repository/branches`, { branch: 'topic', ref: 'master' });
    await world.api(owner).post(`${url}/repository/tags`, { tag_name: 'v1', ref: 'master' });
    await create('master');
    const [latest, topic, tag] = [await create('master'), await create('topic'), await create('v1')];
    const found = async (query: string) => (await world.api(owner).get(`${url}/pipelines/latest${query}`)).body.id;
    expect([await found(''), await found('?ref=master'), await found('?ref=topic'), await found('?ref=v1')]).toEqual([
      latest,
      latest,
      topic,
      tag,
    ]);
    const none = { status: 403, body: { message: '403 Forbidden' } };
    expect(await world.api(owner).get(`${url}/pipelines/latest?ref=nothing`)).toMatchObject(none);
    await commitFile(world, owner, own);
    expect(await world.api(owner).get(`${url}/pipelines/latest`)).toMatchObject(none);
    expect((await world.api(await world.user()).get(`${url}/pipelines/latest`)).status).toBe(404);
  });

  it('tell masters and who started them the variables that they were given', async () => {
    const { project: own } = await projectWithCommit(world, owner, { config: 'unit: {script: x}' });
    const url = `/projects/${own.id}`;
    const [developer, reporter] = [await world.user(), await world.user()];
    await world.member(own, developer, 'developer');
    await world.member(own, reporter, 'reporter');
    const { token } = (await world.api(owner).post(`${url}/triggers`, { description: 'x' })).body;
    const fired = await world
      .api(owner)
      .post(`${url}/trigger/pipeline`, { token, ref: 'master', variables: { A: 'a', B: 'b' } });
    const at = `${url}/pipelines/${fired.body.id}/variables`;
    const told = [
      { key: 'A', value: 'a', variable_type: 'env_var', raw: false },
      { key: 'B', value: 'b', variable_type: 'env_var', raw: false },
    ];
    expect(await world.api(owner).get(at)).toMatchObject({ status: 200, body: told });
    expect([(await world.api(developer).get(at)).status, (await world.api(reporter).get(at)).status]).toEqual([
      403, 403,
    ]);
    await world.db.pipeline.update({ where: { id: fired.body.id }, data: { userId: developer.id } });
    expect((await world.api(developer).get(at)).body).toEqual(told);
    const plain = (await world.api(owner).post(`${url}/pipeline?ref=master`)).body.id;
    expect((await world.api(owner).get(`${url}/pipelines/${plain}/variables`)).body).toEqual([]);
  });

  it('are named by developers and deleted by owners, with their logs and artifacts', async () => {
    const { project: own } = await projectWithCommit(world, owner, { config: 'unit: {script: x}' });
    await world.idle();
    const [master, reporter] = [await world.user(), await world.user()];
    await world.member(own, master, 'master');
    await world.member(own, reporter, 'reporter');
    const { id } = await world.db.pipeline.findFirstOrThrow({ where: { projectId: own.id } });
    const at = `/projects/${own.id}/pipelines/${id}`;
    expect((await world.api(master).put(`${at}/metadata`, { name: ' Nightly ' })).body.name).toBe('Nightly');
    expect(await world.api(master).put(`${at}/metadata`, { name: 'x'.repeat(256) })).toMatchObject({
      status: 400,
      body: { message: { name: ['is too long (maximum is 255 characters)'] } },
    });
    expect((await world.api(master).put(`${at}/metadata`)).status).toBe(400);
    expect((await world.api(reporter).put(`${at}/metadata`, { name: 'x' })).status).toBe(403);
    const runner = await registerRunner(world, { token: await projectToken(world, owner, own.id) });
    const job = await runner.take();
    await runner.print(job, 0, 'printed');
    await runner.update(job, 'success');
    const other = (await world.api(owner).post(`/projects/${own.id}/pipeline?ref=master`)).body.id;
    for (const who of [master, reporter]) expect((await world.api(who).delete(at)).status).toBe(403);
    expect(await world.api(owner).delete(at)).toMatchObject({ status: 204, body: null });
    expect(await world.db.job.count({ where: { pipelineId: id } })).toBe(0);
    expect(await world.db.jobTrace.count({ where: { jobId: job.id } })).toBe(0);
    expect((await world.api(owner).get(at)).status).toBe(404);
    expect((await world.api(owner).delete(at)).status).toBe(404);
    expect(await world.db.pipeline.count({ where: { id: other } })).toBe(1);
  });

  it('leave out jobs that were tried again, unless they are asked for', async () => {
    const { project: own } = await projectWithCommit(world, owner, { config: 'unit: {script: x, retry: 1}' });
    await world.idle();
    const runner = await registerRunner(world, { token: await projectToken(world, owner, own.id) });
    await runner.update(await runner.take(), 'failed');
    const { id } = await world.db.pipeline.findFirstOrThrow({ where: { projectId: own.id } });
    const states = async (query: string) =>
      (await world.api(owner).get(`/projects/${own.id}/pipelines/${id}/jobs${query}`)).body.map(
        ({ status }: Json) => status,
      );
    expect([await states(''), await states('?include_retried=true')]).toEqual([['pending'], ['failed', 'pending']]);
  });
});
