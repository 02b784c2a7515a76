import { Prisma } from '#src/platform/database/db.ts';
import { type ColumnFacts, enumFacts } from './model.ts';

const { sql, raw, join } = Prisma;

/** A value of the JSON of a row. */
export type Pair = [name: string, value: Prisma.Sql];

/** Pairs as columns of a statement. */
export function asColumns(pairs: Pair[]): Prisma.Sql {
  return join(pairs.map(([name, value]) => sql`${value} AS ${raw(`"${name}"`)}`));
}

/** Pairs of json_build_object, whose arguments PostgreSQL limits to 100. */
const MAX_PAIRS = 50;

/** Pairs as an object. */
export function asObject(pairs: Pair[]): Prisma.Sql {
  if (pairs.length > MAX_PAIRS) return sql`row_to_json((SELECT o FROM (SELECT ${asColumns(pairs)}) o))`;
  return sql`json_build_object(${join(pairs.map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`))})`;
}

/**
 * A column as JSON holds it: numbers that JavaScript cannot represent as text, bytes in Base64, enums by Prisma's names. Lists are
 * there even where the database has none.
 */
export function asJson({ type, isEnum, isList }: ColumnFacts, column: Prisma.Sql): Prisma.Sql {
  const renamed = isEnum ? Object.entries(enumFacts(type).renamed) : [];
  const one = (value: Prisma.Sql) => {
    if (type === 'BigInt' || type === 'Decimal') return sql`${value}::text`;
    if (type === 'Bytes') return sql`translate(encode(${value}, 'base64'), E'\n', '')`;
    if (renamed.length === 0) return value;
    const cases = renamed.map(([stored, name]) => raw(`WHEN '${stored}' THEN '${name}'`));
    return sql`CASE ${value}::text ${join(cases, ' ')} ELSE ${value}::text END`;
  };
  if (!isList) return one(column);
  const item = raw('item');
  return one(item) === item
    ? sql`COALESCE(${column}, '{}')`
    : sql`ARRAY(SELECT ${one(item)} FROM unnest(${column}) WITH ORDINALITY list (item, place) ORDER BY place)`;
}
