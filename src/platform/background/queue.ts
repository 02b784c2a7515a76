import { fromPrisma, PgBoss, type QueueResult, type StopOptions } from 'pg-boss';
import { queueDatabase } from '#src/platform/background/database.ts';
import { type ProcessRecord, recordProcess } from '#src/platform/background/process.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import type { Listener } from '#src/platform/database/listener.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { observeJob } from '#src/platform/observability/metrics/jobs.ts';
import { tracer } from '#src/platform/observability/tracing/tracer.ts';

/**
 * The background jobs by name, with the data of each; rooms above this one declare theirs next to the code that runs them
 * (`declare module`). Every job may run twice and does nothing then.
 */
// biome-ignore lint/suspicious/noEmptyInterface: what belongs to it is declared elsewhere
export interface Jobs {}
export type JobName = keyof Jobs;

/** Does the work of each job; what it finds to do besides it leaves in the queue. */
export type JobHandlers = { [Name in JobName]: (data: Jobs[Name], queue: JobQueue) => Promise<void> };

/** Where commands leave work for later. */
export interface JobQueue {
  /**
   * Puts a job into the queue, in the transaction that wants it: it runs when that commits, and not otherwise.
   *
   * @param how `after`: seconds that it waits at least
   */
  enqueue<Name extends JobName>(tx: Transaction, name: Name, data: Jobs[Name], how?: { after: number }): Promise<void>;
}

export interface JobWorker extends JobQueue {
  /** Has a job of this name run soon that needs no data and belongs to no transaction: one that waits already, or else a new one. */
  enqueueAlone(
    name: { [Name in JobName]: Record<string, never> extends Jobs[Name] ? Name : never }[JobName],
  ): Promise<void>;
  /** Lets running jobs finish, `timeout` milliseconds at most. Unfinished ones run again later. */
  stop(timeout?: number): Promise<void>;
}

/** Jobs that failed too often, which are not run again. */
export const DEAD_LETTERS = 'dead_letters';

/** How the jobs of a name run. */
export interface JobPace {
  /** When they run by themselves, in the form of cron, in UTC. */
  cron?: string;
  /** How many run at once, where it is more than one: they wait for others most of the time. */
  atOnce?: number;
}

/** What is said of some of the jobs. */
export type JobPaces = Partial<Record<JobName, JobPace>>;

/** How jobs run: a failed one again with growing delays, one whose worker is not heard of for ten seconds too. */
const QUEUE = {
  retryLimit: 10,
  retryDelay: 2,
  retryBackoff: true,
  heartbeatSeconds: 10,
  expireInSeconds: 60 * 60,
  notify: true,
  deadLetter: DEAD_LETTERS,
};
/** Seconds for which a dead letter is kept: ninety days. */
const DEAD_LETTER_RETENTION = 90 * 24 * 60 * 60;
/** Seconds between two looks for jobs whose worker died. */
const SUPERVISION = 10;

/** Makes the oldest job of a queue that waits due, if there is one. */
const HASTEN = `UPDATE pgboss.job SET start_after = LEAST(start_after, now()) WHERE id = (
  SELECT id FROM pgboss.job WHERE name = $1 AND state IN ('created', 'retry') ORDER BY created_on LIMIT 1) AND name = $1 RETURNING id`;

/** How many jobs a process works on at once when nothing is said. */
export const CONCURRENCY = 10;

export interface WorkerOptions {
  /** URL of the database, not of a pooler that lends sessions by the transaction. */
  url: string;
  /** What new jobs are heard of by; without it this process looks for them by itself, every two seconds. */
  listener?: Listener | undefined;
  db: Db;
  handlers: JobHandlers;
  paces?: JobPaces | undefined;
  /** Receives errors of failed jobs and of the queue. */
  report(error: unknown): void;
  /** The jobs to work on; all when absent, with none this process only leaves work for others. */
  queues?: readonly string[] | undefined;
  concurrency?: number | undefined;
  /** How many connections the queue has at most. */
  connections?: number | undefined;
  /** What the metrics call the process, and what they show of it besides. */
  tag?: string | undefined;
  labels?: readonly string[] | undefined;
}

/**
 * Starts to work on the jobs in the database, on each at once when it comes.
 *
 * @throws Error when it cannot; then nothing of it is left, neither connections nor its place in the list of processes
 */
