// Each of its tests takes long.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { beginScheduled } from '#src/domain/ci/jobs/begin_scheduled.ts';
import { createFile, updateFile } from '#src/domain/repository/files/write.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { commitTo } from '../support/merge_requests.ts';
import { startReceiver } from '../support/receiver.ts';
import { registerRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

const receiver = await startReceiver();
const { world, owner, api, projectWithJobs, pipelineOf } = await startRunnerWorld();

/** The state of each latest job of a project's latest pipeline, by name. */
async function states(projectId: number): Promise<Record<string, string>> {
  const { id } = await pipelineOf(projectId);
  const jobs = await world.db.job.findMany({ where: { pipelineId: id, retried: false }, orderBy: { id: 'asc' } });
  return Object.fromEntries(jobs.map(({ name, status }) => [name, status]));
}

const variablesOf = (payload: Json) =>
  Object.fromEntries(payload.variables.map(({ key, value }: { key: string; value: string }) => [key, value]));

describe('Jobs with needs', () => {
  const config = `
stages: [build, test, deploy]
slow: { script: x, stage: build }
quick: { script: x, stage: build }
unit: { script: x, stage: test, needs: [quick] }
whole: { script: x, stage: test }
now: { script: x, stage: deploy, needs: [] }
ship: { script: x, stage: deploy, needs: [unit, { job: quick, artifacts: false }] }
`;

  it('start when those that they need have succeeded, whatever their stages', async () => {
    const { project } = await projectWithJobs(config);
    expect(await states(project.id)).toEqual({
      slow: 'pending',
      quick: 'pending',
      unit: 'created',
      whole: 'created',
      now: 'pending',
      ship: 'created',
    });
    const runner = await registerRunner(world, {});
    const taken: Record<string, Json> = {};
    for (let n = 0; n < 3; n++) {
      const job = await runner.take();
      taken[job.job_info.name] = job;
    }
    await runner.update(taken.quick, 'success');
    expect(await states(project.id)).toMatchObject({ unit: 'pending', whole: 'created', ship: 'created' });
    const unit = await runner.take();
    expect(unit.job_info.name).toBe('unit');
    await runner.update(unit, 'success');
    expect(await states(project.id)).toMatchObject({ slow: 'running', whole: 'created', ship: 'pending' });
    await runner.update(taken.slow, 'failed');
    expect(await states(project.id)).toMatchObject({ whole: 'skipped', ship: 'pending' });
  });

  it('get the artifacts of those alone', async () => {
    const { project } = await projectWithJobs(config);
    const { id } = await pipelineOf(project.id);
    await world.db.job.updateMany({
      where: { pipelineId: id },
      data: { artifactsFilename: 'a.zip', artifactsSize: 5 },
    });
    const runner = await registerRunner(world, {});
    const seen: Record<string, string[]> = {};
    await runner.runAll((job) => {
      seen[job.job_info.name] = job.dependencies.map(({ name }: Json) => name);
      return 'success';
    });
    expect(seen).toMatchObject({ unit: ['quick'], ship: ['unit'], now: [], whole: ['slow', 'quick'] });
  });

  it('are skipped with those that fail, and come back when they are tried again', async () => {
    const { project } = await projectWithJobs(`
a: { script: x }
b: { script: x, needs: [a] }
c: { script: x, needs: [b] }
after: { script: x, needs: [b], when: on_failure }
cleanup: { script: x, needs: [c], when: always }
`);
    const runner = await registerRunner(world, {});
    const first = await runner.runAll((job) => (job.job_info.name === 'a' ? 'failed' : 'success'));
    expect(first).toEqual(['a', 'cleanup']);
    expect(await states(project.id)).toEqual({
      a: 'failed',
      b: 'skipped',
      c: 'skipped',
      after: 'skipped',
      cleanup: 'success',
    });
    const { id } = await pipelineOf(project.id);
    const failed = await world.db.job.findFirstOrThrow({ where: { pipelineId: id, name: 'a' } });
    await api.post(`/projects/${project.id}/jobs/${failed.id}/retry`);
    expect(await runner.runAll()).toEqual(['a', 'b', 'c']);
    expect((await pipelineOf(project.id)).status).toBe('success');
  });

  it('wait for a manual job that they need until it is played', async () => {
    const { project } = await projectWithJobs(
      'gate: { script: x, when: manual }\nship: { script: x, needs: [gate] }\nlast: { script: x, needs: [ship] }',
    );
    expect(await states(project.id)).toEqual({ gate: 'manual', ship: 'skipped', last: 'skipped' });
    const gate = await world.db.job.findFirstOrThrow({ where: { projectId: project.id, name: 'gate' } });
    await api.post(`/projects/${project.id}/jobs/${gate.id}/play`);
    expect(await states(project.id)).toEqual({ gate: 'pending', ship: 'created', last: 'created' });
    const runner = await registerRunner(world, {});
    expect(await runner.runAll()).toEqual(['gate', 'ship', 'last']);
  });
});

describe('A failed job', () => {
  const reports = async (config: string, ends: Json[]) => {
    const { project } = await projectWithJobs(config);
    const runner = await registerRunner(world, {});
    for (const end of ends) await runner.update(await runner.take(), 'failed', end);
    const { id, status } = await pipelineOf(project.id);
    const jobs = await world.db.job.findMany({ where: { pipelineId: id }, orderBy: { id: 'asc' } });
    return {
      status,
      jobs: jobs.map(({ status: state, retried }) => `${state}${retried ? ' retried' : ''}`),
      all: jobs,
    };
  };

  it('is tried again as often as its file says', async () => {
    expect(await reports('a: { script: x, retry: 2 }', [{}, {}, {}])).toMatchObject({
      status: 'failed',
      jobs: ['failed retried', 'failed retried', 'failed'],
    });
    expect(await reports('a: { script: x, retry: 1 }', [{}])).toMatchObject({
      status: 'pending',
      jobs: ['failed retried', 'pending'],
    });
  });

  it('is tried again after the failures that its file names alone', async () => {
    const config = 'a: { script: x, retry: { max: 2, when: runner_system_failure, exit_codes: [7] } }';
    const system = { failure_reason: 'runner_system_failure' };
    expect((await reports(config, [system, { exit_code: 7 }, {}])).jobs).toEqual([
      'failed retried',
      'failed retried',
      'failed',
    ]);
    expect((await reports(config, [{ failure_reason: 'script_failure', exit_code: 1 }])).jobs).toEqual(['failed']);
  });

  it('is allowed with the exit codes that its file names', async () => {
    const config = 'a: { script: x, allow_failure: { exit_codes: [3, 4] } }';
    const allowed = await reports(config, [{ exit_code: 3 }]);
    expect([allowed.status, allowed.all[0]?.exitCode]).toEqual(['success', 3]);
    expect((await reports(config, [{ exit_code: 1 }])).status).toBe('failed');
    for (const odd of ['3', 3.5, null, 2 ** 40]) {
      expect((await reports(config, [{ exit_code: odd }])).status).toBe('failed');
    }
  });

  it('ends the others where the workflow says so', async () => {
    const config = `
workflow: { auto_cancel: { on_job_failure: all } }
a: { script: x }
b: { script: x }
may: { script: x, allow_failure: true }
later: { script: x, stage: deploy }
`;
    const { project } = await projectWithJobs(config);
    const runner = await registerRunner(world, {});
    const jobs = [await runner.take(), await runner.take(), await runner.take()];
    const named = (name: string) => jobs.find(({ job_info }) => job_info.name === name);
    await runner.update(named('may'), 'failed');
    expect(await states(project.id)).toMatchObject({ a: 'running', b: 'running' });
    await runner.update(named('a'), 'failed');
    expect(await states(project.id)).toEqual({ a: 'failed', b: 'canceled', may: 'failed', later: 'canceled' });
    expect((await pipelineOf(project.id)).status).toBe('failed');
  });
});

describe('A delayed job', () => {
  it('waits for its time, or for somebody who plays it', async () => {
    const { project } = await projectWithJobs(
      'a: { script: x, when: delayed, start_in: 1 hour }\nb: { script: x, when: delayed, start_in: 2 hours }\nc: { script: x, when: delayed, start_in: 3 hours }',
    );
    expect(await states(project.id)).toEqual({ a: 'scheduled', b: 'scheduled', c: 'scheduled' });
    expect((await pipelineOf(project.id)).status).toBe('scheduled');
    const jobs = await world.db.job.findMany({ where: { projectId: project.id }, orderBy: { name: 'asc' } });
    expect(jobs[0]?.scheduledAt?.getTime()).toBeGreaterThan(Date.now() + 59 * 60_000);
    await beginScheduled({ ...world.as(owner) });
    expect(await states(project.id)).toMatchObject({ a: 'scheduled' });
    await world.db.job.update({ where: { id: jobs[0]?.id }, data: { scheduledAt: new Date() } });
    await beginScheduled({ ...world.as(owner) });
    expect((await api.post(`/projects/${project.id}/jobs/${jobs[1]?.id}/play`)).status).toBe(200);
    await api.post(`/projects/${project.id}/jobs/${jobs[2]?.id}/cancel`);
    expect(await states(project.id)).toEqual({ a: 'pending', b: 'pending', c: 'canceled' });
    const { body } = await api.get(`/projects/${project.id}/jobs?scope=scheduled`);
    expect(body).toEqual([]);
  });
});

describe('A newer pipeline of a branch', () => {
  const push = async (project: Json) => {
    const { id } = await pipelineOf(project.id);
    await commitTo(world, project as { id: number }, owner, 'master', world.unique('file'));
    await world.idle();
    const jobs = await world.db.job.findMany({ where: { pipelineId: id }, orderBy: { id: 'asc' } });
    return Object.fromEntries(jobs.map(({ name, status }) => [name, status]));
  };

  it('cancels the older one unless a job has started that must not be interrupted', async () => {
    const config = 'build: { script: x, stage: build, interruptible: true }\nship: { script: x, stage: deploy }';
    const { project } = await projectWithJobs(config);
    const runner = await registerRunner(world, {});
    await runner.take();
    expect(await push(project)).toEqual({ build: 'canceled', ship: 'canceled' });
    await runner.update(await runner.take(), 'success');
    await runner.take();
    expect(await push(project)).toEqual({ build: 'success', ship: 'running' });
  });

  it('cancels what may be interrupted alone, or nothing, where the workflow says so', async () => {
    const jobs = 'build: { script: x, interruptible: true }\nship: { script: x }';
    const some = await projectWithJobs(`workflow: { auto_cancel: { on_new_commit: interruptible } }\n${jobs}`);
    expect(await push(some.project)).toEqual({ build: 'canceled', ship: 'pending' });
    const none = await projectWithJobs(`workflow: { auto_cancel: { on_new_commit: none } }\n${jobs}`);
    expect(await push(none.project)).toEqual({ build: 'pending', ship: 'pending' });
    const silent = await projectWithJobs('build: { script: x }');
    expect(await push(silent.project)).toEqual({ build: 'pending' });
  });
});

describe('Rules', () => {
  it('see the commit, the project, its variables and those of the trigger', async () => {
    const config = `
protected: { script: x, rules: [{ if: '$CI_COMMIT_REF_PROTECTED == "true"' }] }
default: { script: x, rules: [{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' }] }
title: { script: x, rules: [{ if: '$CI_COMMIT_TITLE =~ /^Change$/' }] }
project: { script: x, rules: [{ if: '$MODE == "project"' }] }
trigger: { script: x, rules: [{ if: '$MODE == "trigger" && $CI_PIPELINE_SOURCE == "trigger"' }] }
tag: { script: x, rules: [{ if: $CI_COMMIT_TAG }] }
secret: { script: x, rules: [{ if: $SECRET }] }
`.replace('default:', 'main:');
    const { project } = await projectWithCommit(world, owner, {});
    const at = `/projects/${project.id}`;
    await api.post(`${at}/variables`, { key: 'MODE', value: 'project' });
    await api.post(`${at}/variables`, { key: 'SECRET', value: 'x', protected: true });
    await commitFile(world, owner, project, config);
    await world.idle();
    expect(Object.keys(await states(project.id))).toEqual(['protected', 'main', 'title', 'project', 'secret']);
    const { token } = (await api.post(`${at}/triggers`, { description: 'x' })).body;
    await api.post(`${at}/trigger/pipeline`, { token, ref: 'master', variables: { MODE: 'trigger' } });
    expect(Object.keys(await states(project.id))).toEqual(['protected', 'main', 'title', 'trigger', 'secret']);
    await api.post(`${at}/repository/tags`, { tag_name: 'v1', ref: 'master' });
    await world.idle();
    expect(Object.keys(await states(project.id))).toEqual(['title', 'project', 'tag']);
  });

  it('see what a push changed', async () => {
    const config = 'docs: { script: x, rules: [{ changes: ["docs/*"] }] }\nall: { script: x }';
    const { project } = await projectWithJobs(config);
    const names = async (branch: string, file: string) => {
      await commitTo(world, project, owner, branch, file);
      await world.idle();
      return Object.keys(await states(project.id));
    };
    expect(await names('master', 'src/a')).toEqual(['all']);
    expect(await names('master', 'docs/a')).toEqual(['docs', 'all']);
    // A new branch has nothing to compare with.
    await api.post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'master' });
    await world.idle();
    expect(Object.keys(await states(project.id))).toEqual(['docs', 'all']);
  });

  it('may leave nothing, which is an error for who asks for a pipeline', async () => {
    const { project } = await projectWithJobs('workflow: { rules: [{ if: $NO }] }\na: { script: x }');
    expect(await world.db.pipeline.count({ where: { projectId: project.id } })).toBe(0);
    expect(await api.post(`/projects/${project.id}/pipeline?ref=master`)).toMatchObject({
      status: 400,
      body: { message: { base: ['Pipeline filtered out by workflow rules.'] } },
    });
  });
});

