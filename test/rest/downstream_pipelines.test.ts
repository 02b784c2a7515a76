// Each of its tests takes long.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { finishJob, startJob } from '#src/domain/ci/jobs/run.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const api = world.api(owner);

/** A project with a configuration and other files on `master`. */
async function projectOf(config: string, files: Record<string, string> = {}): Promise<ProjectRow> {
  const { project } = await projectWithCommit(world, owner);
  for (const [path, content] of Object.entries(files)) {
    await createFile(world.as(owner), project.id, { path, content, branch: 'master', message: 'File' });
  }
  await commitFile(world, owner, project, config);
  await world.member(project, developer, 'developer');
  await world.idle();
  return project;
}

const start = async (project: ProjectRow, who: TestUser = owner) => {
  const { id } = await createPipeline(world.as(who), project.id, 'master');
  await world.idle();
  return id;
};
const job = (pipelineId: number, name: string) =>
  world.db.job.findFirstOrThrow({ where: { pipelineId, name, retried: false } });
const end = async (pipelineId: number, name: string, state: 'success' | 'failed' = 'success') => {
  const { id } = await job(pipelineId, name);
  await startJob(world.as(owner), { id, pipelineId }, '');
  await finishJob(world.as(owner), { id, pipelineId }, { state });
  await world.idle();
};
const below = async (pipelineId: number, name: string) => {
  const { id } = await job(pipelineId, name);
  return world.db.pipeline.findMany({ where: { sourceJobId: id }, include: { jobs: true }, orderBy: { id: 'asc' } });
};
const child = async (pipelineId: number, name: string) => {
  const [found] = await below(pipelineId, name);
  if (!found) throw new Error(`${name} has started no pipeline`);
  return found;
};
const status = async (id: number) => (await world.db.pipeline.findUniqueOrThrow({ where: { id } })).status;

const CHILD = `
unit: {script: x}
as-child: {script: x, rules: [{if: $CI_PIPELINE_SOURCE == "parent_pipeline" && $KIND == "child"}]}
pushed: {script: x, only: [pushes]}
`;
const PARENT = `
stages: [build, deploy]
start:
  stage: build
  variables: {KIND: child, NAMED: $CI_COMMIT_REF_NAME-$KIND}
  trigger: {include: ci/child.yml}
after: {stage: deploy, script: x}
`;

