import type pg from 'pg';
import { openClient } from './client.ts';

/** Milliseconds until a connection or a statement of a read-only check is given up. */
const QUERY_TIMEOUT_MS = 10_000;

/** Runs work on a connection of its own, which only reads and gives up soon. */
export async function look<T>(url: string, work: (query: Look) => Promise<T>): Promise<T> {
  const settings = { connectionTimeoutMillis: QUERY_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS };
  const client = await openClient({ connectionString: url, ...settings });
  try {
    await client.query(`SET default_transaction_read_only = on; SET statement_timeout = ${QUERY_TIMEOUT_MS}`);
    return await work(async (text, values = []) => (await client.query(text, values)).rows);
  } finally {
    await client.end();
  }
}

/** The rows of a statement. */
export type Look = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Whether there is a table of this name. */
export async function hasTable(query: Look, name: string): Promise<boolean> {
  const [row] = await query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name]);
  return row?.found === true;
}
