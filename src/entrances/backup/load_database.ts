import { installQueues, WAITING_JOBS } from '#src/platform/background/carry.ts';
import { DEAD_LETTERS } from '#src/platform/background/queue.ts';
import type { Dump, DumpedTable, Loading } from '#src/platform/database/load.ts';

/**
 * Loads the tables into the database, and the waiting jobs into the queue of this version. Returns the names of skipped tables,
 * which are not Gantry's.
 */
export async function loadDatabase(
  loading: Loading,
  url: string,
  dump: Dump,
  onStep: (text: string) => void,
): Promise<string[]> {
  const tables = dump.tables.filter(({ name }) => name !== WAITING_JOBS);
  const foreign = await loading.load({ ...dump, tables }, ({ name }) => onStep(`table ${name}`));
  const jobs = dump.tables.find(({ name }) => name === WAITING_JOBS);
  if (jobs) await loadJobs(loading, url, jobs, dump.rowsOf(jobs));
  return foreign;
}

/** Puts jobs back into the queue, whose tables may have other columns than when the backup was made. */
async function loadJobs(loading: Loading, url: string, jobs: DumpedTable, rows: AsyncIterable<Buffer>): Promise<void> {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  await loading.query(
    `CREATE TEMP TABLE carried_jobs (${jobs.columns.map((name) => `${quoted(name)} text`).join(', ')})`,
  );
  await loading.copyIn({ ...jobs, name: 'carried_jobs' }, rows);
  const names = await loading.query<{ name: string }>('SELECT DISTINCT name FROM carried_jobs');
  await installQueues(
    url,
    names.map(({ name }) => name).filter((name) => name !== DEAD_LETTERS),
  );
  const columns = await loading.query<{ name: string; type: string }>(
    `
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = 'pgboss.job'::regclass AND attnum > 0 AND NOT attisdropped AND attname = ANY($1)`,
    [jobs.columns],
  );
  const into = columns.map(({ name }) => quoted(name)).join(', ');
  const from = columns.map(({ name, type }) => `${quoted(name)}::${type}`).join(', ');
  await loading.query(`INSERT INTO pgboss.job (${into}) SELECT ${from} FROM carried_jobs`);
}
