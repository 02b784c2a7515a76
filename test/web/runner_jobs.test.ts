import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { expireJobs } from '#src/domain/ci/runners/expire.ts';
import { API_VERSION } from '#src/platform/api_version.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { startBeside } from '../support/beside.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { clone, gitClient, run } from '../support/git_client.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { registerRunner, type TestRunner } from '../support/runner.ts';
import { startWorld, type TestUser, type World } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

/** No job of an earlier test is left for the runners of this one. */
beforeEach(async () => {
  await world.idle();
  await world.db.job.updateMany({ where: { status: { in: ['pending', 'running'] } }, data: { status: 'canceled' } });
});

async function projectWithJobs(config: string, values: { visibility?: 'private' | 'public' } = {}) {
  const found = await projectWithCommit(world, owner, { config, ...values });
  await world.idle();
  return found;
}

const valuesOf = (payload: Json): Record<string, string> =>
  Object.fromEntries(payload.variables.map(({ key, value }: Json) => [key, value]));
const pipelineOf = async (projectId: number) =>
  world.db.pipeline.findFirstOrThrow({ where: { projectId }, orderBy: { id: 'desc' } });
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

describe('What a runner gets', () => {
  const CONFIG = `
image: ruby:2.1
services: [postgres, {name: redis, alias: cache}]
before_script: [echo before, echo again]
after_script: [echo after]
variables: {SHARED: yaml, FROM_YAML: y}
cache: {key: "$CI_JOB_NAME", paths: [vendor/], untracked: true}
unit:
  script: make test
  stage: test
  tags: [linux]
  variables: {OWN: o}
  artifacts: {name: out, paths: [out/], untracked: true, when: always, expire_in: 1 week}
  environment: {name: review/one}
  except: [tags]
`;

  it('is all that it needs to run the job', LONG, async () => {
    const { project, sha } = await projectWithJobs(CONFIG);
    await world.db.project.update({ where: { id: project.id }, data: { buildTimeout: 1200 } });
    const runner = await registerRunner(world, { tag_list: ['linux', 'fast'], description: 'the one' });
    const payload = await runner.take();
    const { id, token } = payload;
    const url = `${world.url.replace('http://', `http://gitlab-ci-token:${token}@`)}/${project.fullPath}.git`;
    const { variables, ...rest } = payload;
    expect(rest).toEqual({
      id,
      token: expect.stringMatching(/^gjt-[A-Za-z0-9]{20}$/),
      allow_git_fetch: true,
      job_info: { name: 'unit', stage: 'test', project_id: project.id, project_name: project.name },
      git_info: { repo_url: url, ref: 'master', sha, before_sha: '0'.repeat(40), ref_type: 'branch' },
      runner_info: { timeout: 1200 },
      steps: [
        {
          name: 'script',
          script: ['echo before', 'echo again', 'make test'],
          timeout: 1200,
          when: 'on_success',
          allow_failure: false,
        },
        { name: 'after_script', script: ['echo after'], timeout: 1200, when: 'always', allow_failure: true },
      ],
      image: { name: 'ruby:2.1' },
      services: [{ name: 'postgres' }, { name: 'redis', alias: 'cache' }],
      artifacts: [{ name: 'out', untracked: true, paths: ['out/'], when: 'always', expire_in: '1 week' }],
      cache: [{ key: '$CI_JOB_NAME', untracked: true, paths: ['vendor/'] }],
      credentials: [],
      dependencies: [],
    });
    expect(variables.every((one: Json) => Object.keys(one).join() === 'key,value,public,file')).toBe(true);
    const pipeline = await pipelineOf(project.id);
    expect(valuesOf(payload)).toMatchObject({
      CI: 'true',
      GITLAB_CI: 'true',
      CI_SERVER: 'yes',
      CI_SERVER_NAME: 'Gantry',
      CI_SERVER_VERSION: API_VERSION,
      CI_SERVER_VERSION_MAJOR: API_VERSION.split('.')[0],
      CI_SERVER_VERSION_MINOR: API_VERSION.split('.')[1],
      CI_SERVER_VERSION_PATCH: API_VERSION.split('.')[2],
      CI_SERVER_REVISION: expect.any(String),
      CI_JOB_ID: String(id),
      CI_JOB_NAME: 'unit',
      CI_JOB_STAGE: 'test',
      CI_JOB_TOKEN: token,
      CI_COMMIT_SHA: sha,
      CI_COMMIT_REF_NAME: 'master',
      CI_COMMIT_REF_SLUG: 'master',
      CI_PIPELINE_ID: String(pipeline.id),
      CI_PROJECT_ID: String(project.id),
      CI_PROJECT_NAME: project.path,
      CI_PROJECT_PATH: project.fullPath,
      CI_PROJECT_PATH_SLUG: project.fullPath.replace('/', '-'),
      CI_PROJECT_NAMESPACE: owner.username,
      CI_PROJECT_URL: `${world.url}/${project.fullPath}`,
      CI_REPOSITORY_URL: url,
      CI_ENVIRONMENT_NAME: 'review/one',
      CI_ENVIRONMENT_SLUG: expect.stringMatching(/^review-one/),
      CI_RUNNER_ID: String(runner.id),
      CI_RUNNER_DESCRIPTION: 'the one',
      CI_RUNNER_TAGS: 'linux, fast',
      GITLAB_USER_ID: String(owner.id),
      GITLAB_USER_EMAIL: `${owner.username}@example.org`,
      FROM_YAML: 'y',
      OWN: 'o',
    });
    const hidden = variables.filter((one: Json) => !one.public).map(({ key }: Json) => key);
    expect(hidden).toEqual(['CI_JOB_TOKEN', 'CI_REPOSITORY_URL']);
    for (const name of ['CI_JOB_MANUAL', 'CI_JOB_TRIGGERED', 'CI_COMMIT_TAG']) {
      expect(valuesOf(payload)).not.toHaveProperty(name);
    }
  });

  it('holds variables of which the later ones win: predefined, runner, project, file, trigger', LONG, async () => {
    const { project } = await projectWithJobs('unit: {script: x, variables: {A: file, B: file}}');
    for (const key of ['CI', 'CI_RUNNER_ID', 'A', 'B', 'C']) {
      await api.post(`/projects/${project.id}/variables`, { key, value: `project ${key}` });
    }
    const runner = await registerRunner(world);
    await runner.runAll();
    const { token } = (await api.post(`/projects/${project.id}/triggers`, { description: 'x' })).body;
    await api.post(`/projects/${project.id}/trigger/pipeline`, { token, ref: 'master', variables: { B: 'trigger' } });
    const payload = await runner.take();
    expect(valuesOf(payload)).toMatchObject({
      CI: 'project CI',
      CI_RUNNER_ID: 'project CI_RUNNER_ID',
      A: 'file',
      B: 'trigger',
      C: 'project C',
      CI_JOB_TRIGGERED: 'true',
    });
    const order = payload.variables.filter(({ key }: Json) => key === 'B').map(({ value }: Json) => value);
    expect(order).toEqual(['project B', 'file', 'trigger']);
  });

  it('holds protected variables in jobs of protected branches alone', LONG, async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const data = { projectId: project.id, key: 'LIVE' };
    await api.post(`/projects/${project.id}/variables`, { key: 'LIVE', value: 'secret', protected: true });
    await api.post(`/projects/${project.id}/variables`, { key: 'PLAIN', value: 'p' });
    expect(await world.db.variable.count({ where: { ...data, protected: true } })).toBe(1);
    await api.post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'master' });
    await api.post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'master' });
    const runner = await registerRunner(world);
    await world.idle();
    await runner.runAll();
    const seen: Record<string, string | undefined> = {};
    for (const ref of ['master', 'topic', 'v1']) {
      await api.post(`/projects/${project.id}/pipeline?ref=${ref}`);
      const payload = await runner.take();
      const values = valuesOf(payload);
      expect(values.PLAIN).toBe('p');
      seen[ref] = values.LIVE;
      if (ref === 'v1') expect([payload.git_info.ref_type, values.CI_COMMIT_TAG]).toEqual(['tag', 'v1']);
      await runner.update(payload, 'success');
    }
    expect(seen).toEqual({ master: 'secret', topic: undefined, v1: undefined });
  });

  it(
    'holds protected variables only where those who started it, and its pipeline, may push or merge',
    LONG,
    async () => {
      const config = `
unit: {script: x}
late: {script: x, stage: deploy}
ship: {script: x, stage: deploy, when: manual}`;
      const { project } = await projectWithJobs(config);
      const at = `/projects/${project.id}`;
      await api.post(`${at}/variables`, { key: 'LIVE', value: 'secret', protected: true });
      const [developer, master] = [await world.user(), await world.user()];
      await world.member(project, developer, 'developer');
      await world.member(project, master, 'master');
      const runner = await registerRunner(world);
      await runner.runAll();
      /** What the next job of that name sees; those before it succeed, and so does it unless it is said. */
      const live = async (name = 'unit', state = 'success'): Promise<string | undefined> => {
        const payload = await runner.take();
        await runner.update(payload, payload.job_info.name === name ? state : 'success');
        return payload.job_info.name === name ? valuesOf(payload).LIVE : live(name, state);
      };
      const start = async (who: TestUser) => (await world.api(who).post(`${at}/pipeline?ref=master`)).body.id;
      const act = async (who: TestUser, pipelineId: number, name: string, action: 'retry' | 'play') => {
        await runner.runAll();
        const job = await world.db.job.findFirstOrThrow({ where: { pipelineId, name, retried: false } });
        expect((await world.api(who).post(`${at}/jobs/${job.id}/${action}`)).status).toBeLessThan(300);
        return live(name);
      };

      const own = await start(master);
      expect(await live()).toBe('secret');
      expect(await act(master, own, 'unit', 'retry')).toBe('secret');
      expect(await act(developer, own, 'unit', 'retry')).toBeUndefined();
      expect(await act(developer, own, 'ship', 'play')).toBeUndefined();
      const other = await start(master);
      expect(await act(master, other, 'ship', 'play')).toBe('secret');

      const foreign = await start(developer);
      expect(await live()).toBeUndefined();
      expect(await act(master, foreign, 'unit', 'retry')).toBeUndefined();
      expect(await act(master, foreign, 'ship', 'play')).toBeUndefined();

      await runner.runAll();
      const broken = await start(master);
      expect(await live('unit', 'failed')).toBe('secret');
      await world.api(developer).post(`${at}/pipelines/${broken}/retry`);
      expect([await live('unit'), await live('late')]).toEqual([undefined, undefined]);
      const again = await start(master);
      expect(await live('unit', 'failed')).toBe('secret');
      const failed = await world.db.job.findFirstOrThrow({ where: { pipelineId: again, name: 'unit' } });
      await world.api(developer).post(`${at}/jobs/${failed.id}/retry`);
      expect([await live('unit'), await live('late')]).toEqual([undefined, undefined]);

      const { token } = (await world.api(master).post(`${at}/triggers`, { description: 'x' })).body;
      const fire = () => world.api().post(`${at}/trigger/pipeline`, { token, ref: 'master', variables: { A: 'b' } });
      await fire();
      expect(await live()).toBe('secret');
      await runner.runAll();
      await api.put(`${at}/members/${master.id}`, { access_level: 30 });
      await fire();
      expect(await live()).toBeUndefined();

      for (const allowed of ['developers_can_push', 'developers_can_merge']) {
        await runner.runAll();
        await api.put(`${at}/repository/branches/master/protect`, { [allowed]: true });
        await start(developer);
        expect(await live()).toBe('secret');
        await api.put(`${at}/repository/branches/master/protect`, { [allowed]: false });
      }
      await runner.runAll();
      await start(developer);
      expect(await live()).toBeUndefined();
    },
  );

  it('names the artifacts of earlier stages that the job is to have', LONG, async () => {
    const config = `
a: {script: x, stage: build}
b: {script: x, stage: build}
all: {script: x}
one: {script: x, dependencies: [b]}
none: {script: x, dependencies: []}
last: {script: x, stage: deploy}`;
    const { project } = await projectWithJobs(config);
    const runner = await registerRunner(world);
    const made: Json[] = [await runner.take(), await runner.take()];
    for (const job of made) {
      await world.db.job.update({ where: { id: job.id }, data: { artifactsFilename: 'a.zip', artifactsSize: 5 } });
      await runner.update(job, 'success');
    }
    const [all, one, none] = [await runner.take(), await runner.take(), await runner.take()];
    const [a, b] = made;
    const entry = (job: Json, token: string) => ({
      id: job.id,
      name: job.job_info.name,
      token,
      artifacts_file: { filename: 'a.zip', size: 5 },
    });
    expect(all.dependencies).toEqual([entry(a, all.token), entry(b, all.token)]);
    expect(one.dependencies).toEqual([entry(b, one.token)]);
    expect(none.dependencies).toEqual([]);
    expect(project.id).toBe(all.job_info.project_id);
  });

  it('holds what an earlier version wrote as far as it makes sense', async () => {
    const { project } = await projectWithJobs('unit: {script: x}');
    const options = {
      script: ['x', { a: 1 }],
      image: { nothing: 1 },
      services: 'db',
      cache: [1],
      artifacts: 'x',
      coverage: 5,
      dependencies: 'x',
      variables: { A: 5 },
    };
    await world.db.job.updateMany({ where: { projectId: project.id }, data: { options } });
    const payload = await (await registerRunner(world)).take();
    expect(payload).toMatchObject({ image: null, services: [], cache: [], artifacts: [], dependencies: [] });
    expect(payload.steps[0].script).toEqual(['x']);
  });

  it('tells manual jobs', LONG, async () => {
    const { project } = await projectWithJobs('go: {script: x, when: manual}');
    const { id } = await world.db.job.findFirstOrThrow({ where: { projectId: project.id } });
    const runner = await registerRunner(world);
    expect((await runner.request()).status).toBe(204);
    await api.post(`/projects/${project.id}/jobs/${id}/play`);
    expect(valuesOf(await runner.take()).CI_JOB_MANUAL).toBe('true');
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
    expect((await world.api(job.token).get(`/projects/${project.id}`)).status).toBe(404);
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
