import { beforeAll, describe, expect, it } from 'vitest';
import { createPushedPipelines } from '#src/domain/ci/pipelines/push.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { commitFile as commitInCopy, run, workingCopy } from '../support/git_client.ts';
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

  it('makes a failed pipeline, which tells why, of an invalid file', LONG, async () => {
    const { project: own } = await configured('unit: [');
    const [pipeline] = await world.db.pipeline.findMany({ where: { projectId: own.id } });
    const { body } = await api.get(`/projects/${own.id}/pipelines/${pipeline?.id}`);
    expect(body.status).toBe('failed');
    expect(body.yaml_errors).toMatch(/at line 1/);
    expect((await api.get(`/projects/${own.id}/pipelines?yaml_errors=true`)).body.length).toBe(1);
    expect((await api.get(`/projects/${own.id}/pipelines?yaml_errors=false`)).body).toEqual([]);
  });
});