describe('A job with trigger:include', () => {
  it('starts a child pipeline of the same commit, with its variables, and succeeds', async () => {
    const project = await projectOf(PARENT, { 'ci/child.yml': CHILD });
    const id = await start(project);
    const made = await child(id, 'start');
    const parent = await world.db.pipeline.findUniqueOrThrow({ where: { id } });
    expect(made).toMatchObject({ source: 'parent_pipeline', sha: parent.sha, ref: 'master', userId: owner.id });
    expect(made.jobs.map(({ name }) => name).toSorted()).toEqual(['as-child', 'unit']);
    expect(JSON.parse(decrypt(made.variablesEncrypted as Uint8Array, world.as(owner).secret))).toEqual({
      KIND: 'child',
      NAMED: 'master-child',
    });
    expect(await job(id, 'start')).toMatchObject({ status: 'success', bridge: true, runnerId: null });
    expect((await job(id, 'after')).status).toBe('pending');
    const at = `/projects/${project.id}/pipelines`;
    const { body } = await api.get(`${at}/${id}/bridges`);
    expect(body).toMatchObject([
      {
        name: 'start',
        stage: 'build',
        status: 'success',
        downstream_pipeline: { id: made.id, source: 'parent_pipeline' },
      },
    ]);
    expect(body[0]).not.toHaveProperty('artifacts_file');
    expect((await api.get(`${at}/${id}/bridges?scope=failed`)).body).toEqual([]);
    expect((await api.get(`${at}/${id}/jobs`)).body.map(({ name }: Json) => name)).toEqual(['after']);
    const listed = async (query = '') => (await api.get(at + query)).body.map((one: Json) => one.id);
    expect(await listed()).not.toContain(made.id);
    // What was pushed has started a child, too.
    const children = await listed('?source=parent_pipeline');
    expect(children).toContain(made.id);
    expect(children).not.toContain(id);
    expect((await api.get(`${at}/latest`)).body.id).toBe(id);
    const query = `{ project(ref: "${project.id}") { pipeline(id: ${made.id}) { upstreamJob { name pipeline { databaseId } } } } }`;
    expect((await world.graphql(query, {}, owner)).body.data.project.pipeline.upstreamJob).toEqual({
      name: 'start',
      pipeline: { databaseId: id },
    });
  });

  it('waits for the pipeline with strategy: depend, and fails and goes on with it', async () => {
    const config = PARENT.replace('include: ci/child.yml', 'include: [{local: ci/child.yml}], strategy: depend');
    const project = await projectOf(config, { 'ci/child.yml': 'unit: {script: x}' });
    const id = await start(project);
    const made = await child(id, 'start');
    expect([await status(id), (await job(id, 'start')).status]).toEqual(['running', 'running']);
    await end(made.id, 'unit', 'failed');
    expect([await status(id), (await job(id, 'start')).status, (await job(id, 'after')).status]).toEqual([
      ...['failed', 'failed', 'skipped'],
    ]);
    await api.post(`/projects/${project.id}/pipelines/${made.id}/retry`);
    await world.idle();
    expect((await job(id, 'start')).status).toBe('running');
    await end(made.id, 'unit');
    expect([(await job(id, 'start')).status, (await job(id, 'after')).status]).toEqual(['success', 'pending']);
  });

  it('is canceled with its child, and deleted with it', async () => {
    const config = PARENT.replace('include: ci/child.yml', 'include: ci/child.yml, strategy: depend');
    const project = await projectOf(config, { 'ci/child.yml': CHILD });
    const id = await start(project);
    const made = await child(id, 'start');
    await api.post(`/projects/${project.id}/pipelines/${id}/cancel`);
    await world.idle();
    expect([await status(id), await status(made.id), (await job(id, 'start')).status]).toEqual(
      Array(3).fill('canceled'),
    );
    expect((await api.delete(`/projects/${project.id}/pipelines/${id}`)).status).toBe(204);
    expect(await world.db.pipeline.count({ where: { id: { in: [id, made.id] } } })).toBe(0);
  });

  it('fails for a file that is not there, is invalid or has no jobs, and shows why', async () => {
    const config = `
none: {trigger: {include: none.yml}}
bad: {trigger: {include: bad.yml}}
empty: {trigger: {include: empty.yml}}
allowed: {trigger: {include: none.yml}, allow_failure: true}
`;
    const project = await projectOf(config, { 'bad.yml': 'a: {}', 'empty.yml': 'a: {script: x, only: [pushes]}' });
    const id = await start(project);
    for (const name of ['none', 'bad', 'empty', 'allowed']) {
      const found = await job(id, name);
      expect([name, found.status, found.failureReason]).toEqual([
        name,
        'failed',
        'downstream_pipeline_creation_failed',
      ]);
    }
    expect(await child(id, 'none')).toMatchObject({
      status: 'failed',
      yamlErrors: 'Local file `none.yml` does not exist!',
    });
    expect(await child(id, 'bad')).toMatchObject({ yamlErrors: "jobs:a script can't be blank" });
    expect(await below(id, 'empty')).toEqual([]);
    expect(await status(id)).toBe('failed');
  });

  it('is played and retried as other jobs are, each time with a new pipeline', async () => {
    const config = 'go: {trigger: {include: child.yml}, when: manual}\nstay: {script: x}';
    const project = await projectOf(config, { 'child.yml': 'unit: {script: x}' });
    const id = await start(project);
    const { id: manual } = await job(id, 'go');
    expect((await job(id, 'go')).status).toBe('manual');
    expect((await api.post(`/projects/${project.id}/jobs/${manual}/play`)).status).toBe(200);
    await world.idle();
    const first = await child(id, 'go');
    expect((await api.post(`/projects/${project.id}/jobs/${manual}/retry`)).status).toBe(201);
    await world.idle();
    const second = await child(id, 'go');
    expect(second.id).toBeGreaterThan(first.id);
    expect((await api.get(`/projects/${project.id}/pipelines/${id}/bridges`)).body).toMatchObject([
      { downstream_pipeline: { id: second.id } },
    ]);
  });

  it('has children on two levels at most', async () => {
    const files = {
      'a.yml': 'down: {trigger: {include: b.yml}}',
      'b.yml': 'down: {trigger: {include: c.yml}}',
      'c.yml': 'unit: {script: x}',
    };
    const project = await projectOf('down: {trigger: {include: a.yml}}', files);
    const id = await start(project);
    const first = await child(id, 'down');
    const second = await child(first.id, 'down');
    expect(await job(second.id, 'down')).toMatchObject({
      status: 'failed',
      failureReason: 'reached_max_descendant_pipelines_depth',
    });
    expect(await below(second.id, 'down')).toEqual([]);
  });

  it('starts children of pipelines of merge requests, which know the merge request', async () => {
    const project = await world.project({ owner });
    await withTopic(world, project, owner);
    const parent = 'go: {trigger: {include: child.yml}, rules: [{if: $CI_MERGE_REQUEST_IID}]}';
    const file = { path: 'child.yml', content: 'unit: {script: x, rules: [{if: $CI_MERGE_REQUEST_IID == "1"}]}' };
    await createFile(world.as(owner), project.id, { ...file, branch: 'topic', message: 'File' });
    await commitFile(world, owner, project, parent, 'topic');
    const { id: mergeRequestId } = await opened(world, project, owner);
    await world.idle();
    const own = await world.db.pipeline.findFirstOrThrow({ where: { mergeRequestId, source: 'api' } });
    const made = await child(own.id, 'go');
    expect(made).toMatchObject({ source: 'parent_pipeline', mergeRequestId });
    const head = await api.get(`/projects/${project.id}/merge_requests/1`);
    expect(head.body.head_pipeline.id).toBe(own.id);
    const read = await api.get(`/projects/${project.id}/pipelines/${made.id}`);
    expect(read.body.source).toBe('parent_pipeline');
  });
});

