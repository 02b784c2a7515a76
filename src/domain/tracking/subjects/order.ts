import type { Subject } from '#src/domain/changes/change.ts';
import { all, Prisma, pageJson } from '#src/platform/database/db.ts';
import type { Direction, PageRequest } from '#src/platform/page.ts';
import { type Alias, alias, sortKey, table, whole } from '#src/platform/records/alias.ts';
import type { Params } from '#src/platform/records/computed_types.ts';
import { asFew, between, type Order, order, slice } from '#src/platform/records/order.ts';
import { counted, inOrder } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql, raw } = Prisma;
const [milestone, label, priority, award] = [
  alias('Milestone', 'om'),
  alias('Label', 'ol'),
  alias('LabelPriority', 'op'),
  alias('AwardEmoji', 'oa'),
];
const closing = alias('StateEvent', 'oc');

const KEYS = ['closed_at', 'label_priority', 'milestone_due', 'popularity', 'priority'] as const;

/** Orders by what other tables have: no index has them, so everything that a filter keeps is sorted. */
export type KeyedOrder = (typeof KEYS)[number];

export function isKeyed(by: string): by is KeyedOrder {
  return (KEYS as readonly string[]).includes(by);
}

/** The order by that value, then by ID. */
export function keyedOrder<T extends Subject['type']>(type: T, direction: Direction): Order<T> {
  return order(type, ['id'] as Order<T>['by'], direction, { isKeyed: true });
}

/** A list that is sorted by what other tables have. */
interface KeyedList<T extends Subject['type']> {
  type: T;
  row: Alias<T>;
  by: KeyedOrder;
  direction: Direction;
  /** Statement for the records with their `id`, `state`, `milestone_id` and the `project_id` of their project. */
  found: Prisma.Sql;
  /** The total; null if the records must be counted. */
  total: Prisma.Sql | null;
  params: Partial<Params>;
}

/** A page of such a list as JSON, with its total if requested. */
export function keyedPage<T extends Subject['type']>(
  selection: Selection<T>,
  { type, row, by, direction, found, total, params }: KeyedList<T>,
  page: PageRequest,
): Prisma.Sql {
  const columns = keyedOrder(type, direction);
  const id = (row as Alias<'Issue'>).id;
  const sliced = sql`SELECT ${id}, ${sortKey(row)} FROM keyed ${raw(NAMES[type])}
    WHERE ${all([sql`TRUE`, ...between(row, columns, page)])} ${slice(row, columns, page)}`;
  const from = sql`SELECT ${whole(row)}, page.sort_key FROM (${asFew(sliced, page)}) page JOIN ${table(row)} ON ${id} = page.id`;
  const nodes = rowsJson(selection, { from, params, ...inOrder(columns, page) });
  const json = pageJson(nodes, page.withTotal && (total ?? counted(sql`found`, page)));
  return sql`(WITH found AS MATERIALIZED (${found}), keyed AS (${keyed(type, by, direction)}) SELECT ${json})`;
}

/** The aliases of issues and merge requests in lists. */
const NAMES = { Issue: 'i', MergeRequest: 'mr' } as const;

/** Days from 1970 that are after, and before, all due dates, and priorities of labels likewise: what has none is last. */
const NO_DATE = { asc: 3_000_000, desc: -3_000_000 } as const;
const NO_PRIORITY = { asc: 2 ** 31 - 1, desc: -1 } as const;
/** Microseconds from 1970 likewise, which JSON holds exactly. */
const NO_MOMENT = { asc: Number.MAX_SAFE_INTEGER, desc: -1 } as const;

/** The records of the subquery `found` with their keys, which are never null. */
function keyed(type: Subject['type'], by: KeyedOrder, direction: Direction): Prisma.Sql {
  const due = sql`COALESCE(${milestone.dueDate} - date '1970-01-01', ${NO_DATE[direction]})`;
  const highest = sql`COALESCE(labelled.priority, ${NO_PRIORITY[direction]})`;
  const ofMilestone = sql`LEFT JOIN ${table(milestone)} ON ${milestone.id} = f.milestone_id`;
  const ofLabels = sql`LEFT JOIN (${priorities(type)}) labelled ON labelled.id = f.id`;
  switch (by) {
    case 'milestone_due':
      return sql`SELECT f.id, (${due})::bigint AS sort_key FROM found f ${ofMilestone}`;
    case 'label_priority':
      return sql`SELECT f.id, (${highest})::bigint AS sort_key FROM found f ${ofLabels}`;
    case 'closed_at': {
      const subject = type === 'Issue' ? closing.issueId : closing.mergeRequestId;
      return sql`SELECT f.id, COALESCE(closed.at, ${NO_MOMENT[direction]})::bigint AS sort_key FROM found f LEFT JOIN (
        SELECT ${subject} AS id, (extract(epoch FROM max(${closing.createdAt})) * 1000000)::bigint AS at FROM ${table(closing)}
          WHERE ${subject} IN (SELECT id FROM found) AND ${closing.state} = 'closed' GROUP BY 1) closed
        ON closed.id = f.id AND f.state = 'closed'`;
    }
    // The second within the first: a number that JSON holds exactly.
    case 'priority':
      return sql`SELECT f.id, (${due})::bigint * ${2 ** 31}::bigint + ${highest} AS sort_key FROM found f ${ofMilestone} ${ofLabels}`;
    // Of what was found alone: all of the server may be many more. An index has those of each, if few were found.
    case 'popularity':
      return sql`SELECT f.id, COALESCE(votes.count, 0) AS sort_key FROM found f LEFT JOIN (
        SELECT ${award.subjectId} AS id, count(*) FROM ${table(award)} WHERE ${award.subjectType} = ${raw(`'${type}'`)}
          AND ${award.name} = 'thumbsup' AND ${award.subjectId} IN (SELECT id FROM found) GROUP BY 1) votes ON votes.id = f.id`;
  }
}

/** The priority of the most important label of each, that is the lowest number: by the labels that have one, which are few. */
function priorities(type: Subject['type']): Prisma.Sql {
  const [pairs, subjectId] =
    type === 'Issue' ? [sql`issue_labels`, sql`p.issue_id`] : [sql`merge_request_labels`, sql`p.merge_request_id`];
  // OFFSET 0 keeps PostgreSQL from beginning at the records, to look for each of them with each of the labels.
  return sql`SELECT f.id, min(o.priority) AS priority FROM (
      SELECT ${subjectId} AS id, t.project_id, l.priority FROM (SELECT DISTINCT project_id FROM found) t
      CROSS JOIN LATERAL (SELECT ${label.id}, ${label.priority} FROM ${table(label)}
          WHERE ${label.projectId} = t.project_id AND ${label.priority} IS NOT NULL
        UNION ALL SELECT ${priority.labelId}, ${priority.priority} FROM ${table(priority)} WHERE ${priority.projectId} = t.project_id) l
      JOIN ${pairs} p ON p.label_id = l.id OFFSET 0) o
    JOIN found f ON f.id = o.id AND f.project_id = o.project_id GROUP BY f.id`;
}
