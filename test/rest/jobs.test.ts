import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
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
let pipeline: number;
let at: string;

const CONFIG = `
unit: {stage: build, script: test}
lint: {stage: build, script: lint}
late: {script: late}
ship: {stage: deploy, script: ship, when: manual}
`;

beforeAll(async () => {
  ({ project, sha } = await projectWithCommit(world, owner, { config: CONFIG }));
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await world.idle();
  at = `/projects/${project.id}/jobs`;
  pipeline = (await world.db.pipeline.findFirstOrThrow({ where: { projectId: project.id } })).id;
});

/** A new pipeline, and its jobs by name. */
async function run() {
  const { id } = (await api.post(`/projects/${project.id}/pipeline`, { ref: 'master' })).body;
  const jobs = await world.db.job.findMany({ where: { pipelineId: id } });
  const ids = Object.fromEntries(jobs.map((job) => [job.name, job.id])) as Record<
    'unit' | 'lint' | 'late' | 'ship',
    number
  >;
  return { pipeline: id, ...ids };
}

const stateOf = async (id: number) => (await world.db.job.findUniqueOrThrow({ where: { id } })).status;
const pipelineState = async (id: number) => (await world.db.pipeline.findUniqueOrThrow({ where: { id } })).status;

/** As whoever runs jobs leaves one. */
async function finish(id: number, trace = '') {
  await world.db.job.update({ where: { id }, data: { status: 'failed', finishedAt: new Date() } });
  const parts = trace.match(/.{1,5}/gs) ?? [];
  let position = 0n;
  for (const part of parts) {
    const content = Buffer.from(part);
    await world.db.jobTraceChunk.create({ data: { jobId: id, position, content } });
    position += BigInt(content.length);
  }
}

const KEYS = [
  'id',
  'status',
  'stage',
  'name',
  'ref',
  'tag',
  'coverage',
  'allow_failure',
  'web_url',
  'duration',
  'queued_duration',
  'tag_list',
  'erased_at',
  'created_at',
  'started_at',
  'finished_at',
  'user',
  'artifacts',
  'artifacts_expire_at',
  'commit',
  'runner_manager',
  'runner',
  'pipeline',
];
const notFound = { status: 404, body: { message: '404 Not Found' } };

describe('GET /projects/:id/jobs', () => {
  it('lists newest first, with the keys of the contract and of today', async () => {
    await run();
    const { status, headers, body } = await api.get(`${at}?per_page=100`);
    expect([status, headers['x-total']]).toEqual([200, String(body.length)]);
    for (const job of body) expect(Object.keys(job)).toEqual(KEYS);
    const ids = body.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a));
    const oldest = body.at(-1);
    expect(oldest).toMatchObject({
      name: 'unit',
      stage: 'build',
      status: 'pending',
      ref: 'master',
      tag: false,
      coverage: null,
      user: { username: owner.username, is_admin: false },
      commit: { id: sha, title: 'Change' },
      runner: null,
      pipeline: { id: pipeline, sha, ref: 'master', status: 'pending' },
    });
  });

  it('takes one state or several, and no posted statuses are in it', LONG, async () => {
    await api.post(`/projects/${project.id}/statuses/${sha}`, { state: 'pending', name: 'outside' });
    const states = async (query: string) => {
      const { body } = await api.get(`${at}?per_page=100&${query}`);
      return [...new Set(body.map(({ status }: { status: string }) => status))].sort();
    };
    expect(await states('scope=pending')).toEqual(['pending']);
    expect(await states('scope[]=pending&scope[]=created')).toEqual(['created', 'pending']);
    expect(await states('scope=success')).toEqual([]);
    const { body } = await api.get(`${at}?per_page=100&scope=pending`);
    expect(body.map(({ name }: { name: string }) => name)).not.toContain('outside');
    expect(await api.get(`${at}?scope=odd`)).toMatchObject({
      status: 400,
      body: { error: 'scope does not have a valid value' },
    });
  });

  it('takes the same few statements, however long it is', LONG, async () => {
    const { project: own } = await projectWithCommit(world, owner, { config: CONFIG });
    await world.idle();
    const count = async () => (await world.statements(() => world.api(owner).get(`/projects/${own.id}/jobs`))).length;
    // What requests of a kind select of their project is known from the first of them on, and what was read of it from the second.
    for (let time = 0; time < 2; time += 1) await count();
    const few = await count();
    for (let n = 0; n < 3; n += 1) {
      await commitFile(world, owner, own);
      await world.idle();
    }
    expect(await count()).toBe(few);
    expect(await world.db.job.count({ where: { projectId: own.id } })).toBe(16);
  });

  it('tells guests of a private project nothing of the commit, and nothing at all once jobs are not public', async () => {
    const { status, body } = await world.api(guest).get(at);
    expect([status, body[0].commit]).toEqual([200, null]);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: false } });
    expect((await world.api(guest).get(at)).status).toBe(403);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: true } });
  });
});

