// One part in depth, which the long run has.
// @module-tag long
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appendTrace, appendTraceWithin, writeTrace } from '#src/domain/ci/job_logs/append.ts';
import { readTraceTail } from '#src/domain/ci/job_logs/tail.ts';
import { startBeside } from '../support/beside.ts';
import { LONG } from '../support/long.ts';
import { endJob, type TakenJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const LIMIT = 100_000;
const world = await startWorld({ limits: { traceBytes: LIMIT } });
const owner = await world.user();
const project = await world.project({ owner });
const api = world.api(owner);
const NOTICE = `\nThe log is longer than ${LIMIT} bytes. The rest of it is not kept.\n`;

interface Sent {
  status: number;
  jobStatus: string | null;
  range: string | null;
}

async function patch(
  { id, token }: { id: number | string; token: string },
  offset: number | string | null,
  text: string | Buffer,
  url = world.url,
): Promise<Sent> {
  const headers: Record<string, string> = { 'JOB-TOKEN': token, 'Content-Type': 'text/plain' };
  if (offset !== null) {
    headers['Content-Range'] = typeof offset === 'string' ? offset : `${offset}-${offset + text.length}`;
  }
  const answer = await fetch(`${url}/api/v4/jobs/${id}/trace`, {
    method: 'PATCH',
    headers,
    body: typeof text === 'string' ? text : new Uint8Array(text),
  });
  await answer.arrayBuffer();
  return { status: answer.status, jobStatus: answer.headers.get('job-status'), range: answer.headers.get('range') };
}

async function read(id: number, headers: Record<string, string> = {}) {
  const answer = await fetch(`${world.url}/api/v4/projects/${project.id}/jobs/${id}/trace`, {
    headers: { 'PRIVATE-TOKEN': owner.token, ...headers },
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const traceOf = async (id: number) => (await read(id)).text;
const filesOf = ({ id }: TakenJob) => {
  const directory = world.repositories.traces(project);
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { recursive: true }) as string[];
  return names.filter((name) => name.includes(`/${id}.`));
};

describe('PATCH /jobs/:id/trace', () => {
  it('appends pieces where the last one ended, and tells how far it is', async () => {
    const job = await takenJob(world, owner, project);
    expect(await patch(job, 0, 'one\n')).toEqual({ status: 202, jobStatus: 'running', range: '0-4' });
    expect(await patch(job, 4, 'zwei ü\n')).toEqual({ status: 202, jobStatus: 'running', range: '0-12' });
    expect(await traceOf(job.id)).toBe('one\nzwei ü\n');
    expect(filesOf(job)).toHaveLength(1);
    expect(await world.db.jobTraceChunk.count({ where: { jobId: job.id } })).toBe(0);
    expect((await world.db.job.findUniqueOrThrow({ where: { id: job.id } })).lastSignAt).not.toBeNull();
  });

  it('416 for a piece that begins elsewhere says where to go on, and changes nothing', async () => {
    const job = await takenJob(world, owner, project);
    await patch(job, 0, 'one\n');
    expect(await patch(job, 0, 'one\n')).toMatchObject({ status: 416, range: '0-4' });
    expect(await patch(job, 9, 'far\n')).toMatchObject({ status: 416, range: '0-4' });
    expect(await traceOf(job.id)).toBe('one\n');
    expect(await patch(job, 4, 'two\n')).toMatchObject({ status: 202, range: '0-8' });
  });

  it.each([null, '', 'x', '-5', 'bytes */12', '1e3-5', '99999999999999999999-1'])(
    '400 for the range %j',
    async (range) => {
      const job = await takenJob(world, owner, project);
      expect(await patch(job, range, 'text')).toMatchObject({ status: 400 });
      expect(await traceOf(job.id)).toBe('');
    },
  );

  it('403 for the token of another job, a runner, a person or nobody; 404 without such a job', async () => {
    const [job, other] = [await takenJob(world, owner, project), await takenJob(world, owner, project)];
    for (const token of [other.token, owner.token, '', 'x'.repeat(300)]) {
      expect(await patch({ id: job.id, token }, 0, 'text')).toMatchObject({ status: 403, jobStatus: null });
    }
    for (const id of ['0', '999999', 'x', '99999999999', '1e1']) {
      expect(await patch({ id, token: job.token }, 0, 'text')).toMatchObject({ status: 404 });
    }
    expect(await traceOf(job.id)).toBe('');
  });

  it.each(['canceled', 'failed', 'success'] as const)(
    '403 tells the runner of a job that is %s to stop',
    async (state) => {
      const job = await takenJob(world, owner, project);
      await patch(job, 0, 'one\n');
      await endJob(world, job.id, state);
      expect(await patch(job, 4, 'late\n')).toMatchObject({ status: 403, jobStatus: state });
      expect(await traceOf(job.id)).toBe('one\n');
    },
  );

  it('takes an empty piece as a heartbeat', async () => {
    const job = await takenJob(world, owner, project);
    expect(await patch(job, 0, '')).toEqual({ status: 202, jobStatus: 'running', range: '0-0' });
    expect(await traceOf(job.id)).toBe('');
  });

  it('lets one of several that come at once through, so that pieces never mix', LONG, async () => {
    const job = await takenJob(world, owner, project);
    const pieces = Array.from({ length: 8 }, (_, n) => String(n).repeat(2_000));
    const sent = await Promise.all(pieces.map((piece) => patch(job, 0, piece)));
    expect(sent.map(({ status }) => status).sort()).toEqual([202, ...Array(7).fill(416)]);
    expect(pieces).toContain(await traceOf(job.id));
    // Commands that reach several servers are kept apart by the database alone.
    const stores = world.as(owner);
    const written = await Promise.all(pieces.map((piece) => appendTrace(stores, job.id, 2_000, Buffer.from(piece))));
    expect(written.filter(({ isAccepted }) => isAccepted)).toHaveLength(1);
    expect(await traceOf(job.id)).toMatch(/^(\d)\1{1999}(\d)\2{1999}$/);
  });

  it('is the same on every server of the database and the storage', LONG, async () => {
    const beside = await startBeside(world, onTestFinished);
    const job = await takenJob(world, owner, project);
    const urls = [world.url, beside.url];
    let offset = 0;
    for (let n = 0; n < 6; n++) {
      expect(await patch(job, offset, `piece ${n}\n`, urls[n % 2])).toMatchObject({ status: 202 });
      offset += 8;
    }
    const sent = await Promise.all(['a', 'b'].map((text, n) => patch(job, offset, text.repeat(50_000 - 48), urls[n])));
    expect(sent.map(({ status }) => status).sort()).toEqual([202, 416]);
    const read = await beside.send('GET', `/api/v4/projects/${project.id}/jobs/${job.id}/trace`, {
      headers: { 'PRIVATE-TOKEN': owner.token },
    });
    expect(read.body).toMatch(/^(piece \d\n){6}(a+|b+)$/);
    expect(read.body).toBe(await traceOf(job.id));
  });

  it('keeps what fits of a trace that is too long, says so in its last line, and takes the rest', LONG, async () => {
    const job = await takenJob(world, owner, project);
    const start = 'x'.repeat(LIMIT - 3);
    expect(await patch(job, 0, start)).toMatchObject({ status: 202 });
    // The euro sign has three bytes and does not fit as a whole.
    expect(await patch(job, LIMIT - 3, '12€ and more')).toMatchObject({ status: 202, range: `0-${LIMIT - 3 + 14}` });
    const whole = `${start}12${NOTICE}`;
    expect(await traceOf(job.id)).toBe(whole);
    expect(await patch(job, LIMIT + 11, 'y'.repeat(5_000_000))).toMatchObject({
      status: 202,
      range: `0-${LIMIT + 5_000_011}`,
    });
    expect(await patch(job, LIMIT + 5_000_011, 'z')).toMatchObject({ status: 202 });
    expect(await traceOf(job.id)).toBe(whole);
  });

  it('takes a first piece that is longer than a trace may be', async () => {
    const job = await takenJob(world, owner, project);
    const text = 'y'.repeat(LIMIT * 3);
    expect(await patch(job, 0, text)).toMatchObject({ status: 202, range: `0-${LIMIT * 3}` });
    expect(await traceOf(job.id)).toBe(text.slice(0, LIMIT) + NOTICE);
  });

  it('keeps nothing of a piece whose connection breaks, and the runner sends it again', async () => {
    const job = await takenJob(world, owner, project);
    await new Promise<void>((resolve) => {
      const broken = request(`${world.url}/api/v4/jobs/${job.id}/trace`, {
        method: 'PATCH',
        headers: { 'JOB-TOKEN': job.token, 'Content-Range': '0-10', 'Content-Length': '10' },
      });
      broken.on('error', () => resolve());
      broken.write('half', () => setTimeout(() => broken.destroy(), 100));
    });
    expect(await patch(job, 0, 'the whole\n')).toMatchObject({ status: 202, range: '0-10' });
    expect(await traceOf(job.id)).toBe('the whole\n');
  });

  it('overwrites what a write left behind that was never recorded', async () => {
    const job = await takenJob(world, owner, project);
    const stores = world.as(owner);
    await patch(job, 0, 'one\n');
    await world.db
      .$transaction(async (tx) => {
        await appendTraceWithin(tx, stores, job.id, Buffer.from('never recorded, and much longer\n'));
        throw new Error('the power fails');
      })
      .catch(() => undefined);
    expect(await traceOf(job.id)).toBe('one\n');
    expect(await patch(job, 4, 'two\n')).toMatchObject({ status: 202, range: '0-8' });
    expect(await traceOf(job.id)).toBe('one\ntwo\n');
  });

  it('goes on with a trace that an earlier version kept in rows', async () => {
    const job = await takenJob(world, owner, project);
    for (const [position, text] of [
      [0, 'old '],
      [4, 'rows\n'],
    ] as const) {
      await world.db.jobTraceChunk.create({ data: { jobId: job.id, position, content: Buffer.from(text) } });
    }
    expect(await traceOf(job.id)).toBe('old rows\n');
    expect(await patch(job, 9, 'new\n')).toMatchObject({ status: 202, range: '0-13' });
    expect(await traceOf(job.id)).toBe('old rows\nnew\n');
    expect(await world.db.jobTraceChunk.count({ where: { jobId: job.id } })).toBe(0);
  });
});

describe('Traces', () => {
  it('are read in parts while they grow', LONG, async () => {
    const job = await takenJob(world, owner, project);
    await patch(job, 0, '0123456789');
    const part = await read(job.id, { Range: 'bytes=4-6' });
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '456', 'bytes 4-6/10']);
    await patch(job, 10, 'abc');
    const more = await read(job.id, { Range: 'bytes=10-' });
    expect([more.status, more.text, more.headers.get('content-range')]).toEqual([206, 'abc', 'bytes 10-12/13']);
    expect((await read(job.id, { Range: 'bytes=-2' })).text).toBe('bc');
    const none = await read(job.id, { Range: 'bytes=13-' });
    expect([none.status, none.headers.get('content-range')]).toEqual([416, 'bytes */13']);
    const whole = await read(job.id);
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('of rows are read in parts, too', async () => {
    const job = await takenJob(world, owner, project);
    for (const [position, text] of [
      [0, '0123'],
      [4, '4567'],
      [8, '89'],
    ] as const) {
      await world.db.jobTraceChunk.create({ data: { jobId: job.id, position, content: Buffer.from(text) } });
    }
    expect((await read(job.id, { Range: 'bytes=2-8' })).text).toBe('2345678');
    expect(await traceOf(job.id)).toBe('0123456789');
  });

  it('can be given as a whole: one that begins like the last goes on, another one replaces it', async () => {
    const job = await takenJob(world, owner, project);
    const stores = world.as(owner);
    await patch(job, 0, 'one\n');
    const [file] = filesOf(job);
    await writeTrace(stores, job.id, 'one\ntwo\n');
    expect([await traceOf(job.id), filesOf(job)]).toEqual(['one\ntwo\n', [file]]);
    await writeTrace(stores, job.id, 'one\ntwo\n');
    expect(filesOf(job)).toEqual([file]);
    await writeTrace(stores, job.id, 'other\n');
    expect(await traceOf(job.id)).toBe('other\n');
    expect(filesOf(job)).toHaveLength(1);
    expect(filesOf(job)).not.toContain(file);
    await writeTrace(stores, job.id, 'w'.repeat(LIMIT + 1));
    expect(await traceOf(job.id)).toBe('w'.repeat(LIMIT) + NOTICE);
    const [long] = filesOf(job);
    await writeTrace(stores, job.id, 'w'.repeat(LIMIT + 1));
    expect(filesOf(job)).toEqual([long]);
    expect(await traceOf(job.id)).toBe('w'.repeat(LIMIT) + NOTICE);
  });

  it('give their end, in which a pattern for coverage is looked for', async () => {
    const job = await takenJob(world, owner, project);
    await patch(job, 0, `${'x'.repeat(9_000)}Coverage: 84.2%\n`);
    expect(await readTraceTail(world.as(owner), job.id)).toContain('Coverage: 84.2%');
    expect(await readTraceTail(world.as(owner), job.id, 7)).toBe(' 84.2%\n');
    const old = await takenJob(world, owner, project);
    await world.db.jobTraceChunk.create({ data: { jobId: old.id, position: 0, content: Buffer.from('rows 7%\n') } });
    expect(await readTraceTail(world.as(owner), old.id, 4)).toBe(' 7%\n');
    expect(await readTraceTail(world.as(owner), (await takenJob(world, owner, project)).id)).toBe('');
  });

  it('go from the disk when they are erased', async () => {
    const job = await takenJob(world, owner, project);
    await patch(job, 0, 'secret\n');
    await endJob(world, job.id);
    expect((await api.post(`/projects/${project.id}/jobs/${job.id}/erase`)).status).toBe(201);
    await world.idle();
    expect(filesOf(job)).toEqual([]);
    expect(await traceOf(job.id)).toBe('');
    expect((await api.post(`/projects/${project.id}/jobs/${job.id}/erase`)).status).toBe(403);
  });

  it('go with their project', LONG, async () => {
    const doomed = await world.project({ owner });
    const job = await takenJob(world, owner, doomed);
    await patch(job, 0, 'text\n');
    const directory = world.repositories.traces(doomed);
    expect(existsSync(directory)).toBe(true);
    await api.delete(`/projects/${doomed.id}`);
    await world.idle();
    expect(existsSync(directory)).toBe(false);
    expect(await patch(job, 5, 'late\n')).toMatchObject({ status: 404 });
  });
});
