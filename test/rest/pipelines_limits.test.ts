// One part in depth, which the long run has.
// @module-tag long
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

/** A map of 9,000 keys that another one takes over 990 times: seconds for ninety kilobytes. */
const SLOW = [
  'job: {script: x}',
  `.many: &a {${Array.from({ length: 9_000 }, (_, n) => `k${n}: x`).join(', ')}}`,
  `.merged: {<<: [${Array<string>(990).fill('*a').join(', ')}]}`,
].join('\n');

describe('A .gitlab-ci.yml that takes long to read', () => {
  it('is refused before the work, and nobody else waits for it', async () => {
    const { project } = await projectWithCommit(world, owner, { config: SLOW });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { status, body } = await world.api(owner).post(`/projects/${project.id}/pipeline`, { ref: 'master' });
    delay.disable();
    expect([status, body.message]).toEqual([
      400,
      { base: ['The file has more than 100000 values, with those that aliases and merges repeat'] },
    ]);
    // Read where requests are served, it would hold them up for many times as long.
    expect(delay.max / 1e6).toBeLessThan(5_000);
  });

  it('keeps no other project from making pipelines, and the thread goes on', LONG, async () => {
    const { project: slow } = await projectWithCommit(world, owner, { config: SLOW });
    const { project } = await projectWithCommit(world, owner, { config: 'job: {script: x}' });
    const attempts = Array.from({ length: 5 }, () => createPipeline(world.as(owner), slow.id, 'master'));
    const refused = Promise.allSettled(attempts);
    const { id } = await createPipeline(world.as(owner), project.id, 'master');
    expect(await world.db.job.count({ where: { pipelineId: id } })).toBe(1);
    expect((await refused).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  });
});
