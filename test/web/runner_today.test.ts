// One part in depth, which the long run has.
// @module-tag long
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expireJobs } from '#src/domain/ci/runners/expire.ts';
import { clone, run } from '../support/git_client.ts';
import { FEATURES, INFO, projectToken, registerRunner, sendAsRunner, TestRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

/* A runner of today, as a client of what code-and-ci.md F says. */

const { world, owner, api, projectWithJobs, pipelineOf } = await startRunnerWorld();
const admin = await world.user({ admin: true });

/** A runner that a user creates, which then verifies its token on a machine. */
async function created(values: Record<string, unknown> = {}, who = admin) {
  const answer = await world.api(who).post('/user/runners', { runner_type: 'instance_type', ...values });
  expect(answer).toMatchObject({
    status: 201,
    body: { token: expect.stringMatching(/^glrt-/), token_expires_at: null },
  });
  const runner = new TestRunner(world.url, answer.body);
  runner.systemId = 's_machine1';
  return runner;
}

const statusOf = async (id: number) => (await world.db.job.findUniqueOrThrow({ where: { id } })).status;

describe('A runner of today', () => {
  it('verifies its token on each of its machines, which are listed with their versions', async () => {
    const runner = await created({ description: 'the one', tag_list: ['a'], maximum_timeout: 900 });
    const verify = (systemId: string, version: string) =>
      runner.send('POST', '/runners/verify', {
        token: runner.token,
        system_id: systemId,
        info: { ...INFO, version, features: FEATURES },
      });
    expect(await verify('s_machine1', '18.4.0')).toMatchObject({
      status: 200,
      body: { id: runner.id, token: runner.token, token_expires_at: null },
    });
    await verify('r_machine2', '18.5.0');
    await verify('r_machine2', '18.6.0');
    const { body } = await world.api(admin).get(`/runners/${runner.id}/managers`);
    expect(body.map(({ system_id, version, status }: never) => [system_id, version, status])).toEqual([
      ['s_machine1', '18.4.0', 'online'],
      ['r_machine2', '18.6.0', 'online'],
    ]);
    expect((await world.api(owner).get(`/runners/${runner.id}/managers`)).body[0].ip_address).toBeNull();
    expect(await verify('no machine!', '1')).toMatchObject({ status: 400, body: { error: 'system_id is invalid' } });
    // To register with such a token is to verify it.
    const registered = await runner.send('POST', '/runners', { token: runner.token, tag_list: ['b'] });
    expect([registered.status, registered.body.id]).toEqual([201, runner.id]);
    expect((await world.api(admin).get(`/runners/${runner.id}`)).body.tag_list).toEqual(['a']);
  });

  it('removes one of its machines, and gets a new token', async () => {
    const runner = await created();
    await runner.request();
    const remove = (values: Record<string, unknown>) => runner.send('DELETE', '/runners/managers', values);
    const { token } = runner;
    expect(await remove({ token })).toMatchObject({ status: 400, body: { error: 'system_id is missing' } });
    expect(await remove({ token, system_id: 'other' })).toMatchObject({ status: 404 });
    expect(await remove({ token: 'glrt-unknown', system_id: 's_machine1' })).toMatchObject({ status: 403 });
    expect(await remove({ token, system_id: 's_machine1' })).toMatchObject({ status: 204 });
    expect(await world.db.runnerManager.count({ where: { runnerId: runner.id } })).toBe(0);
    const reset = await runner.send('POST', '/runners/reset_authentication_token', { token });
    expect([reset.status, reset.body.token.startsWith('glrt-')]).toEqual([201, true]);
    expect((await runner.request()).status).toBe(403);
    expect((await new TestRunner(world.url, { id: runner.id, token: reset.body.token }).request()).status).toBe(204);
  });

  it('fetches what its job tells it to, with the depth of the project or the file', async () => {
    const { project, sha } = await projectWithJobs(
      'unit: {script: [x]}\ndeep: {script: [x], variables: {GIT_DEPTH: "3"}}',
    );
    const at = `/projects/${project.id}`;
    expect((await api.get(at)).body.ci_default_git_depth).toBe(20);
    const runner = await created();
    const [one, two] = [await runner.take(), await runner.take()];
    const { id } = await pipelineOf(project.id);
    expect([one.git_info.depth, two.git_info.depth]).toEqual([20, 3]);
    expect(one.git_info.refspecs).toEqual([
      `+${sha}:refs/pipelines/${id}`,
      '+refs/heads/master:refs/remotes/origin/master',
    ]);
    // The branch moves on: the commit is still found.
    await api.post(`/projects/${project.id}/repository/commits`, {
      branch: 'master',
      commit_message: 'next',
      actions: [{ action: 'create', file_path: 'next', content: 'x' }],
    });
    const copy = await clone(one.git_info.repo_url);
    await run(copy, 'fetch', '--quiet', '--depth=20', 'origin', ...one.git_info.refspecs);
    expect(await run(copy, 'rev-parse', `refs/pipelines/${id}`)).toContain(sha);
  });

  it('uploads reports and the archive, prints, and ends with an exit code', async () => {
    const { project } = await projectWithJobs(
      'unit: {script: [x], artifacts: {paths: [a], reports: {junit: a.xml}}, allow_failure: {exit_codes: [3]}}',
    );
    const runner = await created();
    const job = await runner.take();
    const printed = await runner.print(job, 0, 'section_start:1:a\r\u001b[0Kfour\n');
    expect([printed.status, printed.headers.get('job-status')]).toEqual([202, 'running']);
    expect(printed.headers.get('x-gitlab-trace-update-interval')).toBe('3');
    const form = new FormData();
    form.set('file', new Blob([gzipSync('<testsuite><testcase name="a"/></testsuite>') as BlobPart]), 'junit.xml.gz');
    const query = 'artifact_type=junit&artifact_format=gzip&expire_in=1%20day';
    const sent = await fetch(`${world.url}/api/v4/jobs/${job.id}/artifacts?${query}`, {
      method: 'POST',
      headers: { 'JOB-TOKEN': job.token },
      body: form,
    });
    expect(sent.status).toBe(201);
    await runner.update(job, 'failed', { exit_code: 3, failure_reason: 'script_failure' });
    const { body } = await api.get(`/projects/${project.id}/jobs/${job.id}`);
    expect(body).toMatchObject({
      status: 'failed',
      allow_failure: true,
      failure_reason: 'script_failure',
      runner_manager: { system_id: 's_machine1' },
    });
    expect(body.artifacts.map(({ file_type }: { file_type: string }) => file_type)).toEqual(['junit', 'trace']);
  });

  it('is told to send the rest of a log before the job ends, for five minutes', async () => {
    await projectWithJobs('unit: {script: [x]}');
    const runner = await created();
    const job = await runner.take();
    await runner.print(job, 0, 'four');
    const end = () => runner.update(job, 'success', { output: { checksum: 'crc32:00000000', bytesize: 8 } });
    const early = await end();
    expect([early.status, early.headers.get('x-gitlab-trace-update-interval')]).toEqual([202, '3']);
    expect(await statusOf(job.id)).toBe('running');
    await runner.print(job, 4, 'more');
    expect([(await end()).status, await statusOf(job.id)]).toEqual([200, 'success']);
    await projectWithJobs('late: {script: [x]}');
    const late = await runner.take();
    const giveUp = () => runner.update(late, 'success', { output: { bytesize: 8 } });
    expect((await giveUp()).status).toBe(202);
    await world.db.job.update({ where: { id: late.id }, data: { endingAt: new Date(Date.now() - 6 * 60_000) } });
    expect([(await giveUp()).status, await statusOf(late.id)]).toEqual([200, 'success']);
  });

  it('fails jobs that need what it cannot do, and gets the next', async () => {
    const { project } = await projectWithJobs(`
reports: {script: [x], artifacts: {reports: {junit: a.xml}}}
codes: {script: [x], allow_failure: {exit_codes: [3]}}
excluding: {script: [x], artifacts: {paths: [a], exclude: [b]}}
plain: {script: [x], artifacts: {paths: [a]}}`);
    const runner = await created();
    runner.info = INFO;
    expect((await runner.take()).job_info.name).toBe('plain');
    const { body } = await api.get(`/projects/${project.id}/jobs?scope=failed`);
    expect(body.map(({ name, failure_reason }: never) => [name, failure_reason]).sort()).toEqual([
      ['codes', 'runner_unsupported'],
      ['excluding', 'runner_unsupported'],
      ['reports', 'runner_unsupported'],
    ]);
  });

  it('hides a log with all variables from those who are no developers', async () => {
    const { project } = await projectWithJobs('unit: {script: [x]}');
    const [reporter, developer] = [await world.user(), await world.user()];
    await world.member(project, reporter, 'reporter');
    await world.member(project, developer, 'developer');
    const runner = await created();
    const job = await runner.take();
    const at = `/projects/${project.id}/jobs/${job.id}/trace`;
    const print = (offset: number, text: string, query = '') =>
      sendAsRunner(world.url, 'PATCH', `/jobs/${job.id}/trace${query}`, text, {
        'Content-Type': 'text/plain',
        'Content-Range': `${offset}-${offset + text.length}`,
        'JOB-TOKEN': job.token,
      });
    await print(0, 'a');
    expect((await world.api(reporter).get(at)).status).toBe(200);
    await print(1, 'b', '?debug_trace=true');
    expect([(await world.api(reporter).get(at)).status, (await world.api(developer).get(at)).status]).toEqual([
      403, 200,
    ]);
    const query = `query ($project: ProjectRef!, $id: ID!) { project(ref: $project) { job(id: $id) { trace traceTail } } }`;
    const asked = async (who: typeof owner) =>
      (await world.graphql(query, { project: project.id, id: String(job.id) }, who)).body.data.project.job;
    expect([await asked(reporter), await asked(developer)]).toEqual([null, { trace: 'ab', traceTail: 'ab' }]);
  });
});

describe('A job that is canceled while it runs', () => {
  const graceful = { ...INFO, features: { ...FEATURES, cancel_gracefully: true } };

  async function canceled(info: object) {
    const { project } = await projectWithJobs('unit: {script: [x]}');
    const runner = await created();
    runner.info = info;
    const job = await runner.take();
    const { body } = await api.post(`/projects/${project.id}/jobs/${job.id}/cancel`);
    return { project, runner, job, status: body.status };
  }

  it('is canceling until its runner has ended it, if the runner does so', async () => {
    const { project, runner, job, status } = await canceled(graceful);
    expect(status).toBe('canceling');
    expect((await pipelineOf(project.id)).status).toBe('running');
    const printed = await runner.print(job, 0, 'after_script');
    expect([printed.status, printed.headers.get('job-status')]).toEqual([202, 'canceling']);
    expect((await runner.update(job, 'running')).headers.get('job-status')).toBe('canceling');
    const ended = await runner.update(job, 'failed', { failure_reason: 'script_failure' });
    expect([ended.status, ended.headers.get('job-status')]).toEqual([200, 'canceled']);
    expect([await statusOf(job.id), (await pipelineOf(project.id)).status]).toEqual(['canceled', 'canceled']);
    expect((await runner.print(job, 12, 'late')).status).toBe(403);
  });

  it('is over at once for other runners', async () => {
    const { runner, job, status } = await canceled(INFO);
    expect(status).toBe('canceled');
    const printed = await runner.print(job, 0, 'late');
    expect([printed.status, printed.headers.get('job-status')]).toEqual([403, 'canceled']);
  });

  it('is over by force for masters, and after five minutes without a sign of life', async () => {
    const { project, job } = await canceled(graceful);
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    const at = `/projects/${project.id}/jobs/${job.id}/cancel?force=true`;
    expect((await world.api(developer).post(at)).status).toBe(403);
    expect((await api.post(at)).body.status).toBe('canceled');
    const silent = await canceled(graceful);
    await expireJobs(world.as(owner));
    expect(await statusOf(silent.job.id)).toBe('canceling');
    const before = new Date(Date.now() - 6 * 60_000);
    await world.db.job.update({ where: { id: silent.job.id }, data: { lastSignAt: before, updatedAt: before } });
    await expireJobs(world.as(owner));
    expect(await statusOf(silent.job.id)).toBe('canceled');
  });

  it('is so with its pipeline, too', async () => {
    const { project } = await projectWithJobs('unit: {script: [x]}\nlater: {stage: deploy, script: [x]}');
    const runner = await created();
    runner.info = graceful;
    const job = await runner.take();
    const { id } = await pipelineOf(project.id);
    expect((await api.post(`/projects/${project.id}/pipelines/${id}/cancel`)).body.status).toBe('running');
    await runner.update(job, 'success');
    const jobs = (await api.get(`/projects/${project.id}/pipelines/${id}/jobs`)).body;
    expect(jobs.map(({ status }: { status: string }) => status)).toEqual(['canceled', 'canceled']);
    expect((await pipelineOf(project.id)).status).toBe('canceled');
  });
});

describe('Which jobs a runner gets', () => {
  it('those of the projects below its group, unless a project says no', async () => {
    const group = await world.group({ owner });
    const sub = await world.group({ owner, parentId: group.id });
    const make = async (namespaceId?: number) => {
      const place = await world.project({ owner, ...(namespaceId === undefined ? {} : { namespaceId }) });
      await world.db.pipeline.create({
        data: {
          projectId: place.id,
          userId: owner.id,
          ref: 'master',
          sha: '1'.repeat(40),
          source: 'api',
          jobs: {
            create: {
              projectId: place.id,
              userId: owner.id,
              name: 'unit',
              stage: 'test',
              stageIndex: 0,
              status: 'pending',
            },
          },
        },
      });
      return place.id;
    };
    const [below, direct, , refusing] = [await make(sub.id), await make(group.id), await make(), await make(sub.id)];
    const refused = await world.api(owner).put(`/projects/${refusing}`, { group_runners_enabled: false });
    expect(refused.body.group_runners_enabled).toBe(false);
    const runner = await created({ runner_type: 'group_type', group_id: group.id }, owner);
    const got = [(await runner.take()).job_info.project_id, (await runner.take()).job_info.project_id];
    expect([got, (await runner.request()).status]).toEqual([[below, direct], 204]);
  });

  it('those of a registration token of a group, too', async () => {
    const group = await world.group({ owner });
    const { body } = await api.post(`/groups/${group.id}/runners/reset_registration_token`);
    const runner = await registerRunner(world, { token: body.token });
    expect((await world.api(owner).get(`/runners/${runner.id}`)).body).toMatchObject({
      runner_type: 'group_type',
      groups: [{ id: group.id }],
    });
    expect(
      (await api.post(`/projects/${(await world.project({ owner })).id}/runners?runner_id=${runner.id}`)).status,
    ).toBe(403);
  });

  it('only those of protected refs, where it is for these, by patterns', async () => {
    const { project } = await projectWithJobs('unit: {script: [x]}');
    await api.delete(`/projects/${project.id}/protected_branches/master`);
    const runner = await created({ access_level: 'ref_protected' });
    expect((await runner.request()).status).toBe(204);
    await api.post(`/projects/${project.id}/protected_branches`, { name: 'mas*r' });
    const fresh = new TestRunner(world.url, runner);
    expect((await fresh.take()).git_info.protected).toBe(true);
  });

  it('for no longer than the least of job, project and runner says', async () => {
    await projectWithJobs('one: {script: [x], timeout: 1h}\ntwo: {script: [x], timeout: 11 minutes}');
    const runner = await created({ maximum_timeout: 700 });
    expect([(await runner.take()).runner_info.timeout, (await runner.take()).runner_info.timeout]).toEqual([700, 660]);
  });

  it('none while it is paused', async () => {
    await projectWithJobs('unit: {script: [x]}');
    const runner = await created({ paused: true });
    expect((await runner.request()).status).toBe(204);
    await world.api(admin).put(`/runners/${runner.id}`, { paused: false });
    expect((await runner.take()).job_info.name).toBe('unit');
  });

  it('by the token of a project, with values of today', async () => {
    const project = await world.project({ owner });
    const token = await projectToken(world, owner, project.id);
    const values = { paused: true, maximum_timeout: '3600', access_level: 'ref_protected', maintenance_note: 'mine' };
    const answer = await sendAsRunner(world.url, 'POST', '/runners', { token, ...values });
    expect([answer.status, answer.body.token_expires_at]).toEqual([201, null]);
    expect((await api.get(`/runners/${answer.body.id}`)).body).toMatchObject({
      paused: true,
      active: false,
      maximum_timeout: 3600,
      access_level: 'ref_protected',
      maintenance_note: 'mine',
      runner_type: 'project_type',
    });
    const refused = await sendAsRunner(world.url, 'POST', '/runners', { token, maximum_timeout: 10 });
    expect(refused.body).toEqual({ message: { maximum_timeout: ['needs to be at least 10 minutes'] } });
    expect((await sendAsRunner(world.url, 'POST', '/runners', { token, access_level: 'all' })).status).toBe(400);
  });
});
