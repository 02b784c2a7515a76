import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openClient } from './client.ts';

/** A table whose rows are carried from one database to another. */
export interface Table {
  /** Of the table, without its schema; or what to call rows that `select` chooses. */
  name: string;
  columns: readonly string[];
  /** The query whose result is carried, where it is not the whole table. */
  select?: string;
}

/** How far a sequence has come. */
export interface Sequence {
  name: string;
  /** A bigint as text. */
  value: string;
  called: boolean;
}

/** A migration that was applied to a database. */
export interface AppliedMigration {
  name: string;
  /** SHA-256 in hexadecimal. */
  checksum: string;
}

/**
 * What values look like in COPY's text: the same for every server, whatever its settings and its version. A transaction may
 * stay open as long as the copy takes.
 */
export const COPY_SESSION = [
  "SET timezone = 'UTC'",
  "SET datestyle = 'ISO, YMD'",
  "SET intervalstyle = 'postgres'",
  "SET bytea_output = 'hex'",
  'SET extra_float_digits = 1',
  "SET client_encoding = 'UTF8'",
  'SET synchronize_seqscans = off',
  'SET statement_timeout = 0',
  'SET idle_in_transaction_session_timeout = 0',
].join(';');

/** A database as it is at one moment, however long one looks at it and whatever is written meanwhile. */
export class Snapshot implements AsyncDisposable {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Takes the snapshot. Throws what pg says when the database cannot be reached. */
  static async open(url: string): Promise<Snapshot> {
    const client = await openClient({ connectionString: url });
    try {
      await client.query(COPY_SESSION);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // The first statement is what takes it.
      await client.query('SELECT 1');
    } catch (error) {
      await client.end();
      throw error;
    }
    return new Snapshot(client);
  }

  /** The rows of a statement in the snapshot; for few of them. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, values)).rows;
  }

  /** All tables of the schema that the server uses, by name. */
  async tables(): Promise<Table[]> {
    return this.query<{ name: string; columns: string[] }>(`
      SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' GROUP BY c.relname ORDER BY c.relname`);
  }

  /** Sequences go on counting while the snapshot stands: their values are those of now, which is as good. */
  async sequences(): Promise<Sequence[]> {
    const names = await this.query<{ name: string }>(`
      SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'S' ORDER BY 1`);
    const sequences: Sequence[] = [];
    for (const { name } of names) {
      const [row] = await this.query<{ value: string; called: boolean }>(
        `SELECT last_value::text AS value, is_called AS called FROM ${pg.escapeIdentifier(name)}`,
      );
      if (row) sequences.push({ name, ...row });
    }
    return sequences;
  }

  /** The migrations that the database has, by name. */
  async migrations(): Promise<AppliedMigration[]> {
    const [table] = await this.query<{ found: boolean }>(
      "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found",
    );
    if (!table?.found) return [];
    return this.query<AppliedMigration>(`
      SELECT migration_name AS name, checksum FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`);
  }

  /** The rows of a table as COPY writes them, a line each, in chunks; returns how many there were. */
  async *rows({ name, columns, select }: Table): AsyncGenerator<Buffer, number> {
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
    const what = select === undefined ? `${pg.escapeIdentifier(name)} (${list})` : `(${select})`;
    const stream = this.#client.query(copyTo(`COPY ${what} TO STDOUT`));
    for await (const chunk of stream) yield chunk;
    // The count comes behind the rows: with the answer to this it has come.
    await this.#client.query('SELECT 1');
    return stream.rowCount;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
