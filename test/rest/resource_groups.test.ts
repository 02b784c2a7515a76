// Each of its tests takes long.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { finishJob, startJob } from '#src/domain/ci/jobs/run.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectWithCommit } from '../support/ci.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

const CONFIG = `
stages: [build, deploy]
unit: {stage: build, script: x}
ship: {stage: deploy, script: x, resource_group: live/$CI_COMMIT_REF_NAME, environment: {name: live}}
other: {stage: deploy, script: x, resource_group: elsewhere}
`;

async function made(config = CONFIG): Promise<ProjectRow> {
  const { project } = await projectWithCommit(world, owner, { config });
  await world.idle();
  await world.db.pipeline.deleteMany({ where: { projectId: project.id } });
  return project;
}

const start = async (project: ProjectRow) => (await createPipeline(world.as(owner), project.id, 'master')).id;
const job = (pipelineId: number, name: string) =>
  world.db.job.findFirstOrThrow({ where: { pipelineId, name, retried: false } });
const status = async (pipelineId: number, name = 'ship') => (await job(pipelineId, name)).status;
const run = async (pipelineId: number, name: string, state: 'success' | 'failed' | null = 'success') => {
  const { id } = await job(pipelineId, name);
  if ((await status(pipelineId, name)) === 'pending') await startJob(world.as(owner), { id, pipelineId }, '');
  if (state) await finishJob(world.as(owner), { id, pipelineId }, { state });
  await world.idle();
};

describe('Jobs of a resource group', () => {
  it('run one at a time in a project, those of older pipelines first', async () => {
    const [project, apart] = [await made(), await made()];
    const [first, second, third] = [await start(project), await start(project), await start(project)];
    const elsewhere = await start(apart);
    for (const id of [first, third, second, elsewhere]) await run(id, 'unit');
    expect(await job(first, 'ship')).toMatchObject({ status: 'pending', resourceGroup: 'live/master' });
    expect([await status(second), await status(third)]).toEqual(['waiting_for_resource', 'waiting_for_resource']);
    // Neither other groups nor other projects wait.
    expect([await status(first, 'other'), await status(elsewhere)]).toEqual(['pending', 'pending']);
    expect(await status(second, 'other')).toBe('waiting_for_resource');
    await run(first, 'ship', null);
    expect(await status(second)).toBe('waiting_for_resource');
    await run(first, 'ship');
    expect([await status(second), await status(third)]).toEqual(['pending', 'waiting_for_resource']);
    await run(second, 'ship', 'failed');
    expect(await status(third)).toBe('pending');
  });

  it('are seen to wait, with their pipelines, and can be canceled then', async () => {
    const project = await made('ship: {script: x, resource_group: one}');
    const [first, second, third] = [await start(project), await start(project), await start(project)];
    await world.idle();
    const { body } = await api.get(`/projects/${project.id}/pipelines/${second}`);
    expect(body).toMatchObject({ status: 'waiting_for_resource', detailed_status: { text: 'Waiting' } });
    const listed = await api.get(`/projects/${project.id}/jobs?scope=waiting_for_resource`);
    expect(listed.body.map(({ pipeline }: { pipeline: { id: number } }) => pipeline.id)).toEqual([third, second]);
    const { id } = await job(second, 'ship');
    expect((await api.post(`/projects/${project.id}/jobs/${id}/cancel`)).status).toBe(201);
    expect(await status(second)).toBe('canceled');
    expect(await status(third)).toBe('waiting_for_resource');
    await api.post(`/projects/${project.id}/pipelines/${first}/cancel`);
    await world.idle();
    expect(await status(third)).toBe('pending');
  });

  it('go on when the pipeline of the one that runs is deleted, and wait again when they are retried', async () => {
    const project = await made('ship: {script: x, resource_group: one}');
    const [first, second, third] = [await start(project), await start(project), await start(project)];
    await world.idle();
    expect((await api.delete(`/projects/${project.id}/pipelines/${first}`)).status).toBe(204);
    await world.idle();
    expect(await status(second)).toBe('pending');
    await run(second, 'ship', 'failed');
    expect(await status(third)).toBe('pending');
    await api.post(`/projects/${project.id}/pipelines/${second}/retry`);
    await world.idle();
    expect(await status(second)).toBe('waiting_for_resource');
    await run(third, 'ship');
    expect(await status(second)).toBe('pending');
  });

  it('may be those that start other pipelines', async () => {
    const project = await made(
      'go: {trigger: {include: none.yml}, resource_group: one}\nship: {script: x, resource_group: one}',
    );
    const id = await start(project);
    await world.idle();
    expect(await job(id, 'go')).toMatchObject({ status: 'failed', holdsResource: false });
    expect(await status(id)).toBe('pending');
  });
});

