// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { API_VERSION } from '#src/platform/api_version.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { registerRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, api, projectWithJobs, pipelineOf } = await startRunnerWorld();

const valuesOf = (payload: Json): Record<string, string> =>
  Object.fromEntries(payload.variables.map(({ key, value }: Json) => [key, value]));

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

  /** A job that says everything, as the runner gets that takes it. */
  async function described() {
    const { project, sha } = await projectWithJobs(CONFIG);
    await world.db.project.update({ where: { id: project.id }, data: { buildTimeout: 1200 } });
    const runner = await registerRunner(world, { tag_list: ['linux', 'fast'], description: 'the one' });
    const payload = await runner.take();
    const credentials = `gitlab-ci-token:${payload.token}`;
    const url = `${world.url.replace('http://', `http://${credentials}@`)}/${project.fullPath}.git`;
    return { project, sha, runner, payload, url };
  }

  it('tells it of the deploy token of that name, whose text is masked', async () => {
    const { project } = await projectWithJobs('job: {script: make}');
    const runner = await registerRunner(world, {});
    const list = `/projects/${project.id}/deploy_tokens`;
    const given = { name: 'gitlab-deploy-token', scopes: ['read_registry'] };
    const { body: made } = await api.post(list, given);
    await api.post(list, { ...given, name: 'another one' });
    const { variables } = await runner.take();
    const of = (key: string) => variables.find((one: Json) => one.key === key);
    expect(of('CI_DEPLOY_USER')).toMatchObject({ value: made.username });
    expect(of('CI_DEPLOY_PASSWORD')).toMatchObject({ value: made.token, masked: true, public: false });
  });

  it('is all that it needs to run the job', LONG, async () => {
    const { project, sha, payload, url } = await described();
    const { variables, ...rest } = payload;
    const pipeline = await pipelineOf(project.id);
    expect(rest).toEqual({
      id: payload.id,
      token: expect.stringMatching(/^gjt-[A-Za-z0-9]{20}$/),
      allow_git_fetch: true,
      job_info: {
        name: 'unit',
        stage: 'test',
        project_id: project.id,
        project_name: project.name,
        pipeline_id: pipeline.id,
        project_full_path: project.fullPath,
        namespace_id: expect.any(Number),
        root_namespace_id: expect.any(Number),
        organization_id: 1,
        user_id: owner.id,
        time_in_queue_seconds: expect.any(Number),
        project_jobs_running_on_instance_runners_count: '+Inf',
      },
      git_info: {
        repo_url: url,
        ref: 'master',
        sha,
        before_sha: '0'.repeat(40),
        ref_type: 'branch',
        refspecs: [`+${sha}:refs/pipelines/${pipeline.id}`, '+refs/heads/master:refs/remotes/origin/master'],
        depth: 20,
        repo_object_format: 'sha1',
        protected: true,
      },
      runner_info: { timeout: 1200, runner_session_url: null },
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
      artifacts: [
        {
          name: 'out',
          untracked: true,
          paths: ['out/'],
          when: 'always',
          expire_in: '1 week',
          artifact_type: 'archive',
          artifact_format: 'zip',
        },
      ],
      cache: [{ key: 'unit-protected', untracked: true, paths: ['vendor/'] }],
      credentials: [
        {
          type: 'registry',
          url: new URL(world.url).host,
          username: 'gitlab-ci-token',
          password: expect.stringMatching(/^gjt-/),
        },
      ],
      dependencies: [],
      features: {
        trace_sections: true,
        token_mask_prefixes: ['grt-', 'glrt-', 'gjt-', 'grr-'],
        failure_reasons: expect.arrayContaining(['script_failure', 'image_pull_failure']),
      },
      hooks: [],
      secrets: {},
      policy_options: {},
      inputs: [],
    });
    const secrets = ['CI_JOB_TOKEN', 'CI_REPOSITORY_URL', 'CI_REGISTRY_PASSWORD'];
    for (const variable of variables) {
      const { key, value, ...rest } = variable;
      const isSecret = secrets.includes(key);
      expect(value, key).toEqual(expect.any(String));
      expect(rest, key).toEqual({ public: !isSecret, file: false, ...(isSecret ? { masked: true } : {}) });
    }
    expect(variables.map(({ key }: Json) => key)).toEqual(expect.arrayContaining(secrets));
  });

  it(
    'holds variables that tell of the job, its commit, pipeline, project, environment, runner and user',
    LONG,
    async () => {
      const { project, sha, runner, payload, url } = await described();
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
        CI_JOB_ID: String(payload.id),
        CI_JOB_NAME: 'unit',
        CI_JOB_STAGE: 'test',
        CI_JOB_TOKEN: payload.token,
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
        CI_REGISTRY: new URL(world.url).host,
        CI_REGISTRY_IMAGE: `${new URL(world.url).host}/${project.fullPath.toLowerCase()}`,
        CI_REGISTRY_USER: 'gitlab-ci-token',
        CI_REGISTRY_PASSWORD: payload.token,
        CI_ENVIRONMENT_NAME: 'review/one',
        CI_ENVIRONMENT_SLUG: expect.stringMatching(/^review-one/),
        CI_RUNNER_ID: String(runner.id),
        CI_RUNNER_DESCRIPTION: 'the one',
        CI_RUNNER_TAGS: 'linux, fast',
        GITLAB_USER_ID: String(owner.id),
        GITLAB_USER_EMAIL: `${owner.username}@example.org`,
        GITLAB_USER_LOGIN: owner.username,
        GITLAB_USER_NAME: expect.any(String),
        CI_SERVER_URL: world.url,
        CI_SERVER_PROTOCOL: 'http',
        CI_SERVER_HOST: new URL(world.url).hostname,
        CI_SERVER_PORT: new URL(world.url).port,
        CI_SERVER_FQDN: new URL(world.url).host,
        CI_API_V4_URL: `${world.url}/api/v4`,
        CI_API_GRAPHQL_URL: `${world.url}/api/graphql`,
        CI_JOB_URL: `${world.url}/${project.fullPath}/-/jobs/${payload.id}`,
        CI_JOB_TIMEOUT: '1200',
        CI_JOB_STARTED_AT: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        CI_JOB_NAME_SLUG: 'unit',
        CI_JOB_GROUP_NAME: 'unit',
        CI_JOB_IMAGE: 'ruby:2.1',
        CI_NODE_TOTAL: '1',
        CI_PIPELINE_IID: String(pipeline.iid),
        CI_PIPELINE_URL: `${world.url}/${project.fullPath}/-/pipelines/${pipeline.id}`,
        CI_PIPELINE_CREATED_AT: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        CI_ENVIRONMENT_ACTION: 'start',
        CI_ENVIRONMENT_TIER: 'development',
        FROM_YAML: 'y',
        OWN: 'o',
      });
      for (const name of [
        'CI_JOB_MANUAL',
        'CI_JOB_TRIGGERED',
        'CI_COMMIT_TAG',
        'CI_PIPELINE_NAME',
        'CI_PIPELINE_TRIGGERED',
        'CI_RELEASE_DESCRIPTION',
      ]) {
        expect(valuesOf(payload)).not.toHaveProperty(name);
      }
    },
  );

  it('holds variables of which the later ones win: predefined, runner, file, project, trigger', LONG, async () => {
    const { project } = await projectWithJobs('unit: {script: x, variables: {A: file, B: file, D: file}}');
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
      A: 'project A',
      B: 'trigger',
      C: 'project C',
      D: 'file',
      CI_JOB_TRIGGERED: 'true',
    });
    const order = payload.variables.filter(({ key }: Json) => key === 'B').map(({ value }: Json) => value);
    expect(order).toEqual(['file', 'project B', 'trigger']);
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

  it('has caches of protected branches apart from those of others, unless the file or the project shares them', async () => {
    const cache = '{key: k, paths: [a], fallback_keys: [f]}, {key: open, paths: [b], unprotect: true}';
    const { project } = await projectWithJobs(`unit: {script: x, cache: [${cache}]}`);
    await api.post(`/projects/${project.id}/protected_branches`, { name: 'master' });
    const runner = await registerRunner(world);
    const keys = async () => {
      const { cache } = await runner.take();
      return cache.map(({ key, fallback_keys }: Json) => [key, ...(fallback_keys ?? [])].join());
    };
    expect(await keys()).toEqual(['k-protected,f-protected', 'open-non_protected']);
    await api.post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'master' });
    await world.idle();
    expect(await keys()).toEqual(['k-non_protected,f-non_protected', 'open-non_protected']);
    await api.put(`/projects/${project.id}`, { ci_separated_caches: false });
    expect((await api.post(`/projects/${project.id}/pipeline?ref=master`)).status).toBe(201);
    expect(await keys()).toEqual(['k,f', 'open']);
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

