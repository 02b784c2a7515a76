// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { parseConfig } from '#src/domain/ci/pipelines/config/parse.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { projectToken, registerRunner } from '../support/runner.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

const PARENT = `
stages: [build, go]
make: {stage: build, script: x, artifacts: {paths: [a]}}
decoy: {stage: build, script: x, artifacts: {paths: [a]}}
go:
  stage: go
  variables: {PARENT_PIPELINE_ID: $CI_PIPELINE_ID}
  trigger: {include: child.yml}
`;
const CHILD = `
use: {script: x, needs: [{pipeline: $PARENT_PIPELINE_ID, job: make}]}
miss: {script: x, needs: [{pipeline: $PARENT_PIPELINE_ID, job: nothing}]}
foreign: {script: x, needs: [{pipeline: $FOREIGN, job: make}]}
`;

/** A project whose child pipeline is there, with a runner that has run its parent. */
async function family(foreign = '0') {
  const { project } = await projectWithCommit(world, owner);
  const content = CHILD.replace('$FOREIGN', foreign);
  await createFile(world.as(owner), project.id, { path: 'child.yml', content, branch: 'master', message: 'File' });
  await commitFile(world, owner, project, PARENT);
  await world.idle();
  await world.db.pipeline.deleteMany({ where: { projectId: project.id } });
  const runner = await registerRunner(world, { token: await projectToken(world, owner, project.id) });
  const { id } = await createPipeline(world.as(owner), project.id, 'master');
  for (let n = 0; n < 2; n += 1) {
    const job = await runner.take();
    await storeArtifacts(world, { id: job.id, projectId: project.id });
    await runner.update(job, 'success');
  }
  await world.idle();
  const jobOf = (name: string) => world.db.job.findFirstOrThrow({ where: { projectId: project.id, name } });
  return { project, runner, id, jobOf };
}

describe('A job that needs one of another pipeline', () => {
  it('gets the artifacts of the job of its parent, by its own token, and no others', async () => {
    const { runner, jobOf } = await family();
    const [make, decoy] = [await jobOf('make'), await jobOf('decoy')];
    const job = await runner.take();
    expect(job.job_info.name).toBe('use');
    expect(job.dependencies).toEqual([
      {
        id: make.id,
        name: 'make',
        token: job.token,
        artifacts_file: { filename: 'artifacts.zip', size: expect.any(Number) },
      },
    ]);
    const fetched = async (id: number) => {
      const headers = { 'JOB-TOKEN': job.token };
      return (await fetch(`${world.url}/api/v4/jobs/${id}/artifacts`, { headers })).status;
    };
    expect([await fetched(make.id), await fetched(decoy.id)]).toEqual([200, 403]);
  });

  it('fails where that is missing, or is in a pipeline that is no relative of its own', async () => {
    const other = await family();
    const { runner, jobOf } = await family(String(other.id));
    expect((await runner.take()).job_info.name).toBe('use');
    expect((await runner.request()).status).toBe(204);
    await world.idle();
    for (const name of ['miss', 'foreign']) {
      expect(await jobOf(name)).toMatchObject({ status: 'failed', failureReason: 'missing_dependency_failure' });
    }
  });

  it.each([
    ['a: {trigger: b, needs: [{pipeline: 1, job: c}]}', 'jobs:a:needs of other pipelines are not for triggers'],
    [
      'a: {script: x, needs: [{pipeline: 1, job: c, artifacts: false}]}',
      "jobs:a:needs artifacts of a job of another pipeline can't be left out",
    ],
    [
      'a: {script: x, needs: [{pipeline: 1, job: c, optional: true}]}',
      'jobs:a:needs config contains unknown keys: optional',
    ],
    [
      'a: {script: x, needs: [{pipeline: group/project}]}',
      'jobs:a:needs config contains keys that are not supported: pipeline',
    ],
    [
      `a: {script: x, needs: [${Array.from({ length: 6 }, () => '{pipeline: 1, job: c}').join(', ')}]}`,
      'jobs:a:needs config has too many needs of other pipelines (maximum is 5)',
    ],
  ])('is refused: %s', (text, message) => {
    expect(() => parseConfig(text)).toThrow(message);
  });
});
