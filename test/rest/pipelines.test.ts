import { beforeAll, describe, expect, it } from 'vitest';
import { createPushedPipelines } from '#src/domain/ci/pipelines/push.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { commitFile, pipelineOf, projectWithCommit } from '../support/ci.ts';
import { commitFile as commitInCopy, run, workingCopy } from '../support/git_client.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(developer);
let project: ProjectRow;
let sha: string;

const CONFIG = `
image: node:24
stages: [build, test, deploy]
variables: {A: 1}
before_script: [prepare]
compile:
  stage: build
  script: [make, make install]
unit:
  script: test
  coverage: '/\\d+%/'
lint:
  script: lint
  allow_failure: true
release:
  stage: deploy
  script: release
  only: [tags]
ship:
  stage: deploy
  script: ship
  when: manual
  except: [tags]
`;

beforeAll(async () => {
  ({ project, sha } = await projectWithCommit(world, owner));
  await members(project);
});

async function members({ id }: { id: number }) {
  const place = { id, issuesEnabled: true } as ProjectRow;
  await world.member(place, developer, 'developer');
  await world.member(place, reporter, 'reporter');
  await world.member(place, guest, 'guest');
}

/** A project whose commit says what its pipelines do; the pipeline that came of it is there. */
async function configured(config: string) {
  const made = await projectWithCommit(world, owner, { config });
  await members(made.project);
  await world.idle();
  return made;
}

const jobsOf = (pipelineId: number) => world.db.job.findMany({ where: { pipelineId }, orderBy: { id: 'asc' } });
const statesOf = async (pipelineId: number) =>
  (await jobsOf(pipelineId)).filter(({ retried }) => !retried).map(({ name, status }) => `${name} ${status}`);

const LIST_KEYS = [
  'id',
  'status',
  'ref',
  'sha',
  'iid',
  'project_id',
  'source',
  'created_at',
  'updated_at',
  'web_url',
  'name',
];
const KEYS = [
  'id',
  'iid',
  'project_id',
  'name',
  'sha',
  'ref',
  'status',
  'source',
  'web_url',
  'before_sha',
  'tag',
  'yaml_errors',
  'user',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
  'committed_at',
  'duration',
  'queued_duration',
  'coverage',
  'detailed_status',
];

describe('POST /projects/:id/pipeline', () => {
  it('makes a pending pipeline without jobs where the commit has no file', async () => {
    const { status, body } = await api.post(`/projects/${project.id}/pipeline`, { ref: 'master' });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({
      sha,
      ref: 'master',
      status: 'pending',
      before_sha: '0'.repeat(40),
      tag: false,
      yaml_errors: null,
      user: { id: developer.id, username: developer.username },
      started_at: null,
      finished_at: null,
      duration: null,
      coverage: null,
    });
    expect(body.committed_at).toMatch(/^\d{4}-.*Z$/);
    expect(await jobsOf(body.id)).toEqual([]);
  });

  it('makes the jobs of the file, stage after stage, the first of which wait to be run', LONG, async () => {
    const { project: own } = await configured(CONFIG);
    const { status, body } = await api.post(`/projects/${own.id}/pipeline`, { ref: 'master' });
    expect([status, body.status, body.tag]).toEqual([201, 'pending', false]);
    expect(await statesOf(body.id)).toEqual(['compile pending', 'unit created', 'lint created', 'ship created']);
    expect(await jobsOf(body.id)).toMatchObject([
      {
        stage: 'build',
        stageIndex: 0,
        userId: developer.id,
        options: {
          script: ['make', 'make install'],
          before_script: ['prepare'],
          image: 'node:24',
          variables: { A: '1' },
        },
      },
      { stage: 'test', stageIndex: 1, options: { coverage: '/\\d+%/' } },
      { stage: 'test', allowFailure: true },
      { stage: 'deploy', when: 'manual', allowFailure: true },
    ]);
  });

  it('makes those of a tag for a tag', LONG, async () => {
    const { project: own, sha: tip } = await configured(CONFIG);
    await createTag(world.as(owner), own.id, { name: 'v1', target: 'master', message: 'One' });
    const { body } = await api.post(`/projects/${own.id}/pipeline`, { ref: 'v1' });
    expect(body).toMatchObject({ ref: 'v1', tag: true, sha: tip });
    expect(await statesOf(body.id)).toEqual(['compile pending', 'unit created', 'lint created', 'release created']);
  });

  it.each([
    [{}, { error: 'ref is missing' }],
    [{ ref: 'nowhere' }, { message: { base: ['Reference not found'] } }],
    [{ ref: '' }, { message: { base: ['Reference not found'] } }],
  ])('400 for %j', async (input, answer) => {
    const where = { projectId: project.id };
    const before = await world.db.pipeline.count({ where });
    expect(await api.post(`/projects/${project.id}/pipeline`, input)).toMatchObject({ status: 400, body: answer });
    expect(await world.db.pipeline.count({ where })).toBe(before);
  });

  it('400 with the message for a file that is invalid, or has no job for the ref', LONG, async () => {
    const { project: own } = await configured('unit: {script: []}');
    const post = () => api.post(`/projects/${own.id}/pipeline`, { ref: 'master' });
    expect(await post()).toMatchObject({
      status: 400,
      body: { message: { base: ["jobs:unit script can't be blank"] } },
    });
    await commitFile(world, owner, own, 'unit: {script: test, only: [tags]}');
    expect(await post()).toMatchObject({ status: 400, body: { message: { base: ['No builds for this pipeline.'] } } });
    await world.idle();
    expect(await world.db.pipeline.findMany({ where: { projectId: own.id } })).toMatchObject([{ status: 'failed' }]);
  });

  it('403 for reporters and where jobs are turned off', LONG, async () => {
    const { project: own } = await projectWithCommit(world, owner);
    await members(own);
    const post = (who: typeof owner) => world.api(who).post(`/projects/${own.id}/pipeline`, { ref: 'master' });
    expect((await post(reporter)).status).toBe(403);
    await world.db.project.update({ where: { id: own.id }, data: { jobsEnabled: false } });
    expect((await post(developer)).status).toBe(403);
    expect((await api.get(`/projects/${own.id}/pipelines`)).status).toBe(403);
    expect(await world.db.pipeline.count({ where: { projectId: own.id } })).toBe(0);
  });
});