describe('GET /projects/:id/pipelines/:pipeline_id/jobs', () => {
  it('lists those of one pipeline, oldest first', async () => {
    const mine = await run();
    const { status, body } = await api.get(`/projects/${project.id}/pipelines/${mine.pipeline}/jobs`);
    expect(status).toBe(200);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['unit', 'lint', 'late', 'ship']);
    const some = await api.get(`/projects/${project.id}/pipelines/${mine.pipeline}/jobs?scope=pending`);
    expect(some.body.map(({ id }: { id: number }) => id)).toEqual([mine.unit, mine.lint]);
    const none = await api.get(`/projects/${project.id}/pipelines/999999/jobs`);
    expect(none).toMatchObject({ status: 404, body: { message: '404 Not found' } });
  });
});

describe('GET /projects/:id/jobs/:job_id', () => {
  it('is one job, with its artifacts where it has some', async () => {
    const { unit } = await run();
    expect(await api.get(`${at}/${unit}`)).toMatchObject({ status: 200, body: { id: unit, name: 'unit' } });
    await world.db.job.update({
      where: { id: unit },
      data: { artifactsFilename: 'a.zip', artifactsSize: 3_000_000_000n },
    });
    const { body } = await api.get(`${at}/${unit}`);
    expect(body.artifacts_file).toEqual({ filename: 'a.zip', size: 3_000_000_000 });
  });

  it('404 for unknown jobs, posted statuses, and those of other projects', LONG, async () => {
    const { unit } = await run();
    const { body } = await api.post(`/projects/${project.id}/statuses/${sha}`, { state: 'success', name: 'outside' });
    const other = await world.project({ owner: developer });
    expect(await api.get(`${at}/999999`)).toMatchObject(notFound);
    expect(await api.get(`${at}/${body.id}`)).toMatchObject(notFound);
    expect(await api.get(`/projects/${other.id}/jobs/${unit}`)).toMatchObject(notFound);
    expect(await api.get(`${at}/x`)).toMatchObject({ status: 400, body: { error: 'job_id is invalid' } });
  });
});

describe('GET /projects/:id/jobs/:job_id/trace', () => {
  it('streams what the job printed as plain text that no browser runs', LONG, async () => {
    const { unit } = await run();
    const read = (who = developer) =>
      world.send('GET', `/api/v4${at}/${unit}/trace`, { headers: { 'PRIVATE-TOKEN': who.token } });
    const empty = await read();
    expect([empty.status, empty.body]).toEqual([200, null]);
    await finish(unit, 'first line\n<script>alert(1)</script>\nzweite Zeile mit ä\n');
    const { status, headers, body } = await read();
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'nosniff',
    ]);
    expect(body).toBe('first line\n<script>alert(1)</script>\nzweite Zeile mit ä\n');
    expect((await world.api().get(`${at}/${unit}/trace`)).status).toBe(401);
    expect(await api.get(`${at}/999999/trace`)).toMatchObject(notFound);
  });
});

