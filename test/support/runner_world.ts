import { beforeEach } from 'vitest';
import { projectWithCommit } from './ci.ts';
import { startWorld } from './world.ts';

/** A world in which each test has the runners and their jobs to itself. */
export async function startRunnerWorld() {
  const world = await startWorld();
  const owner = await world.user();
  const api = world.api(owner);

  /** No job of an earlier test is left for the runners of this one. */
  beforeEach(async () => {
    await world.idle();
    await world.db.job.updateMany({ where: { status: { in: ['pending', 'running'] } }, data: { status: 'canceled' } });
  });

  /** A project with a pipeline of the jobs that a `.gitlab-ci.yml` describes. */
  async function projectWithJobs(config: string, values: { visibility?: 'private' | 'public' } = {}) {
    const found = await projectWithCommit(world, owner, { config, ...values });
    await world.idle();
    return found;
  }

  /** The latest pipeline of a project. */
  const pipelineOf = async (projectId: number) =>
    world.db.pipeline.findFirstOrThrow({ where: { projectId }, orderBy: { id: 'desc' } });

  return { world, owner, api, projectWithJobs, pipelineOf };
}
