// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { CONFIG, KEYS, startPipelineWorld } from '../support/pipelines.ts';

const { world, owner, developer, reporter, members, configured, jobsOf, statesOf } = await startPipelineWorld();
const api = world.api(developer);
let project: ProjectRow;
let sha: string;

beforeAll(async () => {
  ({ project, sha } = await projectWithCommit(world, owner));
  await members(project);
});

describe('A pipeline whose jobs are reported from outside', () => {
  it('goes from stage to stage, with status, coverage and times', LONG, async () => {
    const { project: own, sha: tip } = await configured(CONFIG);
    const [{ id }] = (await api.get(`/projects/${own.id}/pipelines`)).body;
    const report = (name: string, state: string, coverage?: number) =>
      api.post(`/projects/${own.id}/statuses/${tip}`, { name, state, coverage });
    const read = async () => (await api.get(`/projects/${own.id}/pipelines/${id}`)).body;
    expect((await report('compile', 'running')).body).toMatchObject({ allow_failure: false });
    expect(await read()).toMatchObject({ status: 'running', finished_at: null, duration: null });
    await report('compile', 'success', 80);
    expect(await statesOf(id)).toEqual(['unit pending', 'lint pending', 'ship created', 'compile success']);
    await report('unit', 'success', 91);
    expect((await report('lint', 'failed')).body).toMatchObject({ allow_failure: true });
    const done = await read();
    expect(done).toMatchObject({ status: 'success', coverage: '85.50' });
    expect(done.started_at).not.toBeNull();
    expect(done.finished_at).not.toBeNull();
    expect(Number.isInteger(done.duration)).toBe(true);
    expect(await statesOf(id)).toContain('ship manual');
  });

  it('skips what comes after a failure, but what is for failures', LONG, async () => {
    const { project: own, sha: tip } = await configured(
      `a: {stage: build, script: a}\nb: {script: b}\nc: {script: c, when: on_failure}\nd: {stage: deploy, script: d, when: always}`,
    );
    const [{ id }] = (await api.get(`/projects/${own.id}/pipelines`)).body;
    await api.post(`/projects/${own.id}/statuses/${tip}`, { name: 'a', state: 'failed' });
    expect(await statesOf(id)).toEqual(['b skipped', 'c pending', 'd created', 'a failed']);
    await api.post(`/projects/${own.id}/statuses/${tip}`, { name: 'c', state: 'success' });
    expect(await statesOf(id)).toEqual(['b skipped', 'd pending', 'a failed', 'c success']);
    await api.post(`/projects/${own.id}/statuses/${tip}`, { name: 'd', state: 'success' });
    expect((await api.get(`/projects/${own.id}/pipelines/${id}`)).body.status).toBe('failed');
  });
});

