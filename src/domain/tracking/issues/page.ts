import '#src/domain/tracking/issues/computed_fields.ts';
import { isKeyed, type KeyedOrder, keyedOrder, keyedPage } from '#src/domain/tracking/subjects/order.ts';
import { all, Prisma, pageJson } from '#src/platform/database/db.ts';
import type { Direction, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import type { Params } from '#src/platform/records/computed_types.ts';
import { asFew, between, type Order, order, slice } from '#src/platform/records/order.ts';
import { counted, inOrder } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql, join } = Prisma;
const issue = alias('Issue', 'i');

const COLUMNS = {
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  due_date: 'dueDate',
  title: 'title',
  relative_position: 'relativePosition',
} as const;

export interface IssueOrder {
  by: keyof typeof COLUMNS | KeyedOrder;
  direction: Direction;
}

/** The source of a list's issues, under alias `i`. */
export interface Source {
  source: Prisma.Sql;
  /** The part for the page; the same if the page adds no conditions. */
  paged: Prisma.Sql;
  /** The total; null if they must be counted. */
  total: Prisma.Sql | null;
  params: Partial<Params>;
  /** Whether the source only has the columns of `firstOf`. */
  isPartial?: boolean;
  /** Subqueries of which `paged` and `total` speak; where they are there, nothing else is found once for both. */
  subqueries?: Prisma.Sql[];
}

/** The columns for finding, sorting and counting issues. */
export function firstOf({ by }: IssueOrder): Prisma.Sql {
  const { id, state, projectId, milestoneId } = issue;
  return join([id, state, ...(isKeyed(by) ? [projectId, milestoneId] : [issue[COLUMNS[by]]])]);
}

/** A page of issues as JSON, with their total if requested. Issues that must all be counted are found once for page and total. */
export function issuePage(
  selection: Selection<'Issue'>,
  { source, paged, total, params, isPartial = false, subqueries }: Source,
  by: IssueOrder,
  page: PageRequest,
): Prisma.Sql {
  const first = firstOf(by);
  if (isKeyed(by.by)) {
    const list = { type: 'Issue', row: issue, by: by.by, direction: by.direction, total, params } as const;
    return keyedPage(selection, { ...list, found: sql`SELECT ${first} FROM ${source}` }, page);
  }
  const isExact = page.countUpTo === undefined;
  const isFound = page.withTotal && total === null && (isExact || (isPartial && !subqueries));
  const columns = orderOf(by);
  const rest = slice(issue, columns, page);
  const found = sql`found i WHERE ${all(between(issue, columns, page))}`;
  const ids = sql`SELECT ${issue.id} FROM ${isFound ? found : paged} ${rest}`;
  const from =
    isFound || isPartial
      ? sql`SELECT i.* FROM (${asFew(ids, page)}) page JOIN ${table(issue)} ON ${issue.id} = page.id`
      : asFew(sql`SELECT i.* FROM ${paged} ${rest}`, page);
  const nodes = rowsJson(selection, { from, params, ...inOrder(columns, page) });
  const json = pageJson(nodes, page.withTotal && (total ?? counted(isFound ? sql`found` : source, page)));
  const common = isFound ? [sql`found AS MATERIALIZED (SELECT ${first} FROM ${source})`] : (subqueries ?? []);
  return common.length > 0 ? sql`(WITH ${join(common)} SELECT ${json})` : json;
}

/** The order of a list of issues. */
export function orderOf({ by, direction }: IssueOrder): Order<'Issue'> {
  if (isKeyed(by)) return keyedOrder('Issue', direction);
  // Arranged by hand, they have one order.
  if (by === 'relative_position') return order('Issue', ['relativePosition', 'id'], 'asc', { nulls: 'last' });
  return order('Issue', [COLUMNS[by], 'id'], direction, { nulls: by === 'due_date' ? 'last' : undefined });
}
