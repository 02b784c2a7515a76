import type { Searched } from '#src/domain/tracking/subjects/filter.ts';
import { containing, holds, Prisma } from '#src/platform/database/db.ts';

const { sql, raw, join } = Prisma;

/** Maximum number of hits that are looked up in a list: of texts with more, which few of the newest have, everything is read. */
const MAX_HITS = 100_000;

/** How many of the newest records are looked at for a text, and how many of them have one that is common. */
const [SAMPLE, COMMON] = [2_000, 10];

/** Whether there are that few, with `searchHits` in the WITH clause. */
export const FEW_HITS = sql`(NOT (SELECT common FROM sampled) AND (SELECT count(*) FROM hits) <= ${MAX_HITS})`;

/** The distinct hits under alias `h`, if there are few. */
export const EACH_HIT = sql`(SELECT DISTINCT h.id FROM hits h WHERE ${FEW_HITS}) h`;

/**
 * The issues or merge requests of the whole server with the text, by index, as the subquery `hits`; one more than are looked up
 * if the text is common. Nothing if no index helps.
 */
export function searchHits(searched: Searched | null, table: 'issues' | 'merge_requests' = 'issues'): Prisma.Sql[] {
  if (!searched?.isIndexed) return [];
  const from = sql`${raw(table)} f`;
  return hitsOf(
    searched.text,
    searched.columns.map((column) => ({ from, column: FOUND[column] })),
  );
}

/** Where a text is looked for. */
interface Sought {
  /** The table, as `f`. */
  from: Prisma.Sql;
  column: Prisma.Sql;
  /** The condition of a partial index. */
  only?: Prisma.Sql;
}

/**
 * The subqueries `hits` with the IDs of the records with a text in one of the columns, and `sampled`. An index of trigrams takes the longer
 * the more records have a text, however few are wanted, so it is not asked for what many of the newest have.
 */
export function hitsOf(text: string, columns: readonly Sought[]): Prisma.Sql[] {
  const pattern = containing(text);
  const newest = columns.map(
    ({ from, column, only = sql`TRUE` }) => sql`(SELECT count(*) FROM (
      SELECT ${column} AS text FROM ${from} WHERE ${only} ORDER BY f.id DESC LIMIT ${SAMPLE}) s WHERE ${holds(sql`s.text`, pattern)})`,
  );
  const found = columns.map(
    ({ from, column, only = sql`TRUE` }) => sql`SELECT f.id FROM ${from} WHERE ${column} ILIKE ${pattern} AND ${only}`,
  );
  return [
    sql`sampled AS MATERIALIZED (SELECT GREATEST(${join(newest)}) >= ${COMMON} AS common)`,
    sql`hits AS MATERIALIZED (SELECT f.id FROM (${join(found, ' UNION ALL ')}) f
      WHERE NOT (SELECT common FROM sampled) LIMIT ${MAX_HITS + 1})`,
  ];
}

const FOUND = { title: sql`f.title`, description: sql`f.description` };
