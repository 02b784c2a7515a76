import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { projectWithCommit } from '../support/ci.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import {
  INFO,
  LAST_UPDATE,
  projectToken,
  registerRunner,
  sendAsRunner,
  sharedToken,
  TestRunner,
} from '../support/runner.ts';
import { startWorld } from '../support/world.ts';

const lines: Record<string, unknown>[] = [];
const world = await startWorld({ log: (line) => lines.push(line) });
const owner = await world.user();
const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  sendAsRunner(world.url, method, path, body, headers);
const CONFIG = 'unit: {script: [make test]}';
const forbidden = { status: 403, body: { message: '403 Forbidden' } };

/** No job of an earlier test is left for the runners of this one. */
beforeEach(async () => {
  await world.idle();
  await world.db.job.updateMany({ where: { status: { in: ['pending', 'running'] } }, data: { status: 'canceled' } });
});

async function projectWithJobs(config = CONFIG) {
  const found = await projectWithCommit(world, owner, { config });
  await world.idle();
  return found.project;
}

describe('Runners that send slowly', () => {
  it('hold up no other behind the same address', async () => {
    const { hostname, port } = new URL(world.url);
    const head =
      'POST /api/v4/jobs/request HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{';
    const slow = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        await new Promise((sent) => socket.write(head, sent));
        return socket.on('error', () => undefined);
      }),
    );
    const answer = Promise.race([send('POST', '/runners/verify', { token: 'made up' }), sleep(8_000, 'nothing')]);
    expect(await answer).toMatchObject(forbidden);
    for (const socket of slow) socket.destroy();
  });
});