describe('Includes', () => {
  it('come from the repository and from projects whose code the one who pushes may read', async () => {
    const other = await world.user();
    const shared = await projectWithCommit(world, other, {});
    await commitTo(world, shared.project, other, 'master', 'ci/job.yml', 'include: ci/more.yml\nshared: {script: x}');
    await commitTo(world, shared.project, other, 'master', 'ci/more.yml', 'more: {script: x}');
    const { project } = await projectWithCommit(world, owner, {});
    await commitTo(world, project, owner, 'master', 'own.yml', 'own: {script: x}');
    const path = shared.project.fullPath;
    const config = `include: [own.yml, {project: ${path}, file: /ci/job.yml}]\na: {script: x}`;
    await commitFile(world, owner, project, config);
    await world.idle();
    const denied = `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`;
    expect((await pipelineOf(project.id)).yamlErrors).toBe(denied);
    await world.member(shared.project, owner, 'guest');
    await commitTo(world, project, owner, 'master', 'b');
    await world.idle();
    // Guests of a private project do not read its code.
    expect((await pipelineOf(project.id)).yamlErrors).toBe(denied);
    await world.db.member.updateMany({
      where: { projectId: shared.project.id, userId: owner.id },
      data: { accessLevel: 20 },
    });
    await commitTo(world, project, owner, 'master', 'c');
    await world.idle();
    expect(Object.keys(await states(project.id)).sort()).toEqual(['a', 'more', 'own', 'shared']);
    await commitFile(world, owner, project, `include: {project: ${path}, ref: nowhere, file: a.yml}\na: {script: x}`);
    await world.idle();
    expect((await pipelineOf(project.id)).yamlErrors).toBe(`Project \`${path}\` reference \`nowhere\` does not exist!`);
  });

  it('come from components of projects, in a version, with inputs', async () => {
    const source = await projectWithCommit(world, owner, {});
    const write = (path: string, content: string) =>
      createFile(world.as(owner), source.project.id, { path, content, branch: 'master', message: 'Component' });
    const spec = (name: string) =>
      `spec: {inputs: {job: {default: unit}}}\n---\n"$[[ inputs.job ]] ${name}": {script: x}`;
    const release = async (tag: string) => {
      await world
        .api(owner)
        .post(`/projects/${source.project.id}/releases`, { tag_name: tag, ref: 'master', description: 'x' });
    };
    await write('templates/one.yml', spec('1.0'));
    await write('templates/two/template.yml', 'include: /parts/two.yml');
    await write('parts/two.yml', 'second: {script: x}');
    await write(
      'templates/self.yml',
      'spec: {component: [name, sha, version, reference]}\n---\n"$[[ component.name ]] $[[ component.version ]] $[[ component.reference ]]": {script: "$[[ component.sha ]]"}',
    );
    await release('v1.0.0');
    await updateFile(world.as(owner), source.project.id, {
      ...{ path: 'templates/one.yml', content: spec('1.10'), branch: 'master', message: 'Newer' },
    });
    await release('v1.10.0');
    await updateFile(world.as(owner), source.project.id, {
      ...{ path: 'templates/one.yml', content: spec('2'), branch: 'master', message: 'Newest' },
    });
    await release('v2.0.0-rc1');
    await world
      .api(owner)
      .post(`/projects/${source.project.id}/repository/tags`, { tag_name: 'v3.0.0', ref: 'master' });
    const hidden = await world.project({ owner: await world.user() });
    const { project } = await projectWithCommit(world, owner, {});
    const tried = async (component: string, more = '') => {
      await commitFile(world, owner, project, `include: [{component: "${component}"${more}}]\nown: {script: x}`);
      await world.idle();
      const { yamlErrors } = await pipelineOf(project.id);
      return (
        yamlErrors ??
        Object.keys(await states(project.id))
          .filter((name) => name !== 'own')
          .join(', ')
      );
    };
    const at = `$CI_SERVER_FQDN/${source.project.fullPath}`;
    expect(await tried(`${at}/one@v1.0.0`)).toBe('unit 1.0');
    expect(await tried(`${at}/one@1`)).toBe('unit 1.10');
    expect(await tried(`${at}/one@1.0`, ', inputs: {job: other}')).toBe('other 1.0');
    expect(await tried(`${at}/one@~latest`)).toBe('unit 1.10');
    expect(await tried(`${at}/one@master`)).toBe('unit 2');
    expect(await tried(`${at}/two@master`)).toBe('second');
    expect(await tried(`${at}/self@~latest`)).toBe('self v1.10.0 ~latest');
    expect(await tried(`${new URL(world.url).host}/${source.project.fullPath}/two@master`)).toBe('second');
    expect(await tried(`${at}/one@3`)).toBe(`Component \`${source.project.fullPath}/one\` has no version \`3\``);
    expect(await tried(`${at}/none@master`)).toContain('does not exist in version `master`');
    expect(await tried(`$CI_SERVER_HOST/${hidden.fullPath}/one@master`)).toContain('not found or access denied');
  });

  it('come from addresses that webhooks may go to, and from templates', async () => {
    const { project } = await projectWithCommit(world, owner, {});
    const tried = async (include: string) => {
      await commitFile(world, owner, project, `include: ${include}\na: {script: x}`);
      await world.idle();
      const { yamlErrors } = await pipelineOf(project.id);
      return (
        yamlErrors ??
        Object.keys(await states(project.id))
          .sort()
          .join(' ')
      );
    };
    expect(await tried('{template: Go.gitlab-ci.yml}')).toContain('a');
    expect(await tried('{template: Nothing}')).toBe('Template file `Nothing` is not a valid location!');
    for (const address of [
      'http://127.0.0.1:1/a.yml',
      'http://[::1]/a.yml',
      'http://169.254.169.254/latest.yml',
      'http://localhost/a.yml',
    ]) {
      expect(await tried(`"${address}"`)).toMatch(/blocked|not known/);
    }
    expect(await tried('{remote: "ftp://host/a.yml"}')).toContain('does not have a valid address!');
    // A host that the administrator names.
    receiver.answer('/ok.yml', (_told, response) => response.end('remote: {script: x}'));
    receiver.answer('/large.yml', (_told, response) => response.end('#'.repeat(1024 * 1024 + 1)));
    receiver.answer('/away.yml', (_told, response) =>
      response.writeHead(302, { Location: receiver.url('/ok.yml') }).end(),
    );
    const named = world.imports as { webhookHosts: readonly string[] };
    const before = named.webhookHosts;
    named.webhookHosts = [`127.0.0.1:${receiver.port}`];
    try {
      expect(await tried(`"${receiver.url('/ok.yml')}"`)).toBe('a remote');
      expect(await tried(`"${receiver.url('/large.yml')}"`)).toMatch(/is larger than 1048576 bytes$/);
      expect(await tried(`"${receiver.url('/away.yml')}"`)).toMatch(/HTTP code `302`$/);
    } finally {
      named.webhookHosts = before;
    }
  });
});