describe('POST /projects/:id/jobs/:job_id/cancel', () => {
  it('cancels a job, and moves its pipeline', LONG, async () => {
    const { pipeline: its, unit, lint, late } = await run();
    const { status, body } = await api.post(`${at}/${unit}/cancel`);
    expect([status, Object.keys(body), body.status]).toEqual([201, KEYS, 'canceled']);
    expect(body.finished_at).not.toBeNull();
    expect((await api.post(`${at}/${lint}/cancel`)).status).toBe(201);
    expect([await stateOf(late), await pipelineState(its)]).toEqual(['skipped', 'canceled']);
  });

  it('leaves alone what has finished', async () => {
    const { unit } = await run();
    await finish(unit);
    expect(await api.post(`${at}/${unit}/cancel`)).toMatchObject({ status: 201, body: { status: 'failed' } });
  });
});

describe('POST /projects/:id/jobs/:job_id/retry', () => {
  it('queues a finished job again, as a new one', async () => {
    const { pipeline: its, unit } = await run();
    await finish(unit);
    const { status, body } = await api.post(`${at}/${unit}/retry`);
    expect([status, body.status, body.name, body.user.username]).toEqual([201, 'pending', 'unit', developer.username]);
    expect(body.id).toBeGreaterThan(unit);
    expect(await world.db.job.findUnique({ where: { id: unit } })).toMatchObject({ status: 'failed', retried: true });
    expect(await pipelineState(its)).toBe('pending');
    expect(await world.db.job.findUnique({ where: { id: body.id } })).toMatchObject({
      retried: false,
      options: { script: ['test'] },
    });
  });

  it('403 while it has not finished', async () => {
    const { unit } = await run();
    const answer = await api.post(`${at}/${unit}/retry`);
    expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden  - Job is not retryable' } });
  });

  it('makes a single job that counts when several ask at once', LONG, async () => {
    const { pipeline: its, unit } = await run();
    await finish(unit);
    await Promise.all(Array.from({ length: 4 }, () => api.post(`${at}/${unit}/retry`)));
    expect(await world.db.job.count({ where: { pipelineId: its, name: 'unit', retried: false } })).toBe(1);
  });
});

describe('POST /projects/:id/jobs/:job_id/play', () => {
  it('starts a job that waits for somebody, as that one', async () => {
    const { pipeline: its, unit, lint, late, ship } = await run();
    for (const id of [unit, lint, late]) await world.db.job.update({ where: { id }, data: { status: 'success' } });
    await world.db.job.update({ where: { id: ship }, data: { status: 'manual' } });
    const { status, body } = await world.api(owner).post(`${at}/${ship}/play`);
    expect([status, body.status, body.user.username]).toEqual([200, 'pending', owner.username]);
    expect(await pipelineState(its)).toBe('running');
  });

  it('400 for one that does not', async () => {
    const { unit } = await run();
    const answer = await api.post(`${at}/${unit}/play`);
    expect(answer).toMatchObject({ status: 400, body: { message: '400 (Bad request) "Unplayable Job" not given' } });
    expect(await stateOf(unit)).toBe('pending');
  });
});

describe('POST /projects/:id/jobs/:job_id/erase', () => {
  it('removes what a job printed and left', async () => {
    const { unit } = await run();
    await finish(unit, 'a secret');
    await world.db.job.update({ where: { id: unit }, data: { artifactsFilename: 'a.zip', artifactsSize: 1n } });
    const { status, body } = await api.post(`${at}/${unit}/erase`);
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect((await api.get(`${at}/${unit}/trace`)).status).toBe(200);
    expect(await world.db.jobTraceChunk.count({ where: { jobId: unit } })).toBe(0);
    expect((await world.db.job.findUnique({ where: { id: unit } }))?.erasedAt).not.toBeNull();
  });

  it('403 when there is nothing to remove, or the job has not finished', async () => {
    const { unit, lint } = await run();
    const refused = { status: 403, body: { message: '403 Forbidden  - Job is not erasable!' } };
    await finish(lint);
    expect(await api.post(`${at}/${lint}/erase`)).toMatchObject(refused);
    await finish(unit, 'text');
    await world.db.job.update({ where: { id: unit }, data: { status: 'running' } });
    expect(await api.post(`${at}/${unit}/erase`)).toMatchObject(refused);
    expect(await world.db.jobTraceChunk.count({ where: { jobId: unit } })).toBe(1);
  });
});

