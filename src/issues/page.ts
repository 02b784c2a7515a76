import '#src/issues/own_values.ts';
import { Prisma, pageJson } from '#src/platform/db.ts';
import type { Direction, PageRequest } from '#src/platform/page.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { Given } from '#src/platform/records/own_values.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/users/own_values.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

export interface IssueOrder {
  by: 'created_at' | 'updated_at';
  direction: Direction;
}

/** Where the issues of a list come from, under alias `i`. */
interface Source {
  source: Prisma.Sql;
  /** How many there are in all; null where they must be counted. */
  total: Prisma.Sql | null;
  given: Partial<Given>;
  /** Whether the source has not all columns, but those of FIRST. */
  isPartial?: boolean;
}

/** What issues are found and put in order by. */
export const FIRST = sql`${issue.id}, ${issue.createdAt}, ${issue.updatedAt}`;

/**
 * A page of issues as JSON, with their total where that is asked for. Those that must be counted are found once for page and
 * total.
 */
export function issuePage(
  selection: Selection<'Issue'>,
  { source, total, given, isPartial = false }: Source,
  order: IssueOrder,
  { limit, offset, withTotal }: PageRequest,
): Prisma.Sql {
  const isFound = withTotal && total === null;
  const rest = sql`ORDER BY ${sorted(issue, order)} LIMIT ${limit} OFFSET ${offset}`;
  const from =
    isFound || isPartial
      ? sql`SELECT i.* FROM (SELECT ${issue.id} FROM ${isFound ? sql`found i` : source} ${rest}) page
          JOIN ${table(issue)} ON ${issue.id} = page.id`
      : sql`SELECT i.* FROM ${source} ${rest}`;
  const nodes = rowsJson(selection, { from, order: (row) => sorted(row, order), given });
  const page = pageJson(nodes, withTotal && (total ?? sql`(SELECT count(*) FROM found)`));
  return isFound ? sql`(WITH found AS MATERIALIZED (SELECT ${FIRST} FROM ${source}) SELECT ${page})` : page;
}

export function sorted(row: Alias<'Issue'>, { by, direction }: IssueOrder): Prisma.Sql {
  const column = by === 'created_at' ? row.createdAt : row.updatedAt;
  return direction === 'desc' ? sql`${column} DESC, ${row.id} DESC` : sql`${column}, ${row.id}`;
}
