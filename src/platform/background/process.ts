import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** What a job-running process reports about itself. */
export interface ProcessFacts {
  tag: string;
  queues: readonly string[];
  labels: readonly string[];
  /** How many jobs it works on at once, at most. */
  concurrency: number;
}

/** A process in the list of those that are alive. */
export interface ProcessRecord {
  /** Counts a job that begins. */
  begun(): Promise<void>;
  /** Counts a job that ended. */
  ended(succeeded: boolean): Promise<void>;
  /** Takes the process off the list; what it did stays in the totals. */
  remove(): Promise<void>;
}

/** Milliseconds between two heartbeats. */
const HEARTBEAT_INTERVAL_MS = 5_000;
/** Seconds after the last heartbeat when a process is taken for dead. */
export const SILENCE = 20;

/** Puts this process on the list and keeps it there until it is removed. */
export async function recordProcess(
  db: Db,
  facts: ProcessFacts,
  report: (error: unknown) => void,
): Promise<ProcessRecord> {
  const id = randomUUID();
  const counts = { busy: 0, processed: 0, failed: 0 };
  const { tag, concurrency } = facts;
  const [queues, labels, startedAt] = [[...facts.queues], [...facts.labels], new Date()];
  // Also brings it back where others took it for dead while it stood still: their totals have then what it did till then.
  const save = async () => {
    const update = sql`
      UPDATE job_processes SET busy = ${counts.busy}, processed = ${counts.processed}, failed = ${counts.failed},
        seen_at = now() WHERE id = ${id} RETURNING id`;
    const [found] = await queryRows<{ id: string }>(db, update);
    if (found) return;
    Object.assign(counts, { processed: 0, failed: 0 });
    const insert = sql`
      INSERT INTO job_processes (id, hostname, pid, tag, queues, labels, concurrency, busy, started_at)
      VALUES (${id}, ${hostname()}, ${process.pid}, ${tag}, ${queues}::text[], ${labels}::text[], ${concurrency}, ${counts.busy},
        ${startedAt}) ON CONFLICT DO NOTHING RETURNING id`;
    await queryRows<{ id: string }>(db, insert);
  };
  await save();
  let sign: Promise<unknown> = Promise.resolve();
  const heartbeat = setInterval(() => {
    sign = sign
      .then(save)
      .then(() => removeDead(db))
      .catch(report);
  }, HEARTBEAT_INTERVAL_MS);
  heartbeat.unref();
  return {
    async begun() {
      counts.busy += 1;
      await save().catch(report);
    },
    async ended(succeeded) {
      counts.busy -= 1;
      counts.processed += 1;
      if (!succeeded) counts.failed += 1;
      await save().catch(report);
    },
    async remove() {
      clearInterval(heartbeat);
      // A heartbeat that is under way would bring it back.
      await sign;
      await save();
      await removeWhere(db, id);
    },
  };
}

async function removeDead(db: Db): Promise<void> {
  await removeWhere(db, null);
}

/** Takes one process off the list, or all that are silent for too long; the totals take over what they did. */
async function removeWhere(db: Db, id: string | null): Promise<void> {
  // Several processes look for the dead ones at the same time; a certain one is waited for.
  const chosen =
    id === null
      ? sql`seen_at < now() - make_interval(secs => ${SILENCE}) FOR UPDATE SKIP LOCKED`
      : sql`id = ${id} FOR UPDATE`;
  await db.$executeRaw`
    WITH gone AS (DELETE FROM job_processes WHERE id IN (SELECT id FROM job_processes WHERE ${chosen})
      RETURNING processed, failed)
    UPDATE job_totals SET processed = job_totals.processed + g.processed, failed = job_totals.failed + g.failed
    FROM (SELECT COALESCE(sum(processed), 0) AS processed, COALESCE(sum(failed), 0) AS failed, count(*) AS n FROM gone) g
    WHERE g.n > 0`;
}