describe('The process mode of a resource group', () => {
  const MODES = `
stages: [build, deploy]
unit: {stage: build, script: x}
ship: {stage: deploy, script: x, resource_group: live/it}
`;
  const group = (project: ProjectRow) => `/projects/${project.id}/resource_groups/live%2Fit`;
  /** Three pipelines whose jobs wait for the job of a fourth, or have been let in. */
  const queue = async (mode: string) => {
    const project = await made(MODES);
    const holder = await start(project);
    await run(holder, 'unit');
    const { status: code, body } = await api.put(group(project), { process_mode: mode });
    expect([code, body.process_mode, body.key]).toEqual([200, mode, 'live/it']);
    return { project, holder, waiting: [await start(project), await start(project), await start(project)] as const };
  };
  const upcoming = async (project: ProjectRow) => {
    const { body } = await api.get(`${group(project)}/upcoming_jobs`);
    return body.map((one: { pipeline: { id: number } }) => one.pipeline.id);
  };

  it('is unordered at first: who is ready runs', async () => {
    const { project, holder, waiting } = await queue('unordered');
    const [first, second, third] = waiting;
    for (const id of [third, second]) await run(id, 'unit');
    expect(await upcoming(project)).toEqual([second, third]);
    await run(holder, 'ship');
    expect([await status(first), await status(second), await status(third)]).toEqual([
      ...['created', 'pending', 'waiting_for_resource'],
    ]);
  });

  it('oldest_first waits for older pipelines, until their jobs will never run', async () => {
    const { project, holder, waiting } = await queue('oldest_first');
    const [first, second, third] = waiting;
    for (const id of [third, second]) await run(id, 'unit');
    await run(holder, 'ship');
    expect(await upcoming(project)).toEqual([first, second, third]);
    expect(await status(second)).toBe('waiting_for_resource');
    await run(first, 'unit', 'failed');
    expect([await status(first), await status(second), await status(third)]).toEqual([
      ...['skipped', 'pending', 'waiting_for_resource'],
    ]);
    await api.post(`/projects/${project.id}/pipelines/${second}/cancel`);
    await world.idle();
    expect(await status(third)).toBe('pending');
  });

  it('oldest_first goes on when the older pipeline is deleted', async () => {
    const { project, holder, waiting } = await queue('oldest_first');
    const [first, second] = waiting;
    await run(second, 'unit');
    await run(holder, 'ship');
    expect(await status(second)).toBe('waiting_for_resource');
    expect((await api.delete(`/projects/${project.id}/pipelines/${first}`)).status).toBe(204);
    await world.idle();
    expect(await status(second)).toBe('pending');
  });

  it('newest_first waits for the newest pipeline, newest_ready_first does not', async () => {
    const strict = await queue('newest_first');
    const ready = await queue('newest_ready_first');
    for (const { holder, waiting } of [strict, ready]) {
      for (const id of waiting.slice(0, 2)) await run(id, 'unit');
      await run(holder, 'ship');
    }
    const states = ({ waiting }: typeof strict) => Promise.all(waiting.map((id) => status(id)));
    expect(await states(strict)).toEqual(['waiting_for_resource', 'waiting_for_resource', 'created']);
    expect(await upcoming(strict.project)).toEqual(strict.waiting.toReversed());
    expect(await states(ready)).toEqual(['waiting_for_resource', 'pending', 'created']);
    expect(await upcoming(ready.project)).toEqual([ready.waiting[0]]);
    await run(strict.waiting[2], 'unit');
    expect(await states(strict)).toEqual(['waiting_for_resource', 'waiting_for_resource', 'pending']);
    // Another mode holds at once.
    await run(strict.waiting[2], 'ship');
    expect(await status(strict.waiting[1])).toBe('pending');
  });

  it('is read with the group, for developers, with the job that runs', async () => {
    const { project, holder } = await queue('unordered');
    const listed = await api.get(`/projects/${project.id}/resource_groups`);
    expect(listed.body).toEqual([
      {
        ...{ id: expect.any(Number), key: 'live/it', process_mode: 'unordered' },
        ...{ created_at: expect.any(String), updated_at: expect.any(String) },
      },
    ]);
    expect((await api.get(group(project))).body).toEqual(listed.body[0]);
    expect((await api.get(`${group(project)}/current_job`)).body).toMatchObject({
      ...{ name: 'ship', pipeline: { id: holder } },
    });
    await run(holder, 'ship');
    expect((await api.get(`${group(project)}/current_job`)).status).toBe(404);
    expect((await api.get(`/projects/${project.id}/resource_groups/other`)).status).toBe(404);
    const wrong = await api.put(group(project), { process_mode: 'random' });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'process_mode does not have a valid value']);
    const query = `{ project(ref: "${project.id}") { resourceGroup(key: "live/it") { processMode upcomingJobs { totalCount } } } }`;
    expect((await world.graphql(query, {}, owner)).body.data.project.resourceGroup).toEqual({
      ...{ processMode: 'UNORDERED', upcomingJobs: { totalCount: 0 } },
    });
  });
});
