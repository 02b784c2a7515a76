import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { packagePath } from '#src/platform/package_root.ts';
import { openClient } from './client.ts';
import { type Migration, migrate, readMigrations } from './migrate.ts';
import { type AppliedMigration, COPY_SESSION, type Sequence, type Table } from './snapshot.ts';

/** A table of a dump. */
export interface DumpedTable extends Table {
  /** How many rows it has. */
  rows: number;
}

/** The content of a database, apart from where it lies. */
export interface Dump {
  migrations: readonly AppliedMigration[];
  tables: readonly DumpedTable[];
  sequences: readonly Sequence[];
  /** The rows of a table, in the text of COPY. */
  rowsOf(table: DumpedTable): AsyncIterable<Buffer>;
}

/**
 * What stands among the migrations as long as a database is not loaded: every version of the server refuses to work on one
 * with a migration that did not end.
 */
const UNFINISHED = '00000000000000_unfinished_gantry_restore';

const MARK = `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (gen_random_uuid(), '', $1)`;

/** A migration of one statement that PostgreSQL takes outside of transactions only. */
const ALONE = /^(\s|--[^\n]*\n)*create\s+(unique\s+)?index\s+concurrently\b/i;

const { escapeIdentifier } = pg;

/** A database that a dump is loaded into. Until `finish` no server works on it. */
export class Loading implements AsyncDisposable {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /**
   * @param signal breaks off what goes on: it fails then, and nothing of the transaction is kept
   * @throws Error when the database is not empty
   */
  static async begin(url: string, signal?: AbortSignal): Promise<Loading> {
    signal?.throwIfAborted();
    const client = await openClient({ connectionString: url });
    // A statement that takes long does not hold up the end.
    signal?.addEventListener('abort', () => void client.end().catch(() => undefined), { once: true });
    try {
      signal?.throwIfAborted();
      await client.query(COPY_SESSION);
      await refuseFull(client);
      await makeHistory(url);
      await client.query(MARK, [UNFINISHED]);
      return new Loading(client);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /**
   * Makes the tables as the migrations of the dump made them, and fills them, all in one transaction. Constraints and
   * indexes are made behind the rows, which is far quicker, and needs no order of tables. Triggers do not fire.
   *
   * @returns names of tables that are left out, as they do not come from the migrations
   * @throws Error when the dump has migrations that this version does not know
   */
  async load(dump: Dump, onTable: (table: DumpedTable) => void = () => undefined): Promise<string[]> {
    for (const { sql } of migrationsOf(dump)) {
      const apply = () => this.#client.query(sql);
      await (ALONE.test(sql) ? apply() : this.#transaction(apply));
    }
    const tables = await this.#names('r');
    const counters = await this.#names('S');
    const foreign = dump.tables.filter(({ name }) => !tables.has(name)).map(({ name }) => name);
    await this.#transaction(async () => {
      const { drop, make } = await this.#structure();
      for (const statement of drop) await this.#client.query(statement);
      await this.#client.query(`TRUNCATE ${[...tables].map((name) => escapeIdentifier(name)).join(', ')}`);
      for (const table of dump.tables.filter(({ name }) => tables.has(name))) {
        onTable(table);
        await this.copyIn(table, dump.rowsOf(table));
      }
      for (const { name, value, called } of dump.sequences.filter(({ name }) => counters.has(name))) {
        await this.#client.query('SELECT setval($1::regclass, $2::bigint, $3)', [
          escapeIdentifier(name),
          value,
          called,
        ]);
      }
      for (const statement of make) await this.#client.query(statement);
      await this.#client.query(MARK, [UNFINISHED]);
    });
    return foreign;
  }

  /** Fills one table. Throws an Error when there come other than so many rows. */
  async copyIn({ name, columns, rows }: DumpedTable, content: AsyncIterable<Buffer>): Promise<void> {
    const list = columns.map((column) => escapeIdentifier(column)).join(', ');
    const sink = this.#client.query(copyFrom(`COPY ${escapeIdentifier(name)} (${list}) FROM STDIN`));
    await pipeline(Readable.from(content, { objectMode: false }), sink);
    if (sink.rowCount !== rows) throw new Error(`Table ${name} has ${sink.rowCount} rows where ${rows} were expected`);
  }

  /** Runs a statement. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, values)).rows;
  }

  /** Lets servers work on the database. */
  async finish(): Promise<void> {
    await this.#client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [UNFINISHED]);
    await this.#client.query('ANALYZE');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  /** Names of tables (`r`) or sequences (`S`). */
  async #names(kind: 'r' | 'S'): Promise<Set<string>> {
    const rows = await this.query<{ name: string }>(
      'SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = $1',
      [kind],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** Statements that take foreign keys, indexes and triggers out of the way, and those that bring them back. */
  async #structure(): Promise<{ drop: string[]; make: string[] }> {
    const rows = await this.query<{ drop: string; make: string }>(`
      WITH tables AS (SELECT oid, format('%I', relname) AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')
      SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', t.name, c.conname) AS drop,
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', t.name, c.conname, pg_get_constraintdef(c.oid)) AS make, 3 AS rank
      FROM pg_constraint c JOIN tables t ON t.oid = c.conrelid WHERE c.contype = 'f'
      UNION ALL
      SELECT format('DROP INDEX %I', r.relname), pg_get_indexdef(i.indexrelid), 2
      FROM pg_index i JOIN tables t ON t.oid = i.indrelid JOIN pg_class r ON r.oid = i.indexrelid
      WHERE NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype <> 'f')
      UNION ALL
      SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', t.name, g.tgname), format('ALTER TABLE %s ENABLE TRIGGER %I', t.name, g.tgname), 1
      FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal AND g.tgenabled = 'O'
      ORDER BY rank DESC, 1`);
    return { drop: rows.map(({ drop }) => drop), make: rows.map(({ make }) => make).reverse() };
  }

  async #transaction(work: () => Promise<unknown>): Promise<void> {
    await this.#client.query('BEGIN');
    try {
      await work();
      await this.#client.query('COMMIT');
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}

/** The migrations of this version that a dump has. */
function migrationsOf({ migrations }: Dump): Migration[] {
  const known = new Map(
    readMigrations(packagePath('prisma/migrations')).map((migration) => [migration.name, migration]),
  );
  return migrations.map(({ name, checksum }) => {
    const migration = known.get(name);
    if (!migration)
      throw new Error(
        `It has migration ${name}, which this version of Gantry does not know: use the version that it is from, or a later one.`,
      );
    if (migration.checksum !== checksum)
      throw new Error(`It has another migration ${name} than this version of Gantry.`);
    return migration;
  });
}

/** Throws an Error unless the database is empty but for what extensions brought. */
async function refuseFull(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; schema: string }>(`
    SELECT c.relname AS name, n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND NOT starts_with(n.nspname, 'pg_')
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY c.relname = '_prisma_migrations' DESC, n.nspname, c.relname LIMIT 1`);
  const [found] = rows;
  if (!found) return;
  const cure = 'Drop it and create it anew, or name another one in DATABASE_URL.';
  if (found.name === '_prisma_migrations') {
    const left = await client.query('SELECT 1 FROM _prisma_migrations WHERE migration_name = $1', [UNFINISHED]);
    if (left.rowCount !== 0) throw new Error(`The database holds what a restore left that did not end. ${cure}`);
  }
  throw new Error(`The database is not empty: it has a table ${found.schema}.${found.name}. ${cure}`);
}

/** The table of migrations, without any. */
async function makeHistory(url: string): Promise<void> {
  const none = mkdtempSync(path.join(tmpdir(), 'gantry-'));
  try {
    await migrate(url, undefined, none);
  } finally {
    rmSync(none, { recursive: true });
  }
}
