import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Prisma } from '#src/generated/prisma/client.ts';
import type { ReadingPool } from './pool.ts';
import type { StatementNames } from './statement_names.ts';

/** Reads the rows of a statement. */
export type Read = (statement: Prisma.Sql) => Promise<Record<string, unknown>[]>;

/**
 * Reads rows past Prisma's client and its adapter, which take a third of a millisecond of CPU for each statement. Rows hold
 * numbers, booleans, texts and arrays of them; whatever else there is comes as the text that PostgreSQL writes. Errors are
 * those of `$queryRaw`.
 *
 * @param names under which statements are prepared; none where they are not
 */
export function directReader(pool: ReadingPool, names: StatementNames | undefined): Read {
  return async (statement) => {
    const { name = '', text } = names?.textOf(statement) ?? { text: statement.text };
    const query = { name, text, values: statement.values.map(parameter), types: PLAIN };
    const { rows } = await pool.read(query).catch(rethrow);
    return rows;
  };
}

const { JSON: JSON_TEXT, JSONB, DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ, INTERVAL, BYTEA } = pg.types.builtins;
const AS_TEXT: ReadonlySet<number> = new Set([
  ...[JSON_TEXT, JSONB, BYTEA],
  ...[DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ, INTERVAL],
]);
const asText = (value: string) => value;

const PLAIN: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    AS_TEXT.has(oid) ? asText : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Times in UTC, which pg itself would write in the time zone of the process. */
function parameter(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString().replace(/^\+0*/, '');
  return Array.isArray(value) && value.some((one) => one instanceof Date) ? value.map(parameter) : value;
}

/** As Prisma's client tells of failed statements. All else, as DatabaseUnavailable, stays as it is. */
async function rethrow(error: unknown): Promise<never> {
  if (!(error instanceof pg.DatabaseError)) throw error;
  const { code = 'N/A', message } = error;
  throw new Prisma.PrismaClientKnownRequestError(`Raw query failed. Code: \`${code}\`. Message: \`${message}\``, {
    code: 'P2010',
    clientVersion: Prisma.prismaVersion.client,
    meta: { driverAdapterError: await ofAdapter(error) },
  });
}

/** What the driver adapter makes of an error of PostgreSQL. */
async function ofAdapter(error: pg.DatabaseError): Promise<unknown> {
  class Failing extends pg.Pool {
    override query(): never {
      return Promise.reject(error) as never;
    }
  }
  const adapter = await new PrismaPg(new Failing()).connect();
  return adapter.queryRaw({ sql: '', args: [], argTypes: [] }).catch((told: unknown) => told);
}
