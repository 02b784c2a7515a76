// One part in depth, which the long run has.
// @module-tag long
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JobHandlers, startJobs } from '#src/platform/background/queue.ts';
import { Listener } from '#src/platform/database/listener.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
let admin: TestUser;

beforeAll(async () => {
  admin = await world.user({ admin: true });
});

const get = async (name: string) => (await world.api(admin).get(`/bgjobs/${name}`)).body;

const listener = await Listener.open(world.databaseUrl, () => undefined);
afterAll(() => listener.close());

/** A second process on the same database, as far as the jobs can tell. */
async function another(
  change: Partial<JobHandlers> = {},
  more: { queues?: ['members.expire']; concurrency?: number } = {},
) {
  const handlers = { ...world.handlers(), ...change };
  return startJobs({
    url: world.databaseUrl,
    listener,
    db: world.db,
    handlers,
    report: () => undefined,
    tag: 'second',
    labels: ['a'],
    ...more,
  });
}

describe('GET /bgjobs', () => {
  it('tells of every queue how much waits in it, and for how long', async () => {
    const { queues } = await get('queue_metrics');
    expect(Object.keys(queues)).toEqual(
      expect.arrayContaining(['projects.remove', 'namespaces.remove', 'dead_letters']),
    );
    for (const queue of Object.values(queues)) expect(queue).toEqual({ backlog: 0, latency: 0 });
    await world.db.$executeRaw`INSERT INTO pgboss.job (name, data, created_on, start_after)
      SELECT 'waits', '{}', now() - interval '90 seconds', at FROM unnest(ARRAY[now() - interval '1 minute', now(), now() + interval '1 day']) at
      WHERE EXISTS (SELECT 1 FROM pgboss.create_queue('waits', '{"policy": "standard"}'::jsonb))`;
    const waiting = (await get('queue_metrics')).queues.waits;
    expect(waiting.backlog).toBe(2);
    expect(waiting.latency).toBeGreaterThanOrEqual(59);
    expect(waiting.latency).toBeLessThan(120);
    expect((await get('job_stats')).jobs.enqueued).toBe(2);
    await world.db.$executeRaw`DELETE FROM pgboss.job WHERE name = 'waits'`;
  });

  it('tells of every live process, and no more of one that ended', LONG, async () => {
    const second = await another({}, { queues: ['members.expire'], concurrency: 3 });
    const { processes } = await get('process_metrics');
    expect(processes).toHaveLength(2);
    expect(processes[1]).toEqual({
      hostname: hostname(),
      pid: process.pid,
      tag: 'second',
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      queues: ['members.expire'],
      labels: ['a'],
      concurrency: 3,
      busy: 0,
    });
    await second.stop();
    expect((await get('process_metrics')).processes).toHaveLength(1);
  });

  it('takes a process that is silent for dead, and keeps what it did', LONG, async () => {
    const before = (await get('job_stats')).jobs;
    const dead = { hostname: 'gone', pid: 1, tag: 't', queues: [], labels: [], concurrency: 1, busy: 1 };
    const data = { ...dead, id: 'dead', processed: 7, failed: 2 };
    await world.db.jobProcess.create({ data: { ...data, seenAt: new Date(Date.now() - 25_000) } });
    expect((await get('process_metrics')).processes).toHaveLength(1);
    const counts = { ...before, processed: before.processed + 7, failed: before.failed + 2 };
    expect((await get('job_stats')).jobs).toEqual(counts);
    await world.until(async () => (await world.db.jobProcess.count({ where: { id: 'dead' } })) === 0);
    expect((await get('job_stats')).jobs).toEqual(counts);
  });

  it('counts what is processed and what failed, and who is busy with it', LONG, async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = (await get('job_stats')).jobs;
    const group = await world.group({ owner: admin });
    await world.api(admin).delete(`/groups/${group.id}`);
    await world.idle();
    await world.until(async () => (await get('job_stats')).jobs.processed > before.processed);
    expect((await get('job_stats')).jobs.failed).toBe(before.failed);
    const queues = ['members.expire'] as ['members.expire'];
    let failures = 0;
    const second = await another(
      {
        // Only the first that it takes fails: others may wait behind it.
        'members.expire': async () => {
          await held;
          failures += 1;
          if (failures === 1) throw new Error('on purpose');
        },
      },
      { queues },
    );
    // The first process may take it as well, and does it at once: sent until the second one has it.
    await world.until(async () => {
      await world.db.$transaction((tx) => world.as(admin).jobs.enqueue(tx, 'members.expire', {}));
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { processes } = await get('process_metrics');
      return processes.some(({ tag, busy }: { tag: string; busy: number }) => tag === 'second' && busy === 1);
    });
    release();
    await world.until(async () => (await get('job_stats')).jobs.failed === before.failed + 1);
    await second.stop();
    expect((await get('job_stats')).jobs.failed).toBe(before.failed + 1);
  });

  it('gives all of it at once, and answers under the paths that clients of the era know', async () => {
    const all = await get('compound_metrics');
    expect(Object.keys(all)).toEqual(['queues', 'processes', 'jobs']);
    expect(all.jobs).toEqual(await (await get('job_stats')).jobs);
    expect((await world.api(admin).get('/sidekiq/job_stats')).status).toBe(200);
    const document = await world.send('GET', '/api/v4/openapi.json');
    expect(JSON.stringify(document.body)).not.toContain('sidekiq');
  });

  it('is for administrators', LONG, async () => {
    const user = await world.user();
    for (const name of ['queue_metrics', 'process_metrics', 'job_stats', 'compound_metrics']) {
      expect((await world.api(user).get(`/bgjobs/${name}`)).status).toBe(403);
      expect((await world.api().get(`/bgjobs/${name}`)).status).toBe(401);
    }
    const query = '{ jobMetrics { jobs { processed } } }';
    expect((await world.graphql(query, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const { processed } = (await get('job_stats')).jobs;
    expect((await world.graphql(query, {}, admin)).body.data).toEqual({ jobMetrics: { jobs: { processed } } });
  });
});
