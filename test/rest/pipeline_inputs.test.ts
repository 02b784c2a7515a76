// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { finishJob, startJob } from '#src/domain/ci/jobs/run.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const api = world.api(owner);

/** A project with a configuration and other files on `master`. */
async function projectOf(config: string, files: Record<string, string> = {}): Promise<ProjectRow> {
  const { project } = await projectWithCommit(world, owner);
  for (const [path, content] of Object.entries(files)) {
    await createFile(world.as(owner), project.id, { path, content, branch: 'master', message: 'File' });
  }
  await commitFile(world, owner, project, config);
  await world.member(project, guest, 'guest');
  await world.idle();
  return project;
}

const start = (project: ProjectRow, input: object = {}) =>
  api.post(`/projects/${project.id}/pipeline`, { ref: 'master', ...input });
const namesOf = async (pipelineId: number) => {
  const jobs = await world.db.job.findMany({ where: { pipelineId }, orderBy: { name: 'asc' } });
  return jobs.map(({ name }) => name);
};
const child = async (pipelineId: number, name: string) => {
  await world.idle();
  return world.db.pipeline.findFirstOrThrow({
    where: { sourceJob: { pipelineId, name } },
    include: { jobs: true },
    orderBy: { id: 'desc' },
  });
};

const DECLARED = `
spec:
  inputs:
    stage: {default: test, options: [test, deploy], description: Where.}
    count: {type: number, default: 1}
    wanted: {type: boolean, default: false}
    tags: {type: array, default: []}
    name: {regex: '^[a-z]+$', default: unit}
---
"$[[ inputs.name ]]":
  stage: $[[ inputs.stage ]]
  script: echo $[[ inputs.count ]]
  parallel: $[[ inputs.count ]]
  tags: $[[ inputs.tags ]]
extra:
  script: x
  rules: [{if: '"$[[ inputs.wanted ]]" == "true"'}]
`;

describe('The inputs of a pipeline', () => {
  it('have their defaults, or the values that POST /projects/:id/pipeline gives, of their types', LONG, async () => {
    const project = await projectOf(DECLARED);
    const plain = await start(project);
    expect([plain.status, await namesOf(plain.body.id)]).toEqual([201, ['unit 1/1']]);
    const inputs = { stage: 'deploy', count: 2, wanted: true, tags: ['a', 'b'], name: 'lint' };
    const given = await start(project, { inputs });
    expect(await namesOf(given.body.id)).toEqual(['extra', 'lint 1/2', 'lint 2/2']);
    const job = await world.db.job.findFirstOrThrow({ where: { pipelineId: given.body.id, name: 'lint 2/2' } });
    expect(job).toMatchObject({ stage: 'deploy', tags: ['a', 'b'] });
    // A form has nothing but texts.
    const form = await start(project, { inputs: { count: '3', wanted: 'true', tags: '["c"]' } });
    expect(await namesOf(form.body.id)).toEqual(['extra', 'unit 1/3', 'unit 2/3', 'unit 3/3']);
    const mutation = `mutation ($project: ProjectRef!, $inputs: JSON) {
      createPipeline(input: { project: $project, ref: "master", inputs: $inputs }) { pipeline { databaseId } } }`;
    const { body } = await world.graphql(mutation, { project: project.id, inputs: { name: 'graph' } }, owner);
    expect(await namesOf(body.data.createPipeline.pipeline.databaseId)).toEqual(['graph 1/1']);
  });

  it.each([
    [{ stage: 'build' }, '`stage` input: `build` cannot be used because it is not in the list of allowed options'],
    [{ count: 'many' }, '`count` input: provided value is not a number'],
    [{ name: 'Unit' }, '`name` input: provided value does not match required RegEx pattern'],
    [{ odd: 1 }, 'unknown input arguments: odd'],
  ])('are refused with the reason: %j', async (inputs, message) => {
    const project = await projectOf(DECLARED);
    const before = await world.db.pipeline.count({ where: { projectId: project.id } });
    expect(await start(project, { inputs })).toMatchObject({ status: 400, body: { message: { base: [message] } } });
    expect(await world.db.pipeline.count({ where: { projectId: project.id } })).toBe(before);
  });

  it('are at most twenty, and values of four kinds', async () => {
    const project = await projectOf(DECLARED);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`i${index}`, 1]));
    for (const inputs of [many, { name: { odd: 1 } }, { 'a b': 'x' }, { name: 'x'.repeat(70_000) }]) {
      const { status, body } = await start(project, { inputs });
      expect([status, Object.keys(body.message)]).toEqual([400, ['inputs']]);
    }
  });

  it('come with the token of a trigger, and wrong ones start nothing', async () => {
    const project = await projectOf(DECLARED);
    const { token } = (await api.post(`/projects/${project.id}/triggers`, { description: 'x' })).body;
    const at = `/projects/${project.id}/trigger/pipeline`;
    const fired = await world.api().post(at, { token, ref: 'master', inputs: { name: 'fired' } });
    expect([fired.status, await namesOf(fired.body.id)]).toEqual([201, ['fired 1/1']]);
    expect((await world.api().post(at, { token, ref: 'master', inputs: { odd: 1 } })).status).toBe(400);
  });

  it('are kept by a schedule, changed one by one, and given to its pipelines', LONG, async () => {
    const project = await projectOf(DECLARED);
    const at = `/projects/${project.id}/pipeline_schedules`;
    const inputs = [
      { name: 'name', value: 'nightly' },
      { name: 'count', value: 2 },
    ];
    const values = { description: 'x', ref: 'master', cron: '0 0 1 1 *', inputs };
    const made = await api.post(at, values);
    expect([made.status, made.body.inputs]).toEqual([201, inputs]);
    const one = `${at}/${made.body.id}`;
    const changed = await api.put(one, {
      inputs: [
        { name: 'count', destroy: true },
        { name: 'stage', value: 'deploy' },
      ],
    });
    const expected = [
      { name: 'name', value: 'nightly' },
      { name: 'stage', value: 'deploy' },
    ];
    expect(
      changed.body.inputs.toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)),
    ).toEqual(expected);
    expect((await api.put(one, { description: 'y' })).body.inputs).toHaveLength(2);
    expect((await api.post(`${one}/play`)).status).toBe(201);
    const { lastPipelineId } = { lastPipelineId: (await api.get(one)).body.last_pipeline.id };
    expect(await namesOf(lastPipelineId)).toEqual(['nightly 1/1']);
    expect((await api.put(one, { inputs: [{ name: 'name', value: { odd: 1 } }] })).status).toBe(400);
  });

  it('are passed on by jobs with a trigger, to files of the project and to other projects', LONG, async () => {
    const other = await projectOf(DECLARED);
    const config = `
own: {trigger: {include: [{local: part.yml, inputs: {name: own}}], inputs: {count: 2}}}
plain: {trigger: {include: part.yml, inputs: {name: plain}}}
there: {trigger: {project: ${other.fullPath}, inputs: {name: there, wanted: true}}}
wrong: {trigger: {include: [{local: part.yml, inputs: {odd: 1}}]}}
`;
    const project = await projectOf(config, { 'part.yml': DECLARED });
    const { id } = (await start(project)).body;
    const made = async (name: string) => (await child(id, name)).jobs.map((job) => job.name).toSorted();
    expect(await made('own')).toEqual(['own 1/2', 'own 2/2']);
    expect(await made('plain')).toEqual(['plain 1/1']);
    expect(await made('there')).toEqual(['extra', 'there 1/1']);
    expect(await child(id, 'wrong')).toMatchObject({ status: 'failed', yamlErrors: 'unknown input arguments: odd' });
  });
});

