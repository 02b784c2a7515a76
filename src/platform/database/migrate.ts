import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { packagePath } from '#src/platform/package_root.ts';
import { openClient } from './client.ts';
import type { DatabaseLog } from './embedded_options.ts';
import { missingExtension } from './explain_migration.ts';
import { MIGRATE_LOCK } from './lock_names.ts';
import { lockSession } from './take_turns.ts';

/** A migration as it lies in `prisma/migrations/<name>/migration.sql`. */
export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file in hexadecimal, as Prisma records it. */
  checksum: string;
}

interface Recorded {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  rolled_back_at: Date | null;
}

/** The table exactly as Prisma creates it. */
const historyTable = `
  create table if not exists _prisma_migrations (
    id                  varchar(36) primary key not null,
    checksum            varchar(64) not null,
    finished_at         timestamptz,
    migration_name      varchar(255) not null,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`;

/**
 * Milliseconds that a migration waits for a lock on a table, and how often it tries: a long wait would block all later
 * statements of running servers.
 */
const LOCK_TIMEOUT_MS = 2_000;
const ATTEMPTS = 30;

/**
 * What takes something away that the version before needs is named so, and comes a version later than what it takes away:
 * until then servers of both versions work side by side (docs/scaling.md, Rolling upgrades).
 */
export const CONTRACT = /^\d+_contract_/;

/**
 * Brings the database up to date: applies what `prisma/migrations` holds and the database lacks, in the order of the names,
 * each migration in a transaction of its own, but for single statements that PostgreSQL takes outside of one only. Records
 * them as `prisma migrate deploy` does, so either can be used. What a newer version has added does not matter.
 *
 * @returns the names of the migrations applied now
 * @throws Error if a recorded migration failed or was changed since, if one cannot be applied, or if a newer version has
 *   taken away what this one needs
 */
export async function migrate(
  url: string,
  log?: DatabaseLog,
  directory = packagePath('prisma/migrations'),
): Promise<string[]> {
  const migrations = readMigrations(directory);
  const client = await openClient({ connectionString: url });
  try {
    await lockSession(client, MIGRATE_LOCK, () => log?.info('Another process applies migrations: waiting for it'));
    const recorded = await readHistory(client);
    const pending = findPending(migrations, recorded);
    for (const migration of pending) {
      await apply(client, migration);
      log?.debug?.(`Applied migration ${migration.name}`);
    }
    return pending.map((migration) => migration.name);
  } finally {
    // Ending the session releases the advisory lock.
    await client.end();
  }
}

/** Reads all migrations, sorted by name. */
export function readMigrations(directory: string): Migration[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

async function readHistory(client: pg.Client): Promise<Recorded[]> {
  await client.query("set client_min_messages = 'warning'");
  await client.query(historyTable);
  const columns = 'migration_name, checksum, finished_at, rolled_back_at';
  const { rows } = await client.query<Recorded>(`select ${columns} from _prisma_migrations order by started_at`);
  return rows.filter((row) => row.rolled_back_at === null);
}

function findPending(migrations: Migration[], recorded: Recorded[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of recorded) {
    if (row.finished_at === null) {
      throw new Error(
        `Migration ${row.migration_name} failed earlier. Repair the database, then mark it with \`prisma migrate resolve\`.`,
      );
    }
    const migration = known.get(row.migration_name);
    if (migration === undefined) {
      if (!CONTRACT.test(row.migration_name)) continue;
      throw new Error(
        `The database has migration ${row.migration_name}, which this version of Gantry does not know: a newer version has taken away what this one needs.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new Error(`Migration ${row.migration_name} was changed after it had been applied to this database.`);
    }
  }
  const applied = new Set(recorded.map((row) => row.migration_name));
  return migrations.filter((migration) => !applied.has(migration.name));
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await (CONCURRENTLY.test(migration.sql) ? applyAlone(client, migration) : applyWhole(client, migration));
    } catch (error) {
      // Others use the tables: it gives way, be it in time or as the one that a deadlock breaks off.
      const isLocked = IN_USE.includes((error as { code?: string }).code ?? '');
      if (isLocked && attempt < ATTEMPTS) continue;
      const reason = missingExtension(error) ?? (error as Error).message;
      throw new Error(`Migration ${migration.name} could not be applied: ${reason}`, { cause: error });
    }
  }
}

/** SQLSTATE of a lock that was not to be had in time, and of a deadlock. */
const IN_USE = ['55P03', '40P01'];

/** A script of one statement that builds an index while others write. */
const CONCURRENTLY = /^(\s|--[^\n]*\n)*create\s+(unique\s+)?index\s+concurrently\s+(?<name>"?\w+"?)\s+on\b[^;]*;?\s*$/i;

async function applyWhole(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    // Without parameters the simple protocol is used, which takes a whole script.
    await client.query(migration.sql);
    await record(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** What an attempt that was broken off has left behind is an index that nothing uses: it is built anew. */
async function applyAlone(client: pg.Client, migration: Migration): Promise<void> {
  const name = CONCURRENTLY.exec(migration.sql)?.groups?.name ?? '';
  await client.query(`drop index concurrently if exists ${name}`);
  await client.query(migration.sql);
  await record(client, migration);
}

async function record(client: pg.Client, { checksum, name }: Migration): Promise<void> {
  await client.query(
    `insert into _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
     values (gen_random_uuid(), $1, clock_timestamp(), $2, now(), 1)`,
    [checksum, name],
  );
}
