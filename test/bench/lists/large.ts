import pg from 'pg';
import { createDatabase } from '../dataset.ts';
import {
  events,
  type ListsSize,
  listCounts,
  listIssues,
  listPlaces,
  mergeRequests,
  notes,
  ofIssues,
  others,
  pipelines,
  trackers,
} from './dataset.ts';

/** Tables of millions of rows, in which indexes are made when all rows are there. */
const HEAVY = [
  ...['issues', 'issue_assignees', 'issue_labels', 'issue_links', 'award_emoji', 'state_events', 'notes', 'events'],
  ...['audit_events', 'timelogs', 'todos', 'jobs', 'container_tags', 'container_repository_blobs'],
];

/**
 * As createLists, of millions of rows: in two sessions, with indexes made at the end, and without triggers where what they do is done
 * once for all.
 *
 * @returns its URL
 */
export async function createLarge(url: string, size: ListsSize, print: (text: string) => void): Promise<string> {
  const own = await createDatabase(url, 'bench_large', [SETTINGS, ...listPlaces(size)]);
  const indexes = await dropIndexes(own);
  const run = (...statements: string[]) => runAll(own, [SETTINGS, ...statements], print);
  const WITHOUT_TRIGGERS = "SET session_replication_role = 'replica'";
  const WITH_TRIGGERS = 'RESET session_replication_role';
  await Promise.all([run(WITHOUT_TRIGGERS, ...listIssues(size)), run(...pipelines(size), ...others(size))]);
  await run('ANALYZE issues');
  await Promise.all([
    run(
      WITHOUT_TRIGGERS,
      ...notes(size),
      WITH_TRIGGERS,
      ...mergeRequests(size),
      WITHOUT_TRIGGERS,
      ...ofIssues(),
      ...trackers(size),
    ),
    run(WITHOUT_TRIGGERS, ...events(size)),
  ]);
  // What takes longest comes first, so that neither session waits for the other in the end.
  const next = [...listCounts(), ...indexes].values();
  const make = async () => {
    for (const statement of next) await run(WITHOUT_TRIGGERS, statement);
  };
  await Promise.all([make(), make()]);
  await Promise.all([run('VACUUM (ANALYZE, PARALLEL 0) notes, events'), run('VACUUM (ANALYZE, PARALLEL 0) issues')]);
  await run('VACUUM (ANALYZE)', 'CHECKPOINT');
  return own;
}

const SETTINGS = `SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; SET work_mem = '512MB';
  SET max_parallel_maintenance_workers = 0; SELECT setseed(0.75)`;

/** @returns the statements that make the indexes of the large tables again, but for those of constraints, which stay */
async function dropIndexes(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT quote_ident(c.relname) AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
       WHERE t.relname = ANY($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
         AND NOT i.indisunique
       ORDER BY pg_get_indexdef(i.indexrelid) LIKE '%_trgm_ops%' DESC, array_position($2, t.relname::text)`,
      [HEAVY, ['events', 'notes', 'issues']],
    );
    for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
    return rows.map(({ definition }) => definition);
  } finally {
    await client.end();
  }
}

/** Runs statements one after the other in a session of their own, and says which of them took a quarter of a minute. */
async function runAll(url: string, statements: string[], print: (text: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) {
      const begun = performance.now();
      await client.query(statement);
      const seconds = (performance.now() - begun) / 1000;
      if (seconds > 15) print(`${seconds.toFixed(0)} s: ${statement.replace(/\s+/g, ' ').slice(0, 90)}`);
    }
  } finally {
    await client.end();
  }
}
