import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '#src/generated/prisma/client.ts';
import { ContentTooLarge } from '../errors.ts';
import { currentBudget } from '../limits/budget.ts';
import type { CursorPosition, Page, PageRequest } from '../page.ts';
import { directReader, type Read } from './direct.ts';
import { meteredPool } from './pool.ts';
import type { OutageListener } from './presence.ts';
import { SESSION } from './session.ts';
import { StatementNames } from './statement_names.ts';
import { lastingTransactions } from './transactions.ts';

export { Prisma };
/** The database: the one Prisma client of the process. */
export type Db = PrismaClient;
/** What runs inside an interactive transaction. */
export type Transaction = Prisma.TransactionClient;

const sessionOptions = Object.entries(SESSION)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Milliseconds that a transaction may wait for a connection, and may take: a busy server is slow, and does not fail for it. */
const TRANSACTION_TIMEOUTS_MS = { maxWait: 10_000, timeout: 30_000 };

export interface ConnectOptions {
  /**
   * Whether a pooler stands between that lends sessions by the transaction: it takes no settings of a session, which the
   * role has by itself then (prepareRole).
   */
  pooled?: boolean;
  /** Whether statements are prepared once for each connection; poolers that are too old lose them. */
  preparedStatements?: boolean;
  /** How many connections at most. */
  connections?: number;
  /** Called with the text of each statement before it runs. */
  heard?: ((statement: string) => void) | undefined;
  /** Called with outages of the database. */
  outages?: OutageListener | undefined;
}

/**
 * Connects, lazily, to the PostgreSQL at `url`. What short outages and deadlocks break off is run again where that does no
 * harm (`meteredPool`, `lastingTransactions`); else statements throw DatabaseUnavailable.
 */
export function connect(url: string, options: ConnectOptions = {}): Db {
  const { connections = 10, pooled = false, preparedStatements = true, outages, heard } = options;
  const session = pooled ? {} : { options: sessionOptions };
  const pool = meteredPool({ connectionString: url, max: connections, ...session }, { outages, heard });
  const names = preparedStatements ? new StatementNames() : undefined;
  const adapter = new PrismaPg(pool, {
    ...(names && { statementNameGenerator: ({ sql }) => names.nameOf(sql) }),
    disposeExternalPool: true,
  });
  // The longer formats of errors quote the values of a statement, which may be secret and do not belong into a log.
  const client = new PrismaClient({
    adapter,
    errorFormat: 'minimal',
    transactionOptions: TRANSACTION_TIMEOUTS_MS,
    log: [],
  });
  readers.set(client, directReader(pool, names));
  const disconnect = client.$disconnect.bind(client);
  // A client that only read directly has not connected, and would leave the pool open.
  const end = async () => {
    await disconnect();
    if (!pool.ending) await pool.end();
  };
  Object.assign(client, { $disconnect: end });
  return lastingTransactions(client, deadlocked);
}

/** By their clients; those of transactions have none. */
const readers = new WeakMap<object, Read>();

/** Bytes of the largest JSON that comes out of one statement: it is in memory several times until it is sent. */
const MAX_JSON_BYTES = 24 * 1024 * 1024;
const MAX_JSON_BYTES_SQL = Prisma.raw(String(MAX_JSON_BYTES));

/**
 * The value of an SQL expression of type json, read as text and parsed once: Prisma walks json columns value by value.
 * Throws ContentTooLarge when there is more of it than one answer may hold.
 */
export async function queryJson<T>(db: Pick<Db, '$queryRaw'>, json: Prisma.Sql): Promise<T> {
  // OFFSET keeps the expression in one place: without it PostgreSQL puts a copy wherever `text` stands, and works each of
  // them out.
  const [row] = await queryRows<{ json: string | null }>(
    db,
    Prisma.sql`
    SELECT CASE WHEN octet_length(text) > ${MAX_JSON_BYTES_SQL} THEN '' ELSE text END AS json
    FROM (SELECT (${json})::text AS text OFFSET 0) AS answer`,
  );
  const text = row?.json ?? null;
  if (text === '') {
    throw new ContentTooLarge(
      `The result is larger than ${MAX_JSON_BYTES / 1024 / 1024} MiB; ask for fewer records at once`,
    );
  }
  currentBudget()?.spendBytes(text?.length ?? 0);
  return JSON.parse(text as string);
}

/** What columns of `queryRows` hold. */
type Plain = string | number | boolean | string[] | number[] | null;