describe('The variables of POST /projects/:id/pipeline', () => {
  it('are given to the jobs, and shown with the pipeline', async () => {
    const project = await projectOf('a: {script: x, rules: [{if: $DEEP == "yes"}]}\nb: {script: x}');
    const variables = [
      { key: 'DEEP', value: 'yes' },
      { key: 'CERT', value: 'text', variable_type: 'file' },
    ];
    const { status, body } = await start(project, { variables });
    expect([status, await namesOf(body.id)]).toEqual([201, ['a', 'b']]);
    expect((await api.get(`/projects/${project.id}/pipelines/${body.id}/variables`)).body).toEqual([
      { key: 'DEEP', value: 'yes', variable_type: 'env_var', raw: false },
      { key: 'CERT', value: 'text', variable_type: 'file', raw: false },
    ]);
    expect((await start(project, { variables: [{ key: 'a-b', value: 'x' }] })).status).toBe(400);
    expect((await world.api(guest).post(`/projects/${project.id}/pipeline`, { ref: 'master', variables })).status).toBe(
      403,
    );
  });
});

describe('A job with trigger:include:artifact', () => {
  const PARENT = `
stages: [build, go]
make: {stage: build, script: x, artifacts: {paths: [out]}}
decoy: {stage: build, script: x}
go: {stage: go, trigger: {include: [{artifact: out/child.yml, job: make}]}}
bare: {stage: go, trigger: {include: [{artifact: out/child.yml, job: decoy}]}}
away: {stage: go, trigger: {include: [{artifact: out/none.yml, job: make}]}}
deep: {stage: go, trigger: {include: [{artifact: ../child.yml, job: make}]}}
none: {stage: go, trigger: {include: [{artifact: out/child.yml, job: missing}]}}
large: {stage: go, trigger: {include: [{artifact: out/large.yml, job: make}]}}
`;

  it('starts a child of a file that a job of its pipeline has made, or says why not', LONG, async () => {
    const project = await projectOf(PARENT, { 'local.yml': 'local: {script: x}' });
    const { id } = (await start(project)).body;
    const [make, decoy] = await Promise.all(
      ['make', 'decoy'].map((name) => world.db.job.findFirstOrThrow({ where: { pipelineId: id, name } })),
    );
    const content = await zip({
      'out/child.yml': 'include: local.yml\nmade: {script: x}',
      'out/large.yml': `#${'x'.repeat(1024 * 1024)}\na: {script: x}`,
    });
    await storeArtifacts(world, { id: make?.id ?? 0, projectId: project.id }, { content });
    for (const one of [make, decoy]) {
      const job = { id: one?.id ?? 0, pipelineId: id };
      await startJob(world.as(owner), job, '');
      await finishJob(world.as(owner), job, { state: 'success' });
    }
    expect((await child(id, 'go')).jobs.map(({ name }) => name).toSorted()).toEqual(['local', 'made']);
    const why = async (name: string) => (await child(id, name)).yamlErrors;
    expect(await why('bare')).toBe('Job `decoy` has no artifact `out/child.yml`');
    expect(await why('away')).toBe('Job `make` has no artifact `out/none.yml`');
    expect(await why('deep')).toContain('Artifact `../child.yml` of job `make` cannot be read');
    expect(await why('none')).toContain('Job `missing` not found in parent pipeline');
    expect(await why('large')).toContain('larger than');
  });

  it('is not for the file of a pipeline itself', async () => {
    const project = await projectOf('include: [{artifact: a.yml, job: b}]\na: {script: x}');
    expect((await start(project)).body.message.base).toEqual([
      'include:artifact can only be used by jobs with `trigger`',
    ]);
  });
});