describe('Jobs of others', () => {
  it.each(['cancel', 'retry', 'play', 'erase'])(
    '%s: 403 for reporters, 404 for who does not see the project',
    async (action) => {
      const { unit } = await run();
      await finish(unit, 'text');
      expect((await world.api(reporter).post(`${at}/${unit}/${action}`)).status).toBe(403);
      expect((await world.api(await world.user()).post(`${at}/${unit}/${action}`)).status).toBe(404);
      expect((await world.api().post(`${at}/${unit}/${action}`)).status).toBe(401);
      expect(await api.post(`${at}/999999/${action}`)).toMatchObject(notFound);
      expect(await stateOf(unit)).toBe('failed');
      expect(await world.db.jobTraceChunk.count({ where: { jobId: unit } })).toBe(1);
    },
  );
});

describe('By GraphQL', () => {
  it('traces of a list are read together, and one that is too large for an answer is refused alone', LONG, async () => {
    const { pipeline, unit, ship } = await run();
    await finish(unit, 'what it printed');
    const ask = async (statements = 0) => {
      const query = `query ($id: ProjectRef!, $pipeline: ID!) { project(ref: $id) { pipeline(id: $pipeline) {
        jobs { nodes { name trace } } } } }`;
      let body: { data: unknown; errors?: { extensions: { code: string }; message: string }[] } = { data: null };
      const read = await world.statements(async () => {
        ({ body } = await world.graphql(query, { id: project.id, pipeline }, developer));
      });
      if (statements > 0) expect(read.filter((one) => one.includes('job_trace_chunks'))).toHaveLength(statements);
      return body;
    };
    expect((await ask(2)).data).toMatchObject({
      project: { pipeline: { jobs: { nodes: expect.arrayContaining([{ name: 'unit', trace: 'what it printed' }]) } } },
    });
    await world.db.jobTraceChunk.create({ data: { jobId: ship, position: 0, content: Buffer.alloc(5 * 1024 * 1024) } });
    const { errors = [] } = await ask(2);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['CONTENT_TOO_LARGE']);
    expect(errors[0]?.message).toContain('the trace has 5242880 bytes');
  });

  it('jobs are read with their traces, canceled, retried, played and erased', async () => {
    const { unit, ship } = await run();
    await finish(unit, 'what it printed');
    await world.db.job.update({ where: { id: ship }, data: { status: 'manual' } });
    const query = `query ($id: ProjectRef!, $job: ID!) { project(ref: $id) { job(id: $job) {
      id name trace when pipeline { jobs { totalCount } } } } }`;
    const { body } = await world.graphql(query, { id: project.id, job: unit }, developer);
    const { id, ...job } = body.data.project.job;
    expect(job).toEqual({
      name: 'unit',
      trace: 'what it printed',
      when: 'ON_SUCCESS',
      pipeline: { jobs: { totalCount: 4 } },
    });
    const node = await world.graphql(`{ node(id: "${id}") { ... on Job { name } } }`, {}, developer);
    expect(node.body.data.node).toEqual({ name: 'unit' });
    const change = async (name: string, id: number, who = developer) => {
      const text = `mutation ($input: ${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { job { status erasedAt } } }`;
      const answer = await world.graphql(text, { input: { id: toGlobalId('Job', id) } }, who);
      return answer.body.data?.[name]?.job ?? answer.body.errors[0].extensions.code;
    };
    expect((await change('eraseJob', unit)).erasedAt).not.toBeNull();
    expect((await change('retryJob', unit)).status).toBe('PENDING');
    expect((await change('playJob', ship)).status).toBe('PENDING');
    expect((await change('cancelJob', ship)).status).toBe('CANCELED');
    expect(await change('playJob', ship)).toBe('CONFLICT');
    expect(await change('cancelJob', ship, reporter)).toBe('FORBIDDEN');
  });
});
