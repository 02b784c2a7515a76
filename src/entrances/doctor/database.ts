import { hasTable, look } from '#src/platform/database/look.ts';
import { CONTRACT, readMigrations } from '#src/platform/database/migrate.ts';
import { OLDEST_POSTGRES } from '#src/platform/lifecycle/database.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { type Finding, fail, ok, warn } from './check.ts';

/** Milliseconds by which the clocks may differ. */
const CLOCKS = { warn: 2_000, fail: 60_000 };

/** Checks whether the database answers, its version, and how many of its connections are in use. */
export async function checkDatabase(url: string): Promise<Finding> {
  const begun = performance.now();
  return look(url, async (query) => {
    const took = Math.round(performance.now() - begun);
    const [row] = await query<{ version: string; used: number; most: number; size: string; standby: boolean }>(`
      SELECT split_part(current_setting('server_version'), ' ', 1) AS version, pg_is_in_recovery() AS standby,
        (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
        pg_size_pretty(pg_database_size(current_database())) AS size`);
    if (!row) return fail('it gives no answer');
    const facts = `PostgreSQL ${row.version}, ${row.size}, connected in ${took} ms, ${row.used} of ${row.most} connections in use`;
    if (Number.parseInt(row.version, 10) < OLDEST_POSTGRES)
      return fail(facts, `Gantry needs PostgreSQL ${OLDEST_POSTGRES} or later.`);
    if (row.standby)
      return fail(`${facts}; it is a standby, which cannot be written to`, 'Name the primary in DATABASE_URL.');
    if (row.used > row.most * 0.8) return warn(facts, 'Raise max_connections, or put a pooler in front.');
    return ok(facts);
  });
}

/** Checks whether the database has exactly the migrations of this version. */
export async function checkMigrations(url: string): Promise<Finding> {
  return look(url, async (query) => {
    if (!(await hasTable(query, '_prisma_migrations')))
      return warn('the database is empty', 'The first start of the server sets it up.');
    const rows = await query<{ name: string; checksum: string; finished: boolean }>(`
      SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
      WHERE rolled_back_at IS NULL ORDER BY migration_name`);
    const known = new Map(
      readMigrations(packagePath('prisma/migrations')).map(({ name, checksum }) => [name, checksum]),
    );
    const failed = rows.filter(({ finished }) => !finished);
    if (failed.length > 0)
      return fail(
        `did not end: ${names(failed)}`,
        'Restore the database, or repair it and use `prisma migrate resolve`.',
      );
    const unknown = rows.filter(({ name }) => !known.has(name));
    const contracted = unknown.filter(({ name }) => CONTRACT.test(name));
    if (contracted.length > 0) {
      return fail(
        `of a newer version, which took something away: ${names(contracted)}`,
        'Run the version of Gantry that made them, or a later one.',
      );
    }
    const changed = rows.filter(({ name, checksum }) => known.has(name) && known.get(name) !== checksum);
    if (changed.length > 0) return fail(`not those of this version: ${names(changed)}`, 'Install an unchanged Gantry.');
    const applied = new Set(rows.map(({ name }) => name));
    const pending = [...known.keys()].filter((name) => !applied.has(name)).map((name) => ({ name }));
    if (pending.length > 0)
      return warn(`pending: ${names(pending)}`, 'Run `gantry migrate`, or start the server of this version.');
    if (unknown.length > 0) return warn(`of a newer version: ${names(unknown)}`, 'Update Gantry here too.');
    return ok(`all ${rows.length} are applied`);
  });
}

function names(migrations: readonly { name: string }[]): string {
  const shown = migrations.slice(0, 3).map(({ name }) => name);
  return `${shown.join(', ')}${migrations.length > 3 ? ` and ${migrations.length - 3} more` : ''}`;
}

/** Checks whether this machine and the database agree on the time. */
export async function checkClock(url: string): Promise<Finding> {
  return look(url, async (query) => {
    const before = Date.now();
    const [row] = await query<{ now: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now');
    const middle = (before + Date.now()) / 2;
    return judgeClocks((row?.now ?? 0) - middle);
  });
}

/** The result for a difference in milliseconds; positive where the database is ahead. */
export function judgeClocks(difference: number): Finding {
  const distance = Math.round(Math.abs(difference));
  const facts = `the database is ${distance} ms ${difference < 0 ? 'behind' : 'ahead of'} this machine`;
  const advice = 'Have both set by NTP.';
  if (distance > CLOCKS.fail) return fail(facts, advice);
  return distance > CLOCKS.warn ? warn(facts, advice) : ok(facts);
}
