import type pg from 'pg';
import { type ColumnFacts, factsOf, type ModelName } from '#src/platform/records/model.ts';
import { models } from '../../src/generated/models.ts';

/** Rows that each table gets. */
export const ROWS = 4;

/** How often the values of a row are thrown anew when the database does not take them. */
const ATTEMPTS = 200;

/**
 * Puts rows into all tables, which are emptied before: of every column some value, of what may be missing every second one,
 * of relations rows that are there. Of all that the database checks only types and uniqueness are left.
 */
export async function fillTables(client: pg.Client): Promise<void> {
  await client.query('SET session_replication_role = replica');
  const checks = await client.query(`SELECT conrelid::regclass AS "table", conname AS name FROM pg_constraint
    WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conrelid <> 0`);
  for (const { table, name } of checks.rows) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
  const { rows } = await client.query(
    'SELECT t.typname, e.enumlabel FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid',
  );
  const labels = Map.groupBy(rows, ({ typname }) => typname);
  const names = Object.keys(models) as ModelName[];
  for (const name of names) await client.query(`DELETE FROM "${factsOf(name).table}"`);
  const dice = seeded(7);
  for (const name of names) {
    const stored = await client.query(
      `SELECT column_name AS name, is_nullable = 'YES' AS nullable, udt_name AS type, is_generated = 'ALWAYS' AS made
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
      [factsOf(name).table],
    );
    const columns = stored.rows.filter(({ made }) => !made);
    for (let row = 1; row <= ROWS; row += 1) await insert(client, name, row, columns, labels, dice);
    const [key = ''] = factsOf(name).key;
    await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [
      `"${factsOf(name).table}"`,
      factsOf(name).columns[key]?.name,
      ROWS,
    ]);
  }
  await client.query('SET session_replication_role = DEFAULT');
}

interface Stored {
  name: string;
  nullable: boolean;
  type: string;
}

async function insert(
  client: pg.Client,
  model: ModelName,
  row: number,
  stored: Stored[],
  labels: Map<string, { enumlabel: string }[]>,
  dice: () => number,
): Promise<void> {
  const { table, columns, relations, key } = factsOf(model);
  const pointing = new Set(
    Object.values(relations).flatMap(({ from, to, model: other }) => (isKey(other, to) ? from : [])),
  );
  const there = await rowsPointedAt(client, Object.values(relations));
  for (let attempt = 1; ; attempt += 1) {
    const some: Record<string, unknown> = Object.assign(
      {},
      ...there.map((rows) => rows[Math.floor(dice() * rows.length)]),
    );
    const values = stored.map(({ name, nullable, type }) => {
      const [field = name, facts] = Object.entries(columns).find(([, column]) => column.name === name) ?? [];
      if (key.length === 1 && key[0] === field && !pointing.has(field))
        return facts?.type === 'String' ? `key ${row}` : row;
      if (nullable && dice() < 0.5) return null;
      if (field in some) return some[field];
      if (pointing.has(field)) {
        const other = 1 + Math.floor(dice() * ROWS);
        return facts?.type === 'String' ? `key ${other}` : other;
      }
      const of = labels.get(type.replace(/^_/, ''))?.map(({ enumlabel }) => enumlabel);
      return madeUp(facts ?? { name, type }, type, dice, of);
    });
    try {
      const names = stored.map(({ name }) => `"${name}"`).join();
      await client.query(
        `INSERT INTO "${table}" (${names}) VALUES (${values.map((_, n) => `$${n + 1}`).join()})`,
        values,
      );
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw new Error(`${table}: ${(error as Error).message} ${JSON.stringify(values)}`);
    }
  }
}

/** The rows that relations by several columns may lead to, as far as there are any yet, by the columns that they have here. */
async function rowsPointedAt(
  client: pg.Client,
  relations: readonly { model: ModelName; from: readonly string[]; to: readonly string[] }[],
): Promise<Record<string, unknown>[][]> {
  const found: Record<string, unknown>[][] = [];
  for (const { model, from, to } of relations) {
    if (from.length < 2 || !isKey(model, to)) continue;
    const { table, columns } = factsOf(model);
    const names = to.map((name, at) => `"${columns[name]?.name}" AS "${from[at]}"`);
    const { rows } = await client.query(
      `SELECT ${names.join()} FROM "${table}" ORDER BY ${to.map((_, at) => at + 1).join()}`,
    );
    if (rows.length > 0) found.push(rows);
  }
  return found;
}

/** Whether these columns are what rows of the model are found by. */
function isKey(model: ModelName, columns: readonly string[]): boolean {
  const { key } = factsOf(model);
  return key.length === columns.length && key.every((name) => columns.includes(name));
}

function madeUp({ isList }: ColumnFacts, type: string, dice: () => number, labels?: string[]): unknown {
  const any = Math.floor(dice() * 1_000);
  const one = () => {
    if (labels) return labels[any % labels.length];
    switch (type.replace(/^_/, '')) {
      case 'bool':
        return any % 2 === 0;
      case 'int4':
        return any;
      case 'int8':
        return String(9_007_199_254_740_993n + BigInt(any));
      case 'float8':
        return any / 7;
      case 'timestamptz':
        return new Date(1_700_000_000_000 + any * 86_399_123);
      case 'date':
        return `2026-0${1 + (any % 9)}-1${any % 10}`;
      case 'bytea':
        return Buffer.alloc(32 + (any % 64), any);
      case 'uuid':
        return `00000000-0000-4000-8000-${String(any).padStart(12, '0')}`;
      case 'json':
      case 'jsonb':
        return JSON.stringify({ any, list: [1, 'two', null], text: 'ä"\\' });
      default:
        return `some "text" \\ with ä € 𝄞 ${any}`.slice(any % 5);
    }
  };
  return isList || type.startsWith('_') ? Array.from({ length: any % 3 }, one) : one();
}

/** Numbers between 0 and 1, the same each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
