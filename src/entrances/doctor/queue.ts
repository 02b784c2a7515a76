import { SILENCE } from '#src/platform/background/process.ts';
import { DEAD_LETTERS } from '#src/platform/background/queue.ts';
import { hasTable, look } from '#src/platform/database/look.ts';
import { type Finding, ok, warn } from './check.ts';

/** Seconds that a job may wait without a warning. */
const LONG = 5 * 60;

interface Row {
  workers: number;
  waiting: number;
  oldest: number;
  dead: number;
}

/** Checks whether a process works on jobs, how long they wait, and whether some have failed for good. */
export async function checkQueue(url: string): Promise<Finding> {
  return look(url, async (query) => {
    if (!(await hasTable(query, 'pgboss.job'))) return ok('it is not there yet; the first start makes it');
    const [row] = await query<Row>(
      `
      SELECT (SELECT count(*)::int FROM job_processes WHERE seen_at > now() - make_interval(secs => $1)) AS workers,
        count(*) FILTER (WHERE waits)::int AS waiting,
        COALESCE(max(extract(epoch FROM now() - GREATEST(created_on, start_after))) FILTER (WHERE waits), 0)::int AS oldest,
        count(*) FILTER (WHERE name = $2)::int AS dead
      FROM (SELECT *, name <> $2 AND start_after <= now() AS waits FROM pgboss.job
        WHERE state IN ('created', 'retry') AND NOT starts_with(name, '__')) jobs`,
      [SILENCE, DEAD_LETTERS],
    );
    const { workers, waiting, oldest, dead } = row ?? { workers: 0, waiting: 0, oldest: 0, dead: 0 };
    const facts = `processes at work: ${workers}, jobs waiting: ${waiting}${waiting > 0 ? ` (the oldest for ${oldest} s)` : ''}, given up: ${dead}`;
    if (dead > 0) return warn(facts, 'See `gantry jobs dead`, and `gantry jobs retry` when the cause is gone.');
    if (waiting > 0 && oldest > LONG)
      return warn(facts, workers === 0 ? 'Start the server, or `gantry work`.' : 'Start more of `gantry work`.');
    return workers === 0 ? ok(`${facts}; the server, or \`gantry work\`, does the jobs when it runs`) : ok(facts);
  });
}