describe('POST /projects/:id/pipelines/:pipeline_id/cancel and retry', () => {
  it('cancels every job that has not finished, and has them done again in their order', LONG, async () => {
    const { project: own } = await configured(CONFIG);
    const { id } = (await api.post(`/projects/${own.id}/pipeline`, { ref: 'master' })).body;
    const at = `/projects/${own.id}/pipelines/${id}`;
    const canceled = await api.post(`${at}/cancel`);
    expect([canceled.status, Object.keys(canceled.body)]).toEqual([200, KEYS]);
    expect(canceled.body).toMatchObject({ id, status: 'canceled' });
    expect(canceled.body.finished_at).not.toBeNull();
    expect((await jobsOf(id)).map(({ status }) => status)).toEqual(Array(4).fill('canceled'));
    const retried = await api.post(`${at}/retry`);
    expect([retried.status, retried.body.status, retried.body.finished_at]).toEqual([201, 'pending', null]);
    const jobs = await jobsOf(id);
    expect(jobs.map(({ status, retried: old }) => `${status} ${old}`)).toEqual([
      ...Array(4).fill('canceled true'),
      'pending false',
      ...Array(3).fill('created false'),
    ]);
  });

  it('retries failed jobs only, and those that were skipped behind them come again', LONG, async () => {
    const { project: own, sha: tip } = await configured(
      'a: {stage: build, script: a}\nb: {stage: build, script: b}\nc: {script: c}',
    );
    const [{ id }] = (await api.get(`/projects/${own.id}/pipelines`)).body;
    await api.post(`/projects/${own.id}/statuses/${tip}`, { name: 'a', state: 'success' });
    await api.post(`/projects/${own.id}/statuses/${tip}`, { name: 'b', state: 'failed' });
    expect(await statesOf(id)).toEqual(['c skipped', 'a success', 'b failed']);
    expect((await api.post(`/projects/${own.id}/pipelines/${id}/retry`)).body.status).toBe('pending');
    expect(await statesOf(id)).toEqual(['c created', 'a success', 'b pending']);
    // Whoever reported it before goes on with it.
    await api.post(`/projects/${own.id}/statuses/${tip}`, { name: 'b', state: 'success' });
    expect(await statesOf(id)).toEqual(['c pending', 'a success', 'b success']);
  });

  it(
    'answers pending of a pipeline without jobs, and of one that has succeeded, which is left alone',
    LONG,
    async () => {
      const { id } = (await api.post(`/projects/${project.id}/pipeline`, { ref: 'master' })).body;
      const at = `/projects/${project.id}/pipelines/${id}`;
      expect((await api.post(`${at}/cancel`)).body.status).toBe('canceled');
      expect((await api.post(`${at}/retry`)).body.status).toBe('pending');
      await api.post(`/projects/${project.id}/statuses/${sha}`, { state: 'success', ref: 'master' });
      expect((await api.get(at)).body.status).toBe('success');
      const { body: succeeded } = await api.get(at);
      expect(succeeded.status).toBe('success');
      const retried = await api.post(`${at}/retry`);
      expect([retried.status, retried.body.id, retried.body.status]).toEqual([201, id, 'pending']);
      const mutation = `mutation ($id: ID!) { retryPipeline(input: { id: $id }) { pipeline { databaseId status } } }`;
      expect((await world.graphql(mutation, { id }, owner)).body.data.retryPipeline.pipeline).toEqual({
        databaseId: id,
        status: 'PENDING',
      });
      const { body: after } = await api.get(at);
      expect([after.status, after.finished_at]).toEqual(['success', succeeded.finished_at]);
    },
  );

  it('403 for reporters, 404 for another project, 400 for what is no number', async () => {
    const { id } = (await api.post(`/projects/${project.id}/pipeline`, { ref: 'master' })).body;
    const { project: elsewhere } = await projectWithCommit(world, owner);
    for (const action of ['retry', 'cancel']) {
      const at = `/projects/${project.id}/pipelines/${id}/${action}`;
      expect((await world.api(reporter).post(at)).status).toBe(403);
      expect((await world.api().post(at)).status).toBe(401);
      const other = await world.api(owner).post(`/projects/${elsewhere.id}/pipelines/${id}/${action}`);
      expect(other).toMatchObject({ status: 404, body: { message: '404 Not found' } });
      const odd = await api.post(`/projects/${project.id}/pipelines/x/${action}`);
      expect(odd).toMatchObject({ status: 400, body: { error: 'pipeline_id is invalid' } });
    }
    expect((await api.get(`/projects/${project.id}/pipelines/${id}`)).body.status).toBe('pending');
  });

  it('comes out whole when several do so at once', LONG, async () => {
    const { project: own } = await configured(CONFIG);
    const { id } = (await api.post(`/projects/${own.id}/pipeline`, { ref: 'master' })).body;
    await api.post(`/projects/${own.id}/pipelines/${id}/cancel`);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.post(`/projects/${own.id}/pipelines/${id}/retry`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect((await statesOf(id)).length).toBe(4);
    expect((await jobsOf(id)).length).toBe(8);
  });
});