/**
 * The rows of a statement that runs often, or before the client's compiler is loaded: nothing but numbers, booleans and texts.
 */
export async function queryRows<Row extends { readonly [Name in keyof Row]: Plain }>(
  db: Pick<Db, '$queryRaw'>,
  statement: Prisma.Sql,
): Promise<Row[]> {
  const read = readers.get(db);
  return read ? ((await read(statement)) as Row[]) : db.$queryRaw<Row[]>(statement);
}

/**
 * A page of a list from an expression for the JSON array of its records; the total is null when not given. Both may speak of
 * `common`, subqueries as they stand behind WITH.
 */
export async function queryPage<T>(
  db: Pick<Db, '$queryRaw'>,
  request: PageRequest,
  nodes: Prisma.Sql,
  total: Prisma.Sql | false,
  common?: Prisma.Sql,
): Promise<Page<T>> {
  const both = pageJson(nodes, total);
  const json = common ? Prisma.sql`WITH ${common} SELECT ${both}` : both;
  const found = await queryJson<Found<T>>(db, json);
  currentBudget()?.spendRows(found.nodes.length);
  return paged(found, request);
}

/** An expression for the JSON of a page. */
export function pageJson(nodes: Prisma.Sql, total: Prisma.Sql | false): Prisma.Sql {
  return Prisma.sql`json_build_object('nodes', ${nodes}, 'total', ${total || Prisma.sql`NULL`})`;
}

/** Pages of several lists from an expression for the JSON array of them, each with `nodes` and `total`. */
export async function readPages<T>(
  db: Pick<Db, '$queryRaw'>,
  request: PageRequest,
  pages: Prisma.Sql,
): Promise<Page<T>[]> {
  const found = await queryJson<Found<T>[]>(db, pages);
  for (const { nodes } of found) currentBudget()?.spendRows(nodes.length);
  return found.map((page) => paged(page, request));
}

/** The name of a row's place in the order, next to its columns. */
export const PLACE = '@place';

interface Found<T> {
  nodes: T[];
  total: number | null;
}

/** A page from what was read: where places are wanted that is one row more, which tells that there is more. */
function paged<T>({ nodes, total }: Found<T>, { limit, offset, isBackwards, withPlaces }: PageRequest): Page<T> {
  if (!withPlaces) return { nodes, total, offset };
  const hasMore = nodes.length > limit;
  const own = isBackwards ? nodes.slice(-limit || nodes.length) : nodes.slice(0, limit);
  const places = own.map((node) => (node as { [PLACE]: CursorPosition })[PLACE]);
  return { nodes: own, total, offset, places, hasMore };
}

/** Joins conditions with AND; no condition is true. */
export function all(conditions: Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.join(conditions, ' AND ');
}

/** The pattern that finds `text` anywhere with LIKE, its own wildcards taken literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Whether an index of trigrams can find a text within others. What is shorter has none: PostgreSQL would read such an index
 * from end to end, which takes longer than to look at the rows.
 */
export function hasTrigrams(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text);
}

/** Whether a column, or an expression, holds a pattern; written so that no index is used for it. */
export function holds(column: Prisma.Sql, pattern: string): Prisma.Sql {
  return Prisma.sql`(${column} || '') ILIKE ${pattern}`;
}

/** Whether an error of Prisma says that a unique constraint was violated; with a name, that very one. */
export function violates(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const text = JSON.stringify(error.meta ?? {}) + error.message;
  const unique = error.code === 'P2002' || (error.code === 'P2010' && text.includes('23505'));
  return unique && (constraint === undefined || text.includes(constraint));
}

/** Whether an error says that a text has a character that the database cannot keep: NUL. */
export function unstorable(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && JSON.stringify(error.meta ?? {}).includes('"22021"');
}

/**
 * What a new or changed row refers to that is no more, as columns name it: `project`, `trigger`. Null for any other error.
 */
export function vanished(error: unknown): string | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  const text = JSON.stringify(error.meta ?? {});
  if (!text.includes('"23503"') || !text.includes('insert or update on table')) return null;
  return /(?<![a-z])([a-z]+)_id_fkey/.exec(text)?.[1] ?? null;
}

/** Whether PostgreSQL rolled a transaction back because of a concurrent one: it can be retried. */
export function deadlocked(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  return error.code === 'P2034' || /"(40P01|40001)"/.test(JSON.stringify(error.meta ?? {}));
}
