import { PLACE, Prisma } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import type { CursorPosition, Direction, PageRequest } from '#src/platform/page.ts';
import { type Alias, SORT_KEY, sortKey } from './alias.ts';
import { type ColumnFacts, type Columns, enumFacts, factsOf, type ModelName } from './model.ts';

const { sql, raw, join } = Prisma;

/** The order of a list: by columns in one direction, the last of which tells all rows apart. An index serves it. */
export interface Order<M extends ModelName = ModelName> {
  model: M;
  by: readonly (keyof Columns[M] & string)[];
  direction: Direction;
  /** Where rows are of which the first column is null, if it may be: above all others, or last in either direction. */
  nulls?: 'above' | 'last' | undefined;
  /** Whether a whole number comes before the columns that rows have beside them (`sortKey`), which is worked out for each. */
  isKeyed?: boolean;
}

/** The order of a model's rows by some columns. */
export function order<M extends ModelName>(
  model: M,
  by: Order<M>['by'],
  direction: Direction = 'asc',
  rest: Pick<Order, 'nulls' | 'isKeyed'> = {},
): Order<M> {
  return { model, by, direction, ...rest };
}

/** The order of a page: what its reader chose, or else that of the list. */
export function chosenOr<M extends ModelName>(of: Order<M>, { order: chosen }: Pick<PageRequest, 'order'>): Order<M> {
  if (!chosen) return of;
  const { by, direction, nulls } = chosen;
  return order(of.model, by as Order<M>['by'], direction, { nulls });
}

/** What stands behind ORDER BY; the other way round where the last rows come first. */
export function sorted<M extends ModelName>(
  row: Alias<M>,
  { by, direction, nulls, isKeyed }: Order<M>,
  isBackwards = false,
): Prisma.Sql {
  const end = raw((direction === 'desc') !== isBackwards ? 'DESC' : 'ASC');
  const place = nulls === 'last' ? raw(isBackwards ? ' NULLS FIRST' : ' NULLS LAST') : Prisma.empty;
  const columns = by.map((column, index) => sql`${row[column]} ${end}${index === 0 ? place : Prisma.empty}`);
  return join(isKeyed ? [sql`${sortKey(row)} ${end}`, ...columns] : columns);
}

/** A JSON object for the place of a row. */
export function placeJson<M extends ModelName>(row: Alias<M>, { model, by, isKeyed }: Order<M>): Prisma.Sql {
  const { columns } = factsOf(model);
  const values = by.map((column) => sql`${raw(`'${columns[column]?.name}'`)}, ${row[column]}`);
  return sql`json_build_object(${join(isKeyed ? [sql`${raw(`'${SORT_KEY}'`)}, ${sortKey(row)}`, ...values] : values)})`;
}

/** As a pair of a JSON object that is written by hand. */
export function placePair<M extends ModelName>(row: Alias<M>, of: Order<M>): Prisma.Sql {
  return sql`${raw(`'${PLACE}'`)}, ${placeJson(row, of)}`;
}

/**
 * The conditions for rows of which a page is: behind one place, before another.
 *
 * @throws ValidationFailed for a place that is of another order
 */
export function between<M extends ModelName>(
  row: Alias<M>,
  of: Order<M>,
  { after, before }: PageRequest,
): Prisma.Sql[] {
  return [
    ...(after ? [beyond(row, of, place('after', of, after), true)] : []),
    ...(before ? [beyond(row, of, place('before', of, before), false)] : []),
  ];
}

/** What stands behind ORDER BY, and how many of it are read: one more than wanted where it matters whether there is more. */
export function slice<M extends ModelName>(row: Alias<M>, of: Order<M>, page: PageRequest): Prisma.Sql {
  const limit = page.limit + (page.withPlaces ? 1 : 0);
  return sql`ORDER BY ${sorted(row, of, page.isBackwards)} LIMIT ${limit} OFFSET ${page.offset}`;
}

/** Rows of a page that a client asks for, at the most, and one that tells whether there are more. */
const MAX_SMALL_PAGE_ROWS = 101;

