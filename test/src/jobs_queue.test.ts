import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { installQueues, removeProjectsLater } from '#src/platform/background/carry.ts';
import { listDeadLetters } from '#src/platform/background/dead_letters.ts';
import { recordProcess } from '#src/platform/background/process.ts';
import { type JobHandlers, startJobs } from '#src/platform/background/queue.ts';
import { connect } from '#src/platform/database/db.ts';
import { administer, emptyDatabase, freshDatabase } from '../support/database.ts';
import { LONG } from '../support/long.ts';

const url = await freshDatabase();
const db = connect(url);
afterAll(() => db.$disconnect());

it('jobs that come while one is worked on are all done as soon as it ends', LONG, async () => {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const all = Promise.withResolvers<void>();
  const done: number[] = [];
  const handlers: Partial<JobHandlers> = {
    'projects.remove': async ({ projectId }) => {
      begun.resolve();
      await go.promise;
      done.push(projectId);
      if (done.length === 6) all.resolve();
    },
  };
  const jobs = await startJobs({ url, handlers: handlers as JobHandlers, report: console.error, db });
  const enqueue = (projectId: number) => db.$transaction((tx) => jobs.enqueue(tx, 'projects.remove', { projectId }));
  await enqueue(1);
  await begun.promise;
  for (const projectId of [2, 3, 4, 5, 6]) await enqueue(projectId);
  go.resolve();
  await all.promise;
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  await jobs.stop();
});

it('what every start asks for is left once, however many starts there are, and is due at once', LONG, async () => {
  const own = await freshDatabase();
  const worker = connect(own);
  const handlers = { 'sessions.expire': async () => undefined, 'repositories.reconcile': async () => undefined };
  const start = async () => {
    const jobs = await startJobs({
      url: own,
      handlers: handlers as Partial<JobHandlers> as JobHandlers,
      queues: [],
      report: console.error,
      db: worker,
    });
    await jobs.enqueueAlone('repositories.reconcile');
    await jobs.stop();
  };
  const query = (text: string) => administer(own, async (client) => (await client.query(text)).rows);
  const waiting = () =>
    query("SELECT state::text, start_after <= now() AS due FROM pgboss.job WHERE name = 'repositories.reconcile'");
  await start();
  await start();
  expect(await waiting()).toEqual([{ state: 'created', due: true }]);
  await query(
    "UPDATE pgboss.job SET state = 'retry', start_after = now() + interval '1 hour' WHERE name = 'repositories.reconcile'",
  );
  await start();
  expect(await waiting()).toEqual([{ state: 'retry', due: true }]);
  // One that is under way may have passed what was left behind meanwhile.
  await query("UPDATE pgboss.job SET state = 'active' WHERE name = 'repositories.reconcile'");
  await start();
  expect(await waiting()).toHaveLength(2);
  await worker.$disconnect();
});

it('queues are made and filled where DATABASE_URL names several hosts, of which the first is away', LONG, async () => {
  const empty = await emptyDatabase();
  const several = empty.replace(/@([^/?]+)/, '@127.0.0.1:1,$1');
  await installQueues(several, ['mail.send']);
  await removeProjectsLater(several, [7]);
  expect(await listDeadLetters(several)).toEqual([]);
  const { rows } = await administer(empty, (client) =>
    client.query("SELECT data FROM pgboss.job WHERE name = 'projects.remove'"),
  );
  expect(rows).toEqual([{ data: { projectId: 7 } }]);
});

it('a start sets right how jobs run and when, and writes nothing where that is as it is to be', LONG, async () => {
  const own = await freshDatabase();
  const worker = connect(own);
  const name = 'sessions.expire';
  const handlers = { [name]: async () => undefined } as Partial<JobHandlers> as JobHandlers;
  const start = async () => {
    const options = { url: own, handlers, paces: { [name]: { cron: '7 * * * *' } }, report: console.error, db: worker };
    await (await startJobs(options)).stop();
  };
  const query = (text: string) => administer(own, async (client) => (await client.query(text)).rows);
  const stored = () =>
    query(`SELECT q.retry_limit, q.updated_on, s.cron, s.timezone, s.updated_on AS scheduled_on
      FROM pgboss.queue q JOIN pgboss.schedule s USING (name) WHERE name = '${name}'`);
  await start();
  const [wanted] = await stored();
  expect(wanted).toMatchObject({ retry_limit: 10, cron: '7 * * * *', timezone: 'UTC' });
  await start();
  expect(await stored()).toEqual([wanted]);
  await query(`UPDATE pgboss.queue SET retry_limit = 1 WHERE name = '${name}'`);
  await query(`UPDATE pgboss.schedule SET cron = '8 * * * *', timezone = 'Asia/Tokyo' WHERE name = '${name}'`);
  await start();
  expect(await stored()).toMatchObject([{ retry_limit: 10, cron: '7 * * * *', timezone: 'UTC' }]);
  await worker.$disconnect();
});

it('a worker that cannot start leaves no connections behind', async () => {
  const own = await freshDatabase();
  const elsewhere = new URL(own);
  elsewhere.pathname = '/there_is_no_such_database';
  const absent = connect(elsewhere.href);
  const handlers = { 'projects.remove': async () => undefined } as Partial<JobHandlers> as JobHandlers;
  const report = () => undefined;
  await expect(startJobs({ url: own, handlers, report, db: absent })).rejects.toThrow('there_is_no_such_database');
  await absent.$disconnect();
  const left = () =>
    administer(own, async (client) => {
      const query =
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gantry jobs'";
      return (await client.query(query)).rows[0].count;
    });
  await expect.poll(left, { timeout: 10_000 }).toBe(0);
});

it('a process that ends is on the list no more, also when it sent a heartbeat just then', LONG, async () => {
  const own = connect(await freshDatabase());
  const begun = Promise.withResolvers<void>();
  let isLate = false;
  // A heartbeat that takes as long as on a busy machine.
  const late = new Proxy(own, {
    get(target, name) {
      if (name !== '$queryRaw' || !isLate) return Reflect.get(target, name);
      return async (...query: Parameters<typeof own.$queryRaw>) => {
        isLate = false;
        begun.resolve();
        await sleep(500);
        return target.$queryRaw(...query);
      };
    },
  });
  const facts = { tag: 'test', queues: [], labels: [], concurrency: 1 };
  const record = await recordProcess(late, facts, console.error);
  isLate = true;
  await begun.promise;
  await record.remove();
  await sleep(1_000);
  expect(await own.jobProcess.count()).toBe(0);
  await own.$disconnect();
});