describe('POST /runners', () => {
  it('registers a shared runner by the token of the server, and keeps the hash of its token alone', async () => {
    const token = await sharedToken(world);
    const body = { token, description: 'one', info: INFO, tag_list: 'a, b,,a', run_untagged: false, locked: true };
    const answer = await send('POST', '/runners', body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([201, ['id', 'token', 'token_expires_at']]);
    const row = await world.db.runner.findUniqueOrThrow({ where: { id: answer.body.id }, include: { projects: true } });
    expect(row).toMatchObject({
      description: 'one',
      isShared: true,
      active: true,
      runUntagged: false,
      locked: true,
      tagList: ['a', 'b'],
      name: 'test-runner',
      version: '9.1.0',
      revision: '0123abcd',
      platform: 'linux',
      architecture: 'amd64',
      projects: [],
    });
    expect(JSON.stringify(row)).not.toContain(answer.body.token);
    expect(Buffer.from(row.tokenHash).includes(answer.body.token)).toBe(false);
  });

  it('registers a runner of a project by the token of the project, from a form as well', LONG, async () => {
    const project = await world.project({ owner });
    const token = await projectToken(world, owner, project.id);
    const form = new URLSearchParams({ token, description: 'ünï', run_untagged: '1', tag_list: 'x' }).toString();
    const { status, body } = await send('POST', '/runners', form, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect(status).toBe(201);
    const row = await world.db.runner.findUniqueOrThrow({ where: { id: body.id }, include: { projects: true } });
    expect(row).toMatchObject({ description: 'ünï', isShared: false, runUntagged: true, tagList: ['x'] });
    expect(row.projects.map(({ projectId }) => projectId)).toEqual([project.id]);
  });

  it('takes the token of a project that an earlier version made', async () => {
    const project = await world.project({ owner });
    const token = await projectToken(world, owner, project.id);
    await world.db.project.updateMany({ data: { runnersTokenHash: null } });
    expect((await send('POST', '/runners', { token })).status).toBe(201);
    expect(await world.db.project.count({ where: { runnersTokenHash: null } })).toBe(0);
  });

  itEveryNth(4, [
    [{}, 400, { error: 'token is missing' }],
    [{ token: 5 }, 400, { error: 'token is invalid' }],
    [{ token: ['a'] }, 400, { error: 'token is invalid' }],
    [{ token: '' }, 403, { message: '403 Forbidden' }],
    [{ token: 'made-up' }, 403, { message: '403 Forbidden' }],
    [{ token: 'a\u0000b' }, 403, { message: '403 Forbidden' }],
    [{ token: 'x'.repeat(100_000) }, 403, { message: '403 Forbidden' }],
  ])('refuses %j', async (body, status, answer) => {
    const before = await world.db.runner.count();
    expect(await send('POST', '/runners', body)).toMatchObject({ status, body: answer });
    expect(await world.db.runner.count()).toBe(before);
  });

  itEveryNth(4, [
    [
      { tag_list: Array.from({ length: 10_000 }, (_, n) => `tag${n}`) },
      { message: { tag_list: ['is too long (maximum is 50 tags)'] } },
    ],
    [{ tag_list: [{ a: 1 }] }, { error: 'tag_list is invalid' }],
    [{ tag_list: 'a\u0000' }, { message: { tag_list: ['is invalid'] } }],
    [{ tag_list: ['\ud800'] }, { message: { tag_list: ['is invalid'] } }],
    [
      { tag_list: 'x'.repeat(300) },
      { message: { tag_list: ['has a tag that is too long (maximum is 255 characters)'] } },
    ],
    [
      { run_untagged: false },
      { message: { tag_list: ['can not be empty when runner is not allowed to pick untagged jobs'] } },
    ],
    [{ run_untagged: 'perhaps' }, { error: 'run_untagged is invalid' }],
    [{ description: 'x'.repeat(256) }, { message: { description: ['is too long (maximum is 255 characters)'] } }],
    [{ description: 'a\u0000' }, { message: { description: ['is invalid'] } }],
    [{ description: {} }, { error: 'description is invalid' }],
  ])('400 for values that no runner has: %.60j', async (values, body) => {
    const token = await sharedToken(world);
    const before = await world.db.runner.count();
    expect(await send('POST', '/runners', { token, ...values })).toMatchObject({ status: 400, body });
    expect(await world.db.runner.count()).toBe(before);
  });

  it('keeps nothing of an info that makes no sense, and cuts a long one', async () => {
    const token = await sharedToken(world);
    const info = { name: ['x'], version: 'v'.repeat(10_000), platform: 'a\u0000b', __proto__: { architecture: 'x' } };
    const { status, body } = await send('POST', '/runners', { token, info });
    expect(status).toBe(201);
    const row = await world.db.runner.findUniqueOrThrow({ where: { id: body.id } });
    expect(row).toMatchObject({ name: null, version: 'v'.repeat(255), platform: 'ab' });
    expect((await send('POST', '/runners', { token, info: 'x' })).status).toBe(201);
    const huge = await send('POST', '/runners', { token, info: { name: 'x'.repeat(300_000) } });
    expect([huge.status, Object.keys(huge.body)]).toEqual([413, ['error']]);
  });

  it('takes no token that was replaced, and none of a project that is deleted', async () => {
    const old = await sharedToken(world);
    await sharedToken(world);
    expect(await send('POST', '/runners', { token: old })).toMatchObject(forbidden);
    const project = await world.project({ owner });
    const token = await projectToken(world, owner, project.id);
    await world.api(owner).delete(`/projects/${project.id}`);
    expect(await send('POST', '/runners', { token })).toMatchObject(forbidden);
  });
});

describe('POST /runners/verify and DELETE /runners', () => {
  it('know a runner by its token, and no other', LONG, async () => {
    const runner = await registerRunner(world);
    expect((await send('POST', '/runners/verify', { token: runner.token })).status).toBe(200);
    expect(await send('POST', '/runners/verify', { token: 'veryfakelookingtoken' })).toMatchObject(forbidden);
    expect(await send('POST', '/runners/verify', {})).toMatchObject({
      status: 400,
      body: { error: 'token is missing' },
    });
    expect(await send('DELETE', '/runners', { token: 'made-up' })).toMatchObject(forbidden);
    expect(await send('DELETE', '/runners', { token: runner.token })).toMatchObject({ status: 204, body: null });
    expect(await send('POST', '/runners/verify', { token: runner.token })).toMatchObject(forbidden);
    expect(await send('POST', '/jobs/request', { token: runner.token })).toMatchObject(forbidden);
  });
});

describe('POST /jobs/request', () => {
  it('gives the oldest job that waits, which runs from then on', LONG, async () => {
    const project = await projectWithJobs();
    const runner = await registerRunner(world);
    const { status, body } = await runner.request();
    expect(status).toBe(201);
    expect(body.job_info).toMatchObject({
      name: 'unit',
      stage: 'test',
      project_id: project.id,
      project_name: project.name,
    });
    const job = await world.db.job.findUniqueOrThrow({ where: { id: body.id }, include: { pipeline: true } });
    expect(job).toMatchObject({
      status: 'running',
      runnerId: runner.id,
      timeout: 3600,
      pipeline: { status: 'running' },
    });
    expect([job.startedAt, job.lastSignAt, job.pipeline.startedAt]).not.toContain(null);
    expect(JSON.stringify(job)).not.toContain(body.token);
    expect((await runner.request()).status).toBe(204);
  });

  it('tells a queue value with 204, and does not look again before something came', LONG, async () => {
    await projectWithJobs('tagged: {script: x, tags: [nobody]}');
    const runner = await registerRunner(world);
    const first = await runner.request();
    expect([first.status, first.body, typeof first.headers.get(LAST_UPDATE)]).toEqual([204, null, 'string']);
    // The value has a part that is another one in each minute.
    await world.until(async () => {
      const statements = await world.statements(() => runner.request());
      return statements.length === 1 && statements[0]?.includes('FROM runners') === true;
    });
    await projectWithJobs();
    expect((await runner.take()).job_info.name).toBe('unit');
  });

  it('keeps the value of a runner whose projects nothing came for', LONG, async () => {
    const [mine, other] = [await projectWithJobs('a: {script: x, tags: [nobody]}'), await projectWithJobs()];
    const runner = await registerRunner(world, { token: await projectToken(world, owner, mine.id) });
    expect((await runner.request()).status).toBe(204);
    await world.api(owner).post(`/projects/${other.id}/pipeline?ref=master`);
    await world.until(async () => (await world.statements(() => runner.request())).length === 1);
  });

  it('finds a job as soon as a runner is changed so that it may take it', LONG, async () => {
    await projectWithJobs('deploy: {script: x, tags: [live]}');
    const runner = await registerRunner(world, { tag_list: ['test'] });
    expect((await runner.request()).status).toBe(204);
    await world.db.runner.update({ where: { id: runner.id }, data: { tagList: ['live'], updatedAt: new Date() } });
    expect((await runner.request()).status).toBe(201);
  });

  it('finds a job as soon as its project turns shared runners on', LONG, async () => {
    const project = await projectWithJobs();
    await world.db.project.update({ where: { id: project.id }, data: { sharedRunnersEnabled: false } });
    const runner = await registerRunner(world);
    expect((await runner.request()).status).toBe(204);
    await world.db.project.update({ where: { id: project.id }, data: { sharedRunnersEnabled: true } });
    expect((await runner.take()).job_info.project_id).toBe(project.id);
  });

  it('gives a paused runner nothing', LONG, async () => {
    await projectWithJobs();
    const runner = await registerRunner(world, { active: false });
    const { status, headers } = await runner.request();
    expect([status, typeof headers.get(LAST_UPDATE)]).toEqual([204, 'string']);
    expect(await world.db.job.count({ where: { status: 'pending' } })).toBe(1);
  });

  it('notes that a runner was there, and what it says of itself, at most once in a minute', async () => {
    const runner = await registerRunner(world, { info: {} });
    await runner.request();
    const seen = await world.db.runner.findUniqueOrThrow({ where: { id: runner.id } });
    expect(seen).toMatchObject({ version: '9.1.0', platform: 'linux', contactedAt: expect.any(Date) });
    await runner.request();
    const again = await world.db.runner.findUniqueOrThrow({ where: { id: runner.id } });
    expect(again.contactedAt).toEqual(seen.contactedAt);
  });

  it.each([
    [[], true, ['plain']],
    [['a'], true, ['plain', 'one']],
    [['a', 'b', 'c'], true, ['plain', 'one', 'two']],
    [['a', 'b'], false, ['one', 'two']],
    [['A'], false, []],
  ])('a runner with the tags %j (untagged ones: %s) takes %j', LONG, async (tags, untagged, names) => {
    await projectWithJobs('plain: {script: x}\none: {script: x, tags: [a]}\ntwo: {script: x, tags: [b, a]}');
    const runner = await registerRunner(world, { tag_list: tags, run_untagged: untagged });
    expect(await runner.runAll()).toEqual(names);
  });

  it('reads the tags of jobs that an earlier version made', LONG, async () => {
    const project = await projectWithJobs('one: {script: x, tags: [a]}');
    await world.db.$executeRaw`UPDATE jobs SET tags = NULL WHERE project_id = ${project.id}`;
    expect(await (await registerRunner(world)).runAll()).toEqual([]);
    expect(await (await registerRunner(world, { tag_list: 'a' })).runAll()).toEqual(['one']);
  });

  it('gives a runner of a project its jobs alone, shared runners on or off', LONG, async () => {
    const mine = await projectWithJobs();
    await projectWithJobs();
    const runner = await registerRunner(world, { token: await projectToken(world, owner, mine.id) });
    await world.db.project.update({ where: { id: mine.id }, data: { sharedRunnersEnabled: false } });
    expect((await runner.take()).job_info.project_id).toBe(mine.id);
    expect((await runner.request()).status).toBe(204);
  });

  it('gives shared runners the jobs of the project that has the fewest running', LONG, async () => {
    const many = await projectWithJobs('a: {script: x}\nb: {script: x}\nc: {script: x}');
    const few = await projectWithJobs('d: {script: x}\ne: {script: x}');
    const runner = await registerRunner(world);
    const order = [];
    for (let n = 0; n < 5; n += 1) order.push((await runner.take()).job_info.project_id);
    expect(order).toEqual([many.id, few.id, many.id, few.id, many.id]);
  });

  itEveryNth(4, [
    ['is archived', { archived: true }],
    ['has its jobs turned off', { jobsEnabled: false }],
    ['is deleted', { deletedAt: new Date() }],
    ['has shared runners turned off', { sharedRunnersEnabled: false }],
  ])('gives out no job of a project that %s', async (_what, data) => {
    const project = await projectWithJobs();
    await world.db.project.update({ where: { id: project.id }, data });
    expect((await (await registerRunner(world)).request()).status).toBe(204);
    expect(await world.db.job.count({ where: { projectId: project.id, status: 'pending' } })).toBe(1);
  });

  it('gives out no job of a user who is blocked', LONG, async () => {
    const user = await world.user();
    await projectWithCommit(world, user, { config: CONFIG });
    await world.idle();
    await world.db.user.update({ where: { id: user.id }, data: { state: 'blocked' } });
    expect((await (await registerRunner(world)).request()).status).toBe(204);
  });

  it('refuses a token that is none, and a body that is none', async () => {
    expect(await send('POST', '/jobs/request', { token: 'x' })).toMatchObject(forbidden);
    expect(await send('POST', '/jobs/request')).toMatchObject({ status: 400, body: { error: 'token is missing' } });
    const broken = await send('POST', '/jobs/request', '{', { 'Content-Type': 'application/json' });
    expect([broken.status, Object.keys(broken.body)]).toEqual([400, ['error']]);
    const list = await send('POST', '/jobs/request', '[1]', { 'Content-Type': 'application/json' });
    expect([list.status, Object.keys(list.body)]).toEqual([400, ['error']]);
  });
});

describe('The log', () => {
  it('names the endpoints of the protocol by their templates, and holds no token', LONG, async () => {
    await projectWithJobs();
    const runner = await registerRunner(world);
    const job = await runner.take();
    await runner.update(job, 'success');
    await send('DELETE', `/runners?token=${runner.token}`);
    const routes = () => new Set(lines.map(({ route }) => route));
    await world.until(async () => routes().has('/api/v4/jobs/:id'));
    expect([...routes()]).toEqual(expect.arrayContaining(['/api/v4/runners', '/api/v4/jobs/request']));
    const text = JSON.stringify(lines);
    for (const token of [runner.token, job.token]) expect(text).not.toContain(token);
  });
});

describe('PUT /jobs/:id', () => {
  it.each(['success', 'failed'])('ends a job with %s, and its pipeline', LONG, async (state) => {
    const project = await projectWithJobs();
    const runner = await registerRunner(world);
    const job = await runner.take();
    expect(await runner.update(job, 'running')).toMatchObject({ status: 200 });
    expect((await runner.update(job, state, { trace: 'all that it printed\n' })).status).toBe(200);
    const row = await world.db.job.findUniqueOrThrow({ where: { id: job.id }, include: { pipeline: true } });
    const failureReason = state === 'failed' ? 'script_failure' : null;
    expect(row).toMatchObject({ status: state, failureReason, pipeline: { status: state } });
    expect(row.finishedAt).not.toBeNull();
    const trace = await world.api(owner).get(`/projects/${project.id}/jobs/${job.id}/trace`);
    expect(trace.body).toBe('all that it printed\n');
  });

  itEveryNth(4, [
    ['runner_system_failure', 'runner_system_failure'],
    ['a word of later runners', 'unknown_failure'],
  ])('keeps why a job failed: %s', async (given, kept) => {
    await projectWithJobs();
    const runner = await registerRunner(world);
    const job = await runner.take();
    await runner.update(job, 'failed', { failure_reason: given });
    expect((await world.db.job.findUniqueOrThrow({ where: { id: job.id } })).failureReason).toBe(kept);
  });

  it('403 for the token of another job, of a runner, and a made-up one; 404 for no job', LONG, async () => {
    await projectWithJobs('a: {script: x}\nb: {script: x}');
    const runner = await registerRunner(world);
    const [one, other] = [await runner.take(), await runner.take()];
    for (const token of [other.token, runner.token, 'made-up', '', 'a\u0000']) {
      expect(await runner.update({ id: one.id, token }, 'success')).toMatchObject(forbidden);
    }
    for (const id of [2_000_000_000, 99_999_999_999]) {
      expect((await runner.update({ id, token: one.token }, 'success')).status).toBe(404);
    }
    expect(await send('PUT', `/jobs/${one.id}`, { state: 'success' })).toMatchObject({ status: 400 });
    expect(await runner.update(one, 'canceled')).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    });
    expect((await world.db.job.findUniqueOrThrow({ where: { id: one.id } })).status).toBe('running');
  });

  it('tells of a cancellation with 404 and the state; the token is dead by then', LONG, async () => {
    const project = await projectWithJobs();
    const runner = await registerRunner(world);
    const job = await runner.take();
    await world.api(owner).post(`/projects/${project.id}/jobs/${job.id}/cancel`);
    for (const state of ['running', 'success']) {
      const { status, headers } = await runner.update(job, state);
      expect([status, headers.get('job-status')]).toEqual([404, 'canceled']);
    }
    const { headers } = await runner.print(job, 0, 'more');
    expect(headers.get('job-status')).toBe('canceled');
    expect((await world.db.job.findUniqueOrThrow({ where: { id: job.id } })).status).toBe('canceled');
  });

  it('takes a whole trace with the end of the job, of 8 MiB at most with all that is beside it', LONG, async () => {
    const project = await projectWithJobs();
    const runner = await registerRunner(world);
    const job = await runner.take();
    expect((await runner.update(job, 'success', { trace: 'x'.repeat(9 * 1024 * 1024) })).status).toBe(413);
    const text = 'line ü\n'.repeat(100_000);
    expect((await runner.update(job, 'success', { trace: text })).status).toBe(200);
    const trace = await world.api(owner).get(`/projects/${project.id}/jobs/${job.id}/trace`);
    expect(trace.body).toBe(text);
  });

  it('ends a job once: the second time it is over', LONG, async () => {
    await projectWithJobs();
    const runner = await registerRunner(world);
    const job = await runner.take();
    const answers = await Promise.all([runner.update(job, 'success'), runner.update(job, 'failed')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const row = await world.db.job.findUniqueOrThrow({ where: { id: job.id } });
    expect(row.status).toBe(answers[0]?.status === 200 ? 'success' : 'failed');
  });

  it.each([
    ['/Covered: \\d+\\.\\d+%/', 'Covered: 10.00%\nCovered: 81.25%\nend\n', 81.25],
    ['/lines (\\d+) of/i', 'LINES 42 OF 100', 42],
    ['/(x+x+)+y/', `${'x'.repeat(60)}\n`, null],
    ['/nothing/', 'Covered: 50%', null],
    ['/took \\d+/', 'took 5000', null],
  ])('finds the coverage by %s', LONG, async (pattern, trace, coverage) => {
    await projectWithJobs(`unit: {script: x, coverage: '${pattern}'}`);
    const runner = await registerRunner(world);
    const job = await runner.take();
    expect((await runner.print(job, 0, trace)).status).toBe(202);
    expect((await runner.update(job, 'success')).status).toBe(200);
    expect((await world.db.job.findUniqueOrThrow({ where: { id: job.id } })).coverage).toBe(coverage);
  });

  it('goes on while its runner is paused, and when the runner is deleted', LONG, async () => {
    await projectWithJobs('a: {script: x}\nb: {script: x}');
    const runner = await registerRunner(world);
    const [one, other] = [await runner.take(), await runner.take()];
    await world.db.runner.update({ where: { id: runner.id }, data: { active: false } });
    expect((await runner.update(one, 'success')).status).toBe(200);
    await world.db.runner.delete({ where: { id: runner.id } });
    expect((await new TestRunner(world.url, runner).update(other, 'success')).status).toBe(200);
    expect(await world.db.job.findUniqueOrThrow({ where: { id: other.id } })).toMatchObject({
      status: 'success',
      runnerId: null,
    });
  });
});