describe('What a runner gets', () => {
  it('has variables of the commit, and those that are not to be expanded as such', async () => {
    const { project, sha } = await projectWithJobs(
      'variables: {RAW: {value: $CI, expand: false}, PLAIN: x}\na: {script: x, timeout: 10 minutes, tags: ["t-$CI_PROJECT_NAME"]}',
    );
    const tag = `t-${project.path}`;
    const payload = await (await registerRunner(world, { tag_list: tag })).take();
    expect(variablesOf(payload)).toMatchObject({
      CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
      CI_COMMIT_BRANCH: 'master',
      CI_COMMIT_MESSAGE: 'Change',
      CI_COMMIT_TITLE: 'Change',
      CI_COMMIT_AUTHOR: expect.stringMatching(/^.+ <.+>$/),
      CI_COMMIT_TIMESTAMP: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/),
      CI_COMMIT_REF_PROTECTED: 'true',
      CI_DEFAULT_BRANCH: 'master',
      CI_PROJECT_VISIBILITY: 'private',
      CI_PROJECT_ROOT_NAMESPACE: owner.username,
    });
    const said = (name: string) => payload.variables.find(({ key }: Json) => key === name);
    expect(said('RAW')).toMatchObject({ value: '$CI', raw: true });
    expect(said('PLAIN')).not.toHaveProperty('raw');
    expect(payload.runner_info.timeout).toBe(600);
  });

  it('has every cache, with keys that follow the contents of files', async () => {
    const config =
      'a: {script: x, cache: [{key: {files: [lock, none], prefix: p}, paths: [m], policy: pull}, {key: {files: [none]}, paths: [n]}, {paths: [o]}]}';
    const { project } = await projectWithJobs(config);
    const runner = await registerRunner(world, {});
    const keys = async () => {
      const job = await runner.take();
      await runner.update(job, 'success');
      return job.cache.map(({ key }: Json) => key);
    };
    expect(await keys()).toEqual(['p-default-protected', 'default-protected', 'default-protected']);
    await commitTo(world, project, owner, 'master', 'lock', 'one');
    await world.idle();
    const [first] = await keys();
    await commitTo(world, project, owner, 'master', 'other', 'two');
    await world.idle();
    expect(await keys()).toEqual([first, 'default-protected', 'default-protected']);
    await commitTo(world, project, owner, 'master', 'lock', 'three');
    await world.idle();
    const [third] = await keys();
    expect(first).toMatch(/^p-[0-9a-f]{40}-protected$/);
    expect(third).not.toBe(first);
  });
});
