import { fromPrisma, PgBoss } from 'pg-boss';
import type { Transaction } from '#src/db.ts';

/** A branch or tag that was pushed. */
export interface PushedRef {
  ref: string;
  tag: boolean;
  /** The commit that it leads to. */
  sha: string;
  /** What it held before; null when it is new. */
  beforeSha: string | null;
  /** Another one for every push and ref. */
  pushKey: string;
}

/** The background jobs by name, each with what it is told. Every job may run twice and then does nothing. */
export interface Jobs {
  /** Removes a project that is marked as deleted. */
  'projects.remove': { projectId: number };
  /** Removes a namespace that is marked as deleted, with everything inside. */
  'namespaces.remove': { namespaceId: number };
  /** Deletes the merged branches of a project, as a user. */
  'branches.delete_merged': { projectId: number; userId: number };
  /** Copies the repository of its source to a fork. */
  'projects.fork': { projectId: number };
  /** Repacks the repository of a project, or those of all where something happened lately, if they need it. */
  'repositories.maintain': { projectId?: number };
  /** Makes the pipelines of a push, one for each key. */
  'pipelines.create': { projectId: number; userId: number; refs: PushedRef[] };
  /** Records what a crash left unrecorded of pushes; wanted at every start. */
  'repositories.reconcile': Record<string, never>;
  /** Removes memberships and shares whose last day is over. */
  'members.expire': Record<string, never>;
  /** Removes what sign-ins left behind and nobody can use any more. */
  'sessions.expire': Record<string, never>;
}
export type JobName = keyof Jobs;

/** Does the work of each job. */
export type JobHandlers = { [Name in JobName]: (data: Jobs[Name]) => Promise<void> };

/** Where commands leave work for later. */
export interface JobQueue {
  /** Puts a job into the queue, in the transaction that wants it: it runs when that commits, and not otherwise. */
  enqueue<Name extends JobName>(tx: Transaction, name: Name, data: Jobs[Name]): Promise<void>;
}

export interface JobWorker extends JobQueue {
  /** Lets running jobs finish, `timeout` milliseconds at most. Unfinished ones run again later. */
  stop(timeout?: number): Promise<void>;
}

/** When jobs run by themselves, in the form of cron, in UTC. */
const SCHEDULE: Partial<Record<JobName, string>> = {
  'members.expire': '3 * * * *',
  'sessions.expire': '17 * * * *',
  'repositories.maintain': '41 * * * *',
};
/** How jobs run: a failed one again with growing delays, one whose worker is not heard of for ten seconds too. */
const QUEUE = {
  retryLimit: 10,
  retryDelay: 2,
  retryBackoff: true,
  heartbeatSeconds: 10,
  expireInSeconds: 60 * 60,
  notify: true,
};
/**
 * Seconds between two looks for jobs. A worker is told of jobs that come, but once of several that come together, and takes
 * one at a time.
 */
const POLLING = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 };
/** Seconds between two looks for jobs whose worker died. */
const SUPERVISION = 10;

export interface WorkerOptions {
  /** URL of the database. */
  url: string;
  handlers: JobHandlers;
  /** Hears of failed jobs and of trouble with the queue. */
  report(error: unknown): void;
}

/** Starts to work on the jobs in the database, on each at once when it comes. */
export async function startJobs({ url, handlers, report }: WorkerOptions): Promise<JobWorker> {
  const pace = { superviseIntervalSeconds: SUPERVISION, monitorIntervalSeconds: SUPERVISION };
  const boss = new PgBoss({ connectionString: url, max: 4, useListenNotify: true, ...pace });
  boss.on('error', report);
  await boss.start();
  const names = Object.keys(handlers) as JobName[];
  const known = new Set((await boss.getQueues(names)).map(({ name }) => name));
  for (const name of names) {
    if (known.has(name)) await boss.updateQueue(name, QUEUE);
    else await boss.createQueue(name, QUEUE);
    const work = handlers[name] as (data: object) => Promise<void>;
    await boss.work<object>(name, POLLING, async (jobs) => {
      for (const job of jobs) {
        try {
          await work(job.data);
        } catch (error) {
          report(error);
          throw error;
        }
      }
    });
    const cron = SCHEDULE[name];
    if (cron) await boss.schedule(name, cron, {}, { tz: 'UTC' });
  }
  return {
    async enqueue(tx, name, data) {
      await boss.send(name, data, { db: fromPrisma(tx) });
    },
    async stop(timeout = 5000) {
      await boss.stop({ graceful: true, timeout });
    },
  };
}