describe('Protected variables, on a protected branch', () => {
  /** A project with such a variable, and what its jobs see of it. */
  async function guarded() {
    const { project } = await projectWithJobs(`
unit: {script: x}
late: {script: x, stage: deploy}
ship: {script: x, stage: deploy, when: manual}`);
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
    const start = async (who: TestUser): Promise<number> => {
      await runner.runAll();
      return (await world.api(who).post(`${at}/pipeline?ref=master`)).body.id;
    };
    const jobOf = (pipelineId: number, name: string) =>
      world.db.job.findFirstOrThrow({ where: { pipelineId, name, retried: false } });
    /** What a job sees that somebody retries or plays. */
    const act = async (who: TestUser, pipelineId: number, name: string, action: 'retry' | 'play') => {
      await runner.runAll();
      const { id } = await jobOf(pipelineId, name);
      expect((await world.api(who).post(`${at}/jobs/${id}/${action}`)).status).toBeLessThan(300);
      return live(name);
    };
    return { at, developer, master, runner, live, start, jobOf, act };
  }

  it(
    'are only in jobs that were started, and whose pipeline was started, by those who may push or merge',
    LONG,
    async () => {
      const { developer, master, live, start, act } = await guarded();
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
    },
  );

  it.each(['pipeline', 'job'])(
    'are not in what others retry of a failed %s, nor in what follows',
    LONG,
    async (what) => {
      const { at, developer, master, live, start, jobOf } = await guarded();
      const pipelineId = await start(master);
      expect(await live('unit', 'failed')).toBe('secret');
      const failed = await jobOf(pipelineId, 'unit');
      const path = what === 'pipeline' ? `pipelines/${pipelineId}` : `jobs/${failed.id}`;
      expect((await world.api(developer).post(`${at}/${path}/retry`)).status).toBe(201);
      expect([await live('unit'), await live('late')]).toEqual([undefined, undefined]);
    },
  );

  it('are in what a trigger starts as long as its owner may push', LONG, async () => {
    const { at, master, runner, live } = await guarded();
    const { token } = (await world.api(master).post(`${at}/triggers`, { description: 'x' })).body;
    const fire = () => world.api().post(`${at}/trigger/pipeline`, { token, ref: 'master', variables: { A: 'b' } });
    await fire();
    expect(await live()).toBe('secret');
    await runner.runAll();
    await api.put(`${at}/members/${master.id}`, { access_level: 30 });
    await fire();
    expect(await live()).toBeUndefined();
  });

  it.each(['developers_can_push', 'developers_can_merge'])(
    'are in what developers start while %s holds',
    LONG,
    async (allowed) => {
      const { at, developer, live, start } = await guarded();
      await api.put(`${at}/repository/branches/master/protect`, { [allowed]: true });
      await start(developer);
      expect(await live()).toBe('secret');
      await api.put(`${at}/repository/branches/master/protect`, { [allowed]: false });
      await start(developer);
      expect(await live()).toBeUndefined();
    },
  );
});
