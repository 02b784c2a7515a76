import type { Searched } from '#src/domain/tracking/subjects/filter.ts';
import { containing, Prisma } from '#src/platform/database/db.ts';

const { sql, raw } = Prisma;

/** Maximum number of hits that are looked up in a list; of texts with more hits, most lists contain some. */
const MAX_HITS = 5_000;

/** Whether there are that few, with `searchHits` in the WITH clause. */
export const FEW_HITS = sql`((SELECT count(*) FROM hits) <= ${MAX_HITS})`;

/** The distinct hits under alias `h`, if there are few. */
export const EACH_HIT = sql`(SELECT DISTINCT h.id FROM hits h WHERE ${FEW_HITS}) h`;

/**
 * The issues or merge requests of the whole server with the text, by index, as the subquery `hits`; one more than are looked up
 * if the text is common. Null if no index helps.
 */
export function searchHits(searched: Searched | null, table: 'issues' | 'merge_requests' = 'issues'): Prisma.Sql[] {
  if (!searched?.isIndexed) return [];
  const pattern = containing(searched.text);
  const found = searched.columns.map(
    (column) => sql`SELECT f.id FROM ${raw(table)} f WHERE ${FOUND[column]} ILIKE ${pattern}`,
  );
  return [hitsOf(found)];
}

/** The subquery `hits` with the IDs that statements find. */
export function hitsOf(found: readonly Prisma.Sql[]): Prisma.Sql {
  return sql`hits AS MATERIALIZED (${Prisma.join([...found], ' UNION ALL ')} LIMIT ${MAX_HITS + 1})`;
}

const FOUND = { title: sql`f.title`, description: sql`f.description` };