export async function startJobs(options: WorkerOptions): Promise<JobWorker> {
  const { url, listener, db, handlers, report, concurrency = CONCURRENCY, tag = 'gantry', labels = [] } = options;
  const { paces = {} } = options;
  const pace = { superviseIntervalSeconds: SUPERVISION, monitorIntervalSeconds: SUPERVISION };
  const names = Object.keys(handlers) as JobName[];
  requireKnown(options.queues ?? [], names);
  const queues = names.filter((name) => options.queues?.includes(name) ?? true);
  const database = queueDatabase(url, { listener, connections: options.connections });
  const boss = new PgBoss({ db: database, useListenNotify: listener !== undefined, ...pace });
  boss.on('error', report);
  let record: ProcessRecord | null = null;
  const queue = queueOf(boss);
  const end = async (how: StopOptions) => {
    // Without the database the others find out by themselves.
    await boss.stop(how).catch(report);
    await database.close();
    await record?.remove().catch(report);
  };
  try {
    await boss.start();
    await prepareQueues(boss, names, paces);
    if (queues.length > 0) record = await recordProcess(db, { tag, queues, labels, concurrency }, report);
    await workOn(boss, queues, {
      queue,
      handlers,
      paces,
      record,
      report,
      slots: new CallerSemaphore({ concurrency, waitingPerCaller: Number.POSITIVE_INFINITY }),
    });
  } catch (error) {
    await end({ graceful: false }).catch(report);
    throw error;
  }
  return {
    ...queue,
    async enqueueAlone(name) {
      const { rows } = await database.executeSql(HASTEN, [name]);
      if (rows.length === 0) await boss.send(name, {});
    },
    stop: (timeout = 5000) => end({ graceful: true, timeout }),
  };
}

/** Where commands leave work by that queue. */
export function queueOf(boss: PgBoss): JobQueue {
  return {
    async enqueue(tx, name, data, how) {
      const traceparent = tracer()?.traceparent();
      const options = { db: fromPrisma(tx), ...(how && { startAfter: how.after }) };
      await boss.send(name, traceparent ? { ...data, traceparent } : data, options);
    },
  };
}

interface Work extends Pick<WorkerOptions, 'handlers' | 'report'> {
  queue: JobQueue;
  paces: JobPaces;
  record: ProcessRecord | null;
  slots: CallerSemaphore;
}

/** Has the jobs of queues done. */
async function workOn(
  boss: PgBoss,
  queues: readonly JobName[],
  { queue, handlers, paces, record, report, slots }: Work,
): Promise<void> {
  for (const name of queues) {
    const work = handlers[name] as (data: object, queue: JobQueue) => Promise<void>;
    // Workers are not notified of jobs to be retried: they poll for them.
    const often = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 5 };
    const pace = { ...often, localConcurrency: paces[name]?.atOnce ?? 1 };
    let worker = '';
    worker = await boss.work<object>(name, pace, async (jobs) => {
      // One notification may stand for several jobs: look for more until there are none.
      boss.notifyWorker(worker);
      for (const { data } of jobs) {
        const { traceparent, ...told } = (data ?? {}) as { traceparent?: string };
        await slots.run('', () => run(() => observeJob(name, traceparent, () => work(told, queue)), record, report));
      }
    });
  }
}

/** Throws an Error that names the queues that there are, where others are named. */
function requireKnown(queues: readonly string[], names: readonly string[]): void {
  const odd = queues.find((name) => !names.includes(name));
  if (odd !== undefined) throw new Error(`There is no queue "${odd}"; there are ${names.join(', ')}.`);
}

/**
 * Makes the queues as they should be, and schedules the jobs that run by themselves. What is right already is left alone, which
 * saves each start about ninety statements.
 */
export async function prepareQueues(
  boss: PgBoss,
  names: readonly string[],
  paces: Readonly<Record<string, JobPace>> = {},
): Promise<void> {
  const [queues, schedules] = await Promise.all([boss.getQueues([DEAD_LETTERS, ...names]), boss.getSchedules()]);
  const known = new Map(queues.map((queue) => [queue.name, queue]));
  const crons = new Map(schedules.map(({ name, cron, timezone }) => [name, timezone === 'UTC' ? cron : null]));
  if (!known.has(DEAD_LETTERS)) await boss.createQueue(DEAD_LETTERS, { retentionSeconds: DEAD_LETTER_RETENTION });
  for (const name of names) {
    const queue = known.get(name);
    if (!queue) await boss.createQueue(name, QUEUE);
    else if (!isAsWanted(queue)) await boss.updateQueue(name, QUEUE);
    const cron = paces[name]?.cron;
    if (cron && crons.get(name) !== cron) await boss.schedule(name, cron, {}, { tz: 'UTC' });
  }
}

function isAsWanted(queue: QueueResult): boolean {
  return Object.entries(QUEUE).every(([option, value]) => queue[option as keyof typeof QUEUE] === value);
}

async function run(
  work: () => Promise<void>,
  record: ProcessRecord | null,
  report: (error: unknown) => void,
): Promise<void> {
  await record?.begun();
  let succeeded = false;
  try {
    await work();
    succeeded = true;
  } catch (error) {
    report(error);
    throw error;
  } finally {
    await record?.ended(succeeded);
  }
}
