import pg from 'pg';
import { given } from '../serve.ts';

const pool = new pg.Pool({
  connectionString: given().databaseUrl,
  max: 10,
  options: '-c TimeZone=UTC -c plan_cache_mode=force_generic_plan',
});

const texts = new Map<string, string>();

/** The first row of a statement, which is written once and prepared under its name. */
export async function one<Row extends pg.QueryResultRow>(
  name: string,
  write: () => string,
  values: unknown[],
  client: pg.Pool | pg.PoolClient = pool,
): Promise<Row | undefined> {
  const text = texts.get(name) ?? write();
  texts.set(name, text);
  return (await client.query<Row>({ name, text, values })).rows[0];
}

/** Runs work in a transaction. */
export async function transaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
