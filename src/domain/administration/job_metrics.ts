import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { SILENCE } from '#src/platform/background/process.ts';
import { DEAD_LETTERS } from '#src/platform/background/queue.ts';

/** A queue of background jobs. */
export interface QueueMetrics {
  name: string;
  /** How many jobs are due but not started. */
  backlog: number;
  /** Seconds since the oldest of them was due; 0 without any. */
  latency: number;
}

/** A live process that works on background jobs. */
export interface ProcessMetrics {
  hostname: string;
  pid: number;
  tag: string;
  startedAt: Date;
  queues: string[];
  labels: string[];
  concurrency: number;
  /** How many jobs it is working on. */
  busy: number;
}

/** Totals of jobs since the database was created. */
export interface JobStats {
  /** Completed attempts, including failed ones. */
  processed: number;
  failed: number;
  /** Jobs that are due but not started. */
  enqueued: number;
}

/** A job that failed as often as it may. Its data may hold what is no business of administrators, and is not told. */
export interface DeadJob {
  /** UUID. */
  id: string;
  /** Name of its queue. */
  name: string;
  /** When it was given up. */
  since: Date;
  /** What went wrong the last time, in a line. */
  reason: string;
}

/** How many dead jobs are listed, and characters of their reasons. */
const MAX_DEAD_JOBS = 100;
const MAX_REASON_LENGTH = 500;

/** The jobs that were given up, the latest first, at most a hundred; for administrators. */
export async function deadJobs(context: Context): Promise<DeadJob[]> {
  requireAdmin(context);
  return context.db.$queryRaw<DeadJob[]>`
    SELECT id::text, COALESCE(source_name, name) AS name, created_on AS since,
      COALESCE(left(split_part(output->>'message', E'\\n', 1), ${MAX_REASON_LENGTH}::int), '') AS reason
    FROM pgboss.job WHERE name = ${DEAD_LETTERS} AND state = 'created' ORDER BY created_on DESC, id LIMIT ${MAX_DEAD_JOBS}`;
}

/** All queues with their backlog, by name, for administrators. Dead letters stay in theirs until someone looks at them. */
export async function queueMetrics(context: Context): Promise<QueueMetrics[]> {
  requireAdmin(context);
  return context.db.$queryRaw<QueueMetrics[]>`
    SELECT q.name, count(j.id)::int AS backlog,
      COALESCE(floor(extract(epoch FROM now() - min(GREATEST(j.created_on, j.start_after))))::int, 0) AS latency
    FROM pgboss.queue q LEFT JOIN pgboss.job j ON j.name = q.name AND j.state IN ('created', 'retry') AND j.start_after <= now()
    WHERE NOT starts_with(q.name, '__') GROUP BY q.name ORDER BY q.name`;
}

/** The live processes in order of their start, for administrators. */
export async function processMetrics(context: Context): Promise<ProcessMetrics[]> {
  requireAdmin(context);
  return context.db.$queryRaw<ProcessMetrics[]>`
    SELECT hostname, pid, tag, started_at AS "startedAt", queues, labels, concurrency, busy FROM job_processes
    WHERE seen_at > now() - make_interval(secs => ${SILENCE}) ORDER BY started_at, id`;
}

/** Totals of jobs, for administrators. */
export async function jobStats(context: Context): Promise<JobStats> {
  requireAdmin(context);
  const [stats] = await context.db.$queryRaw<[JobStats]>`
    SELECT LEAST(t.processed + (SELECT COALESCE(sum(processed), 0) FROM job_processes), 2147483647)::int AS processed,
      LEAST(t.failed + (SELECT COALESCE(sum(failed), 0) FROM job_processes), 2147483647)::int AS failed,
      (SELECT count(*)::int FROM pgboss.job j WHERE j.state IN ('created', 'retry') AND j.start_after <= now()
        AND NOT starts_with(j.name, '__') AND j.name <> ${DEAD_LETTERS}) AS enqueued
    FROM job_totals t`;
  return stats;
}
