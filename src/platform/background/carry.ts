import { withBoss } from '#src/platform/background/boss.ts';
import { prepareQueues } from '#src/platform/background/queue.ts';

/** How jobs that wait are called among tables. */
export const WAITING_JOBS = 'pgboss.job';

/**
 * The query for the jobs that are yet to be done, dead letters too, with its columns. One that is being worked on is to be
 * tried again: who works on it does so for the database that the job is carried from.
 *
 * @param columns of pgboss.job
 */
export function selectWaiting(columns: readonly string[]): string {
  const values = columns.map((column) => {
    const name = `"${column.replaceAll('"', '""')}"`;
    if (column === 'state') return `CASE WHEN state = 'active' THEN 'retry' ELSE state END AS state`;
    if (column === 'started_on' || column === 'heartbeat_on') return `NULL::timestamptz AS ${name}`;
    return name;
  });
  return `SELECT ${values.join(', ')} FROM pgboss.job
    WHERE state IN ('created', 'retry', 'active') AND NOT starts_with(name, '__') ORDER BY created_on, id`;
}

/** Makes the tables of the job queue, and the queues of these names. */
export function installQueues(url: string, names: readonly string[]): Promise<void> {
  return withBoss(url, (boss) => prepareQueues(boss, names));
}

/** Puts a job of every project into the queue that removes it. */
export function removeProjectsLater(url: string, projectIds: readonly number[]): Promise<void> {
  return withBoss(url, async (boss) => {
    await prepareQueues(boss, ['projects.remove']);
    for (const projectId of projectIds) await boss.send('projects.remove', { projectId });
  });
}
