import { all, type Db, Prisma, pageJson, queryJson, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type Alias, table, whole } from './alias.ts';
import type { Params } from './computed_types.ts';
import { factsOf, type ModelName } from './model.ts';
import { asFew, between, chosenOr, type Order, order, placeJson, slice, sorted } from './order.ts';
import { rowsJson, type Source } from './rows.ts';
import type { Selection } from './selection.ts';

const { sql } = Prisma;

/** Rows of a table, under the alias that the condition speaks of. */
export interface Rows<M extends ModelName> {
  rows: Alias<M>;
  where: Prisma.Sql;
  params?: Partial<Params>;
}

export interface OrderedRows<M extends ModelName> extends Rows<M> {
  order: Order<M>;
  /** What stands behind FROM in place of the table: rows of its form under the alias. */
  from?: Prisma.Sql;
}

/** An expression for the JSON of a page of a list, with its total where that is asked for. */
export function pageOfRows<M extends ModelName>(
  selection: Selection<M>,
  { rows, where: ofAll, order: ofList, params = {}, from: of = table(rows) }: OrderedRows<M>,
  page: PageRequest,
): Prisma.Sql {
  const order = chosenOr(ofList, page);
  const where = all([ofAll, ...narrowed(rows, page)]);
  const source = sql`${of} WHERE ${where}`;
  const conditions = all([where, ...between(rows, order, page)]);
  const from = asFew(sql`SELECT ${whole(rows)} FROM ${of} WHERE ${conditions} ${slice(rows, order, page)}`, page);
  const nodes = rowsJson(selection, { from, params, ...inOrder(order, page) });
  return pageJson(nodes, page.withTotal && counted(source, page));
}

/** An expression for how many rows there are, as far as a page's request wants them counted. `source` stands behind FROM. */
export function counted(source: Prisma.Sql, { countUpTo }: PageRequest): Prisma.Sql {
  if (countUpTo === undefined) return sql`(SELECT count(*) FROM ${source})`;
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${source} LIMIT ${countUpTo + 1}) counted)`;
}

/** What the reader of a list narrowed it to, as conditions. */
export function narrowed<M extends ModelName>(rows: Alias<M>, { only = [] }: Pick<PageRequest, 'only'>): Prisma.Sql[] {
  return only.map(({ column, is, value }) => {
    const of: Prisma.Sql = Reflect.get(rows, column);
    if (is === 'contains') return sql`position(lower(${value}) IN lower(${of})) > 0`;
    if (is === 'from') return sql`${of} >= ${value}::timestamptz`;
    if (is === 'until') return sql`${of} <= ${value}::timestamptz`;
    return is === 'at_least' ? sql`${of} >= ${value}` : sql`${of} = ${value}`;
  });
}

/** The order of the rows of a page, and their places where they are wanted. */
export function inOrder<M extends ModelName>(
  order: Order<M>,
  { withPlaces }: PageRequest,
): Pick<Source<M>, 'order' | 'place'> {
  return { order: (row) => sorted(row, order), place: withPlaces ? (row) => placeJson(row, order) : undefined };
}

/** A page of a list, with its total where that is asked for. */
export async function readPage<M extends ModelName, R>(
  db: Pick<Db, '$queryRaw'>,
  selection: Selection<M, R>,
  list: OrderedRows<M>,
  page: PageRequest,
): Promise<Page<R>> {
  const pages = sql`json_build_array(${pageOfRows(selection, list, page)})`;
  const [found] = await readPages<R>(db, page, pages);
  return found ?? { nodes: [], offset: page.offset, total: null };
}

/** The row that meets a condition; undefined without one. */
export async function readRow<M extends ModelName, R>(
  db: Pick<Db, '$queryRaw'>,
  selection: Selection<M, R>,
  list: Rows<M>,
): Promise<R | undefined> {
  const [found] = await readRows(db, selection, list);
  return found;
}

/** The rows that a condition names, in the order of their keys. */
export async function readRows<M extends ModelName, R>(
  db: Pick<Db, '$queryRaw'>,
  selection: Selection<M, R>,
  { rows, where, params = {} }: Rows<M>,
): Promise<R[]> {
  const from = sql`SELECT ${whole(rows)} FROM ${table(rows)} WHERE ${where}`;
  const order = byKey(selection.model);
  return queryJson<R[]>(db, rowsJson(selection, { from, order: (row) => sorted(row, order), params }));
}

/**
 * The rows with these IDs that may be read, in no particular order, in one statement.
 *
 * @param keys what `mayRead` needs to know of a row
 * @param only restricts which rows are looked at
 */
export async function readPermitted<M extends ModelName, R, K extends { id: number }>(
  db: Pick<Db, '$queryRaw'>,
  selection: Selection<M, R>,
  { rows, ids, keys, only }: { rows: Alias<M>; ids: readonly number[]; keys: Selection<M, K>; only?: Prisma.Sql },
  mayRead: (row: K) => boolean | Promise<boolean>,
): Promise<(R & K)[]> {
  const id: Prisma.Sql = Reflect.get(rows, 'id');
  const where = all([sql`${id} = ANY(${[...ids]}::int[])`, ...(only ? [only] : [])]);
  const found = (await readRows(db, selection.with(keys), { rows, where })) as (R & K)[];
  const permitted = await Promise.all(found.map(mayRead));
  return found.filter((_row, index) => permitted[index]);
}

/** The order of the primary key. */
export function byKey<M extends ModelName>(model: M): Order<M> {
  return order(model, factsOf(model).key as Order<M>['by']);
}