/**
 * The statement for the rows of a page, in a form that says how few they are. Plans are for all values, and for a limit that is a
 * parameter PostgreSQL expects a tenth of all rows, for which it would read whole tables.
 */
export function asFew(statement: Prisma.Sql, { limit }: PageRequest): Prisma.Sql {
  return limit < MAX_SMALL_PAGE_ROWS
    ? sql`SELECT * FROM (${statement}) few LIMIT ${raw(String(MAX_SMALL_PAGE_ROWS))}`
    : statement;
}

function beyond<M extends ModelName>(
  row: Alias<M>,
  { model, by, direction, nulls, isKeyed }: Order<M>,
  at: CursorPosition,
  isBehind: boolean,
): Prisma.Sql {
  const { table, columns } = factsOf(model);
  const values = by.map((column) => {
    const given = at[nameOf(columns, column)];
    const { isEnum = false, type = '' } = columns[column] ?? {};
    // What is no value of the enum is behind and before nothing.
    if (isEnum)
      return sql`(SELECT z FROM unnest(enum_range(NULL::${raw(`"${enumFacts(type).type}"`)})) z WHERE z::text = ${given})`;
    // PostgreSQL reads the value as it reads the column; as a value by itself it leads into the index.
    const value = JSON.stringify({ [nameOf(columns, column)]: given });
    return sql`(SELECT z.${raw(`"${nameOf(columns, column)}"`)} FROM json_populate_record(NULL::${raw(`"${table}"`)}, ${value}::json) z)`;
  });
  const than = raw((direction === 'asc') === isBehind ? '>' : '<');
  const keys = isKeyed ? [sortKey(row)] : [];
  const given = isKeyed ? [sql`${at[SORT_KEY]}::bigint`] : [];
  const all = sql`(${join([...keys, ...by.map((column) => row[column])])}) ${than} (${join([...given, ...values])})`;
  const [first, ...rest] = by;
  if (!nulls || first === undefined) return all;
  const areNullsThere = (nulls === 'last' || direction === 'asc') === isBehind;
  if (at[nameOf(columns, first)] !== null) return areNullsThere ? sql`(${all} OR ${row[first]} IS NULL)` : all;
  const among = sql`${row[first]} IS NULL AND (${join(rest.map((column) => row[column]))}) ${than} (${join(values.slice(1))})`;
  return areNullsThere ? sql`(${among})` : sql`(${among} OR ${row[first]} IS NOT NULL)`;
}

function nameOf(columns: Readonly<Record<string, ColumnFacts>>, column: string): string {
  const { name } = columns[column] ?? {};
  if (name === undefined) throw new Error(`There is no column ${column}`);
  return name;
}

/** A place that clients have sent. Throws ValidationFailed. */
function place<M extends ModelName>(
  name: string,
  { model, by, nulls, isKeyed }: Order<M>,
  given: CursorPosition,
): CursorPosition {
  const { columns } = factsOf(model);
  const names = by.map((column) => nameOf(columns, column));
  const isOfList =
    Object.keys(given).length === names.length + (isKeyed ? 1 : 0) &&
    (!isKeyed || isValue('BigInt', given[SORT_KEY])) &&
    by.every((column, index) => {
      const value = given[names[index] ?? ''];
      if (value === null) return index === 0 && nulls !== undefined;
      return isValue(columns[column]?.type ?? '', value);
    });
  if (!isOfList) throw new ValidationFailed({ [name]: ['is not a cursor of this list'] });
  return given;
}

/** Whether a column of that type, by Prisma's names, can hold a value. */
function isValue(type: string, value: unknown): boolean {
  if (type === 'Int') return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
  if (type === 'BigInt') return Number.isSafeInteger(value);
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return false;
  return (type !== 'DateTime' && type !== 'Date') || isMoment(value);
}

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/;

/** A moment, or a day, as PostgreSQL writes it in JSON. */
function isMoment(text: string): boolean {
  const [, year, month, day] = MOMENT.exec(text) ?? [];
  if (year === undefined || year === '0000') return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}
