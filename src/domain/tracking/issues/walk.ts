import { type IssueOrder, orderOf } from '#src/domain/tracking/issues/page.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import type { PageRequest } from '#src/platform/page.ts';
import { alias, table, whole } from '#src/platform/records/alias.ts';
import { between, sorted } from '#src/platform/records/order.ts';

const { sql, raw, join } = Prisma;
const issue = alias('Issue', 'i');

/** Up to so many places are read one after the other. */
const MANY_PLACES = 500;

/** How many issues are looked at: this many, and so many for each one that the page needs. */
const [AT_LEAST, FOR_EACH] = [20_000, 20];

/** Of how many of the newest issues it is said how many there are in all, and how many times more than is counted are by far more. */
const [SAMPLE, FAR] = [5_000, 4];

/** Orders for which an index has the issues of the whole server. */
const INDEXED: readonly string[] = ['created_at', 'updated_at'] satisfies IssueOrder['by'][];

/** What a look at the first issues of the server finds. */
export interface Walk {
  /** The subquery `walked`. */
  subquery: Prisma.Sql;
  /** Whether it has all that the page needs. */
  suffices: Prisma.Sql;
  /** Whether there are by far more than the page's request wants counted, going by the newest issues; absent where all are counted. */
  isLarge?: Prisma.Sql | undefined;
}

/**
 * The issues for a page of a list across many projects, found by looking at the first issues of the server in the order of the list: of
 * most lists they are soon found there, where the first ones of each project would have to be read to be merged. Where few of what is
 * looked at is in the list, it does not suffice. Null for orders without an index. Speaks of the subquery `places`.
 *
 * @param columns of the issue that are wanted
 * @param conditions on the issue, `i`
 */
export function walk(
  columns: Prisma.Sql,
  conditions: readonly Prisma.Sql[],
  order: IssueOrder,
  page: PageRequest,
): Walk | null {
  if (!INDEXED.includes(order.by)) return null;
  const reach = page.limit + page.offset + 1;
  // A power of two keeps statements few. PostgreSQL would expect a tenth of all rows for a limit that is a parameter.
  const most = raw(String(AT_LEAST + FOR_EACH * 2 ** Math.ceil(Math.log2(reach))));
  const by = sorted(issue, orderOf(order), page.isBackwards);
  const ahead = all([sql`${issue.deletedAt} IS NULL`, ...between(issue, orderOf(order), page)]);
  const first = sql`SELECT ${whole(issue)} FROM ${table(issue)} WHERE ${ahead} ORDER BY ${by} LIMIT ${most}`;
  const areMany = sql`(SELECT count(*) FROM places) > ${MANY_PLACES}`;
  return {
    subquery: sql`walked AS MATERIALIZED (SELECT ${columns} FROM (${first}) i WHERE ${all([areMany, ...conditions])}
      ORDER BY ${by} LIMIT ${reach})`,
    suffices: sql`((SELECT count(*) FROM walked) = ${reach})`,
    isLarge:
      page.countUpTo === undefined
        ? undefined
        : sql`(${areMany} AND ${estimate(conditions)} > ${FAR * page.countUpTo})`,
  };
}

/** About how many issues meet conditions: as many among all as among the newest. */
function estimate(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  const newest = sql`SELECT ${whole(issue)} FROM ${table(issue)} ORDER BY ${issue.id} DESC LIMIT ${SAMPLE}`;
  const all = sql`(SELECT LEAST(max(id), (SELECT reltuples FROM pg_class WHERE oid = 'issues'::regclass)) FROM issues)`;
  return sql`(SELECT count(*) FROM (${newest}) i WHERE ${join([...conditions], ' AND ')}) * ${all} / ${SAMPLE}`;
}