describe('A push', () => {
  it('makes a pipeline where the commit has a file', LONG, async () => {
    const { project: own, sha: tip } = await configured('unit: {script: test}');
    const next = await commitFile(world, owner, own);
    await createBranch(world.as(owner), own.id, 'topic', 'master');
    await createTag(world.as(owner), own.id, { name: 'v1', target: 'master' });
    await world.idle();
    const pipelines = await world.db.pipeline.findMany({ where: { projectId: own.id }, orderBy: { id: 'asc' } });
    const made = pipelines.map(({ ref, tag, sha, beforeSha, source }) => ({ ref, tag, sha, beforeSha, source }));
    const push = { source: 'push', tag: false, beforeSha: null };
    expect(made).toEqual(
      expect.arrayContaining([
        { ...push, ref: 'master', sha: tip },
        { ...push, ref: 'master', sha: next, beforeSha: tip },
        { ...push, ref: 'topic', sha: next },
        { ...push, ref: 'v1', sha: next, tag: true },
      ]),
    );
    expect(made.length).toBe(4);
    const { body } = await api.get(`/projects/${own.id}/pipelines/${pipelines.find((p) => p.beforeSha)?.id}`);
    expect(body).toMatchObject({ before_sha: tip, user: { id: owner.id }, status: 'pending' });
  });

  it('by the git program makes them too; a push of very many refs makes none', LONG, async () => {
    const own = await world.project({ owner });
    await members(own);
    const copy = await workingCopy();
    const tip = await commitInCopy(copy, '.gitlab-ci.yml', 'unit: {script: test}');
    const url = `${world.url.replace('//', `//x:${owner.token}@`)}/${own.fullPath}.git`;
    const push = (...refs: string[]) => run(copy, 'push', '--quiet', url, ...refs);
    await push('main', 'main:topic');
    await world.idle();
    const made = await world.db.pipeline.findMany({ where: { projectId: own.id }, orderBy: { ref: 'asc' } });
    expect(made).toMatchObject([
      { ref: 'main', sha: tip, source: 'push', userId: owner.id },
      { ref: 'topic', sha: tip, source: 'push', userId: owner.id },
    ]);
    await push(...Array.from({ length: 21 }, (_, n) => `main:many-${n}`));
    await world.idle();
    expect(await world.db.pipeline.count({ where: { projectId: own.id } })).toBe(2);
  });

  it('makes one pipeline, however often its job is run', LONG, async () => {
    const { project: own, sha: tip } = await projectWithCommit(world, owner, { config: 'unit: {script: test}' });
    await world.idle();
    const ref = { ref: 'master', tag: false, sha: tip, beforeSha: null };
    const data = { projectId: own.id, userId: owner.id, refs: [{ ...ref, pushKey: world.unique('key') }] };
    await Promise.all([1, 2, 3].map(() => createPushedPipelines(world.as(owner), data)));
    await createPushedPipelines(world.as(owner), data);
    const pipelines = await world.db.pipeline.findMany({ where: { projectId: own.id }, include: { jobs: true } });
    expect(pipelines.map(({ jobs }) => jobs.length)).toEqual([1, 1]);
  });

  it('makes none without a file, with jobs turned off, or when a branch is deleted', LONG, async () => {
    const { project: own } = await projectWithCommit(world, owner);
    await world.db.project.update({ where: { id: own.id }, data: { jobsEnabled: false } });
    await commitFile(world, owner, own, 'unit: {script: test}');
    await createBranch(world.as(owner), own.id, 'topic', 'master');
    await world.idle();
    await world.db.project.update({ where: { id: own.id }, data: { jobsEnabled: true } });
    await world.api(owner).delete(`/projects/${own.id}/repository/branches/topic`);
    await world.idle();
    expect(await world.db.pipeline.count({ where: { projectId: own.id } })).toBe(0);
  });

  it('makes a failed pipeline, which tells why, of an invalid file', async () => {
    const { project: own } = await configured('unit: [');
    const [pipeline] = await world.db.pipeline.findMany({ where: { projectId: own.id } });
    const { body } = await api.get(`/projects/${own.id}/pipelines/${pipeline?.id}`);
    expect(body.status).toBe('failed');
    expect(body.yaml_errors).toMatch(/at line 1/);
    expect((await api.get(`/projects/${own.id}/pipelines?yaml_errors=true`)).body.length).toBe(1);
    expect((await api.get(`/projects/${own.id}/pipelines?yaml_errors=false`)).body).toEqual([]);
  });
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
  it('takes the same few statements', async () => {
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
