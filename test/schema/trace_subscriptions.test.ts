import { expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { MAX_PART_BYTES } from '#src/domain/ci/job_logs/part.ts';
import { subscribe } from '../support/live.ts';
import { LONG } from '../support/long.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner });
const TRACE = `subscription ($in: JobTraceScope!, $after: String) {
  jobTrace(in: $in, after: $after) { offset nextOffset content job { status } } }`;

async function print({ id, token }: { id: number; token: string }, offset: number, text: string): Promise<void> {
  const { status } = await fetch(`${world.url}/api/v4/jobs/${id}/trace`, {
    method: 'PATCH',
    headers: { 'JOB-TOKEN': token, 'Content-Range': `${offset}-${offset + text.length}` },
    body: text,
  });
  expect(status).toBe(202);
}

const open = (variables: object, who = owner) =>
  subscribe('Server-Sent Events', world.url, TRACE, {
    variables: variables as Record<string, unknown>,
    token: who.token,
  });

it('jobTrace sends what runners send, piece by piece, from an offset on, and ends with the job', LONG, async () => {
  const job = await takenJob(world, owner, project);
  await print(job, 0, 'before\n');
  const live = await open({ in: { job: toGlobalId('Job', job.id) }, after: '0' });
  expect((await live.next()).data.jobTrace).toEqual({
    offset: 0,
    nextOffset: 7,
    content: 'before\n',
    job: { status: 'RUNNING' },
  });
  await print(job, 7, 'one\n');
  expect((await live.next()).data.jobTrace).toMatchObject({ offset: 7, nextOffset: 11, content: 'one\n' });
  const late = await open({ in: { job: toGlobalId('Job', job.id) }, after: '9' });
  expect((await late.next()).data.jobTrace).toMatchObject({ offset: 9, content: 'e\n' });
  await print(job, 11, 'two\n');
  for (const one of [live, late])
    expect((await one.next()).data.jobTrace).toMatchObject({ offset: 11, content: 'two\n' });
  await endJob(world, job.id);
  for (const one of [live, late]) expect(await one.end()).toBeNull();
});

it('jobTrace sends a long piece in parts, to subscribers of the whole project too', async () => {
  const job = await takenJob(world, owner, project);
  const live = await open({ in: { project: project.id } });
  const text = 'x'.repeat(MAX_PART_BYTES * 2 + 5);
  await print(job, 0, text);
  const parts: string[] = [];
  for (let n = 0; n < 3; n++) parts.push((await live.next()).data.jobTrace.content);
  expect(parts.map(({ length }) => length)).toEqual([MAX_PART_BYTES, MAX_PART_BYTES, 5]);
  await live.close();
});

it('jobTrace tells nothing to who may not read jobs', async () => {
  const job = await takenJob(world, owner, project);
  const [stranger, guest] = [await world.user(), await world.user()];
  await world.member(project, guest, 'guest');
  await world.db.project.update({ where: { id: project.id }, data: { publicJobs: false } });
  await print(job, 0, 'secret\n');
  for (const [who, code] of [
    [stranger, 'NOT_FOUND'],
    [guest, 'FORBIDDEN'],
  ] as const) {
    const refused = await open({ in: { job: toGlobalId('Job', job.id) }, after: '0' }, who);
    expect(JSON.stringify(await refused.end())).toContain(code);
  }
});
