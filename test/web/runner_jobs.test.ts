// One part in depth, which the long run has.
// @module-tag long
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expireJobs } from '#src/domain/ci/runners/expire.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { startBeside } from '../support/beside.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { clone, gitClient, run } from '../support/git_client.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { registerRunner, type TestRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';
import type { World } from '../support/world.ts';

const { world, owner, api, projectWithJobs, pipelineOf } = await startRunnerWorld();
const statusOf = async (id: number) => (await world.db.job.findUniqueOrThrow({ where: { id } })).status;

describe('Taking jobs', () => {
  it('gives no job twice to 50 runners that ask two servers at once', LONG, async () => {
    const names = Array.from({ length: 30 }, (_, n) => `job${n}`);
    const { project } = await projectWithJobs(names.map((name) => `${name}: {script: x}`).join('\n'));
    const beside = await startBeside(world, onTestFinished);
    const runners: TestRunner[] = [];
    for (let n = 0; n < 50; n += 1) runners.push(await registerRunner(world));
    const taken: number[] = [];
    const asked = async (runner: TestRunner, url: string) => {
      for (let tries = 0; tries < 20 && taken.length < names.length; tries += 1) {
        const { status, body } = await runner.request(url);
        if (status === 201) taken.push(body.id);
        else expect([204, 409]).toContain(status);
      }
    };
    await Promise.all(runners.map((runner, n) => asked(runner, n % 2 === 0 ? world.url : beside.url)));
    expect(taken.toSorted((a, b) => a - b)).toEqual([...new Set(taken)].toSorted((a, b) => a - b));
    const jobs = await world.db.job.findMany({ where: { projectId: project.id } });
    expect(
      jobs
        .filter(({ status }) => status === 'running')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(taken.toSorted());
    expect(taken).toHaveLength(names.length);
    expect((await pipelineOf(project.id)).status).toBe('running');
  });

  it('comes to an end while jobs and pipelines are canceled, retried and finished at once', LONG, async () => {
    const config = Array.from({ length: 8 }, (_, n) => `job${n}: {script: x}`).join('\n');
    const { project } = await projectWithJobs(config);
    const runners: TestRunner[] = [];
    for (let n = 0; n < 6; n += 1) runners.push(await registerRunner(world));
    const { id } = await pipelineOf(project.id);
    const at = `/projects/${project.id}/pipelines/${id}`;
    const work = runners.map(async (runner) => {
      for (let n = 0; n < 6; n += 1) {
        const { status, body } = await runner.request();
        expect([201, 204, 409]).toContain(status);
        if (status === 201) expect([200, 404]).toContain((await runner.update(body, 'failed')).status);
      }
    });
    const change = async () => {
      for (let n = 0; n < 4; n += 1) {
        expect((await api.post(`${at}/retry`)).status).toBe(201);
        expect((await api.post(`${at}/cancel`)).status).toBe(200);
      }
    };
    await Promise.all([...work, change()]);
    const jobs = await world.db.job.findMany({ where: { pipelineId: id, retried: false } });
    expect(jobs).toHaveLength(8);
  });

  it('costs the same however many jobs have finished', LONG, async () => {
    const { project } = await projectWithJobs('a: {script: x}');
    const { id } = await pipelineOf(project.id);
    await world.db.$executeRaw`
      INSERT INTO jobs (project_id, pipeline_id, name, stage, stage_index, status, user_id)
      SELECT ${project.id}, ${id}, 'old', 'test', 1, 'success', ${owner.id} FROM generate_series(1, 20000)`;
    await world.db.$executeRaw`ANALYZE jobs`;
    const statement = (await world.statements(async () => (await registerRunner(world)).request())).find((text) =>
      text.includes('SKIP LOCKED'),
    );
    expect(statement).toContain('FOR UPDATE OF j SKIP LOCKED');
    const client = new pg.Client({ connectionString: world.databaseUrl });
    await client.connect();
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${statement}`).finally(() => client.end());
    const lines = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toMatch(/jobs_queue/);
    expect(lines).toMatch(/jobs_running/);
    expect(lines).not.toMatch(/Seq Scan on jobs/);
  });
});

describe('The token of a job', () => {
  const repository = (place: { fullPath: string }, token: string, name = 'gitlab-ci-token') =>
    `${world.url.replace('http://', `http://${name}:${token}@`)}/${place.fullPath}.git`;

  it('clones and fetches the repository of its project while it runs, whatever the user name', LONG, async () => {
    const { project, sha } = await projectWithJobs('unit: {script: x}');
    const runner = await registerRunner(world);
    const job = await runner.take();
    const copy = await clone(job.git_info.repo_url);
    expect(await run(copy, 'rev-parse', 'HEAD')).toBe(sha);
    expect(await run(copy, 'ls-remote', repository(project, job.token, 'anybody'), 'HEAD')).toContain(sha);
    await runner.update(job, 'success');
    const after = await gitClient(copy, 'fetch', 'origin');
    expect(after.code).not.toBe(0);
    const statuses = [];
    for (const token of [job.token, 'gjt-aaaaaaaaaaaaaaaaaaaa']) {
      const Authorization = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
      const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
      statuses.push((await world.send('GET', path, { headers: { Authorization } })).status);
    }
    expect(statuses).toEqual([401, 401]);
  });

  it('fetches over HTTP where people use SSH alone', async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const job = await (await registerRunner(world)).take();
    const ask = async (password: string) => {
      const Authorization = `Basic ${Buffer.from(`${owner.username}:${password}`).toString('base64')}`;
      const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
      return (await world.send('GET', path, { headers: { Authorization } })).status;
    };
    const set = async (enabledGitAccessProtocol: string | null) => {
      await world.db.applicationSettings.update({ where: { id: 1 }, data: { enabledGitAccessProtocol } });
      forgetSettings(world.db);
    };
    await set('ssh');
    const statuses = [await ask(job.token), await ask(owner.token)];
    await set(null);
    expect(statuses).toEqual([200, 403]);
  });

  it('pushes nothing', LONG, async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const job = await (await registerRunner(world)).take();
    const copy = await clone(job.git_info.repo_url);
    const pushed = await gitClient(copy, 'push', 'origin', 'HEAD:refs/heads/new');
    expect(pushed.code).not.toBe(0);
    expect(pushed.said).toMatch(/403|cannot push/);
    expect((await api.get(`/projects/${project.id}/repository/branches`)).body).toHaveLength(1);
  });

  it('reaches no other private project of the same user, public ones as anybody, and not the API', LONG, async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const other = await projectWithCommit(world, owner);
    const open = await projectWithCommit(world, owner, { visibility: 'public' });
    const job = await (await registerRunner(world)).take();
    const ask = async (place: { fullPath: string }) => {
      const Authorization = `Basic ${Buffer.from(`x:${job.token}`).toString('base64')}`;
      const path = `/${place.fullPath}.git/info/refs?service=git-upload-pack`;
      return (await world.send('GET', path, { headers: { Authorization } })).status;
    };
    expect([await ask(project), await ask(other.project), await ask(open.project)]).toEqual([200, 401, 200]);
    expect((await world.api(job.token).get('/user')).status).toBe(401);
    expect((await world.api(job.token).get(`/projects/${project.id}`)).status).toBe(401);
    const bearer = await world.send('GET', '/api/v4/user', { headers: { Authorization: `Bearer ${job.token}` } });
    expect(bearer.status).toBe(401);
  });

  it('is dead when who started the job is blocked, and when the project is deleted', LONG, async () => {
    const user = await world.user();
    const { project } = await projectWithCommit(world, user, { config: 'unit: {script: x}' });
    await world.idle();
    const runner = await registerRunner(world);
    const job = await runner.take();
    const Authorization = `Basic ${Buffer.from(`x:${job.token}`).toString('base64')}`;
    const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    const ask = async () => (await world.send('GET', path, { headers: { Authorization } })).status;
    expect(await ask()).toBe(200);
    await world.db.user.update({ where: { id: user.id }, data: { state: 'blocked' } });
    expect(await ask()).toBe(401);
    await world.db.user.update({ where: { id: user.id }, data: { state: 'active' } });
    await world.api(user).delete(`/projects/${project.id}`);
    expect(await ask()).toBe(401);
    expect((await runner.update(job, 'success')).status).toBe(404);
  });
});

describe('Jobs of which nothing is heard', () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const stores = (of: World) => of.as(owner);
  const running = async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const runner = await registerRunner(world);
    return { project, runner, job: await runner.take() };
  };

  it.each([
    ['was silent for an hour', { startedAt: ago(30), lastSignAt: ago(61) }, 'stuck_or_timeout_failure'],
    ['ran longer than it may', { startedAt: ago(62), lastSignAt: ago(0) }, 'job_execution_timeout'],
  ])('fail: one that %s', LONG, async (_what, data, failureReason) => {
    const { project, runner, job } = await running();
    await world.db.job.update({ where: { id: job.id }, data });
    await expireJobs(stores(world));
    const row = await world.db.job.findUniqueOrThrow({ where: { id: job.id } });
    expect(row).toMatchObject({ status: 'failed', failureReason });
    expect((await pipelineOf(project.id)).status).toBe('failed');
    const { status, headers } = await runner.update(job, 'success');
    expect([status, headers.get('job-status')]).toEqual([404, 'failed']);
    expect(await statusOf(job.id)).toBe('failed');
  });

  it('go on as long as there is a heartbeat', LONG, async () => {
    const { runner, job } = await running();
    await world.db.job.update({ where: { id: job.id }, data: { lastSignAt: ago(61) } });
    await runner.update(job, 'running');
    await expireJobs(stores(world));
    expect(await statusOf(job.id)).toBe('running');
    await world.db.job.update({ where: { id: job.id }, data: { lastSignAt: ago(61) } });
    await runner.print(job, 0, 'x');
    await expireJobs(stores(world));
    expect(await statusOf(job.id)).toBe('running');
  });

  it('leave those alone that wait for a runner, however long', LONG, async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    await world.db.job.updateMany({
      where: { projectId: project.id },
      data: { queuedAt: ago(6000), updatedAt: ago(6000) },
    });
    await expireJobs(stores(world));
    expect((await world.db.job.findFirstOrThrow({ where: { projectId: project.id } })).status).toBe('pending');
  });
});

describe('Stages with real runs', () => {
  const CONFIG = `
stages: [build, test, deploy, clean]
build: {script: x, stage: build}
flaky: {script: x, stage: test, allow_failure: true}
unit: {script: x, stage: test}
ship: {script: x, stage: deploy, environment: {name: live}}
by-hand: {script: x, stage: deploy, when: manual}
on-fail: {script: x, stage: clean, when: on_failure}
always: {script: x, stage: clean, when: always}`;

  it('follow each other, with a failure that is allowed, and deploy', LONG, async () => {
    const { project } = await projectWithJobs(CONFIG);
    const runner = await registerRunner(world);
    const names = await runner.runAll(({ job_info: { name } }) => (name === 'flaky' ? 'failed' : 'success'));
    expect(names).toEqual(['build', 'flaky', 'unit', 'ship', 'always']);
    expect((await pipelineOf(project.id)).status).toBe('success');
    const { body } = await api.get(`/projects/${project.id}/deployments`);
    expect(body).toMatchObject([{ environment: { name: 'live' }, deployable: { name: 'ship', status: 'success' } }]);
    const byHand = await world.db.job.findFirstOrThrow({ where: { projectId: project.id, name: 'by-hand' } });
    await api.post(`/projects/${project.id}/jobs/${byHand.id}/play`);
    expect(await runner.runAll()).toEqual(['by-hand']);
  });

  it('go on with what is for failures, and with a retry from where they failed', LONG, async () => {
    const { project } = await projectWithJobs(CONFIG);
    const runner = await registerRunner(world);
    const failing = await runner.runAll(({ job_info: { name } }) => (name === 'unit' ? 'failed' : 'success'));
    expect(failing).toEqual(['build', 'flaky', 'unit', 'on-fail', 'always']);
    const { id, status } = await pipelineOf(project.id);
    expect(status).toBe('failed');
    await api.post(`/projects/${project.id}/pipelines/${id}/retry`);
    expect(await runner.runAll()).toEqual(['unit', 'ship']);
    expect((await pipelineOf(project.id)).status).toBe('success');
  });

  it('a retried job has a token of its own; the old one stays dead', LONG, async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const runner = await registerRunner(world);
    const job = await runner.take();
    await runner.update(job, 'failed');
    await api.post(`/projects/${project.id}/jobs/${job.id}/retry`);
    const again = await runner.take();
    expect(again.id).not.toBe(job.id);
    expect((await runner.update({ id: again.id, token: job.token }, 'success')).status).toBe(403);
    expect((await runner.update(again, 'success')).status).toBe(200);
  });
});

describe('Commits that ask for no jobs', () => {
  itEveryNth(3, ['[ci skip]', '[skip ci]', 'words [CI-SKIP] more'])('%s makes a skipped pipeline', async (message) => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const before = await pipelineOf(project.id);
    const commit = { branch: 'master', commit_message: message, content: 'x' };
    await api.post(`/projects/${project.id}/repository/files/${world.unique('f')}`, commit);
    await world.idle();
    const made = await pipelineOf(project.id);
    expect(made.id).not.toBe(before.id);
    expect(made.status).toBe('skipped');
    expect(await world.db.job.count({ where: { pipelineId: made.id } })).toBe(0);
    const asked = await api.post(`/projects/${project.id}/pipeline?ref=master`);
    expect([asked.status, asked.body.status]).toEqual([201, 'pending']);
  });

  it('fails as any other where the file is invalid', async () => {
    const { project } = await projectWithCommit(world, owner);
    await commitFile(world, owner, project, 'unit: {script: 5, stage: nowhere}');
    await world.idle();
    expect((await pipelineOf(project.id)).status).toBe('failed');
  });
});
