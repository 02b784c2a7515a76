import { describe, expect, it } from 'vitest';
import { finishJob, startJob } from '#src/domain/ci/jobs/run.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
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
  it('run one at a time in a project, those of older pipelines first', LONG, async () => {
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

  it('are seen to wait, with their pipelines, and can be canceled then', LONG, async () => {
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

  it(
    'go on when the pipeline of the one that runs is deleted, and wait again when they are retried',
    LONG,
    async () => {
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
    },
  );

  it('may be those that start other pipelines', LONG, async () => {
    const project = await made(
      'go: {trigger: {include: none.yml}, resource_group: one}\nship: {script: x, resource_group: one}',
    );
    const id = await start(project);
    await world.idle();
    expect(await job(id, 'go')).toMatchObject({ status: 'failed', holdsResource: false });
    expect(await status(id)).toBe('pending');
  });
});