describe('A job with trigger:project', () => {
  const OTHER = 'unit: {script: x, rules: [{if: $CI_PIPELINE_SOURCE == "pipeline" && $FROM == "here"}]}';

  it('starts a pipeline of the default branch, or of another one, of that project', async () => {
    const other = await projectOf(OTHER);
    await api.post(`/projects/${other.id}/repository/branches`, { branch: 'second', ref: 'master' });
    const config = `
variables: {FROM: here, TARGET: second}
short: {trigger: ${other.fullPath}}
long: {trigger: {project: ${other.fullPath}, branch: $TARGET, strategy: mirror}}
`;
    const project = await projectOf(config);
    const id = await start(project);
    const [short, long] = [await child(id, 'short'), await child(id, 'long')];
    expect(short).toMatchObject({ projectId: other.id, ref: 'master', source: 'pipeline', userId: owner.id });
    expect(long).toMatchObject({ projectId: other.id, ref: 'second' });
    expect([(await job(id, 'short')).status, (await job(id, 'long')).status]).toEqual(['success', 'running']);
    await end(long.id, 'unit');
    expect((await job(id, 'long')).status).toBe('success');
    const listed = await api.get(`/projects/${other.id}/pipelines?source=pipeline`);
    expect(listed.body.map((one: Json) => one.id)).toEqual(expect.arrayContaining([short.id, long.id]));
    expect(new Set(listed.body.map((one: Json) => one.source))).toEqual(new Set(['pipeline']));
  });

  it('passes on what the job says: its own variables, those of its pipeline, or none', async () => {
    const other = await projectOf('unit: {script: x}');
    const config = `
variables: {OWN: own}
neither: {trigger: {project: ${other.fullPath}, forward: {yaml_variables: false}}}
both: {trigger: {project: ${other.fullPath}, forward: {pipeline_variables: true}}}
`;
    const project = await projectOf(config);
    const trigger = (await api.post(`/projects/${project.id}/triggers`, { description: 'x' })).body;
    const fired = await api.post(`/projects/${project.id}/trigger/pipeline`, {
      ...{ token: trigger.token, ref: 'master' },
      variables: { GIVEN: 'given' },
    });
    await world.idle();
    const passed = async (name: string) => {
      const { id } = await child(fired.body.id, name);
      return (await api.get(`/projects/${other.id}/pipelines/${id}/variables`)).body.map((one: Json) => one.key);
    };
    expect(await passed('neither')).toEqual([]);
    expect(await passed('both')).toEqual(['OWN', 'GIVEN']);
  });

  it('fails where its user sees no project, or may not start pipelines', async () => {
    const [hidden, seen] = [await world.project({ owner }), await world.project({ owner, visibility: 'public' })];
    for (const { id } of [hidden, seen]) {
      await createFile(world.as(owner), id, {
        path: '.gitlab-ci.yml',
        content: 'a: {script: x}',
        branch: 'master',
        message: 'CI',
      });
    }
    await world.idle();
    const project = await projectOf(`
hidden: {trigger: ${hidden.fullPath}}
seen: {trigger: ${seen.fullPath}}
missing: {trigger: no/where}
branch: {trigger: {project: ${seen.fullPath}, branch: nowhere}}
`);
    const reasons = async (id: number) =>
      Promise.all(['hidden', 'seen', 'missing', 'branch'].map(async (name) => (await job(id, name)).failureReason));
    expect(await reasons(await start(project, developer))).toEqual([
      'downstream_bridge_project_not_found',
      'insufficient_bridge_permissions',
      'downstream_bridge_project_not_found',
      'insufficient_bridge_permissions',
    ]);
    expect(await reasons(await start(project))).toEqual([
      ...[null, null, 'downstream_bridge_project_not_found', 'downstream_pipeline_creation_failed'],
    ]);
    const ofDeveloper = { projectId: { in: [hidden.id, seen.id] }, userId: developer.id };
    expect(await world.db.pipeline.count({ where: ofDeveloper })).toBe(0);
  });

  it('does not start what led to it', async () => {
    const first = await projectOf('unit: {script: x}');
    const second = await projectOf(`back: {trigger: ${first.fullPath}}`);
    await commitFile(world, owner, first, `there: {trigger: ${second.fullPath}}`);
    const id = await start(first);
    const there = await child(id, 'there');
    expect(await job(there.id, 'back')).toMatchObject({ status: 'failed', failureReason: 'pipeline_loop_detected' });
    expect(await below(there.id, 'back')).toEqual([]);
  });

  it('shows its pipeline only to those who can see it', async () => {
    const other = await projectOf('unit: {script: x}');
    await world.db.member.deleteMany({ where: { projectId: other.id, userId: developer.id } });
    const project = await projectOf(`go: {trigger: ${other.fullPath}}`);
    const id = await start(project);
    const path = `/projects/${project.id}/pipelines/${id}/bridges`;
    expect((await api.get(path)).body).toMatchObject([{ downstream_pipeline: { project_id: other.id } }]);
    expect((await world.api(developer).get(path)).body).toMatchObject([{ downstream_pipeline: null }]);
  });
});
