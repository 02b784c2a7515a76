import { can } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { furtherOf, issueVisible } from '#src/access/permissions/visibility.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { countFromCounters, countFromPlaces } from '#src/domain/tracking/issues/count.ts';
import {
  countsSuffice,
  type IssueFilter,
  issueConditions,
  issuesWithLabels,
  searchConditions,
  unsearchedConditions,
} from '#src/domain/tracking/issues/filter.ts';
import { firstOf, type IssueOrder, orderOf, type Source } from '#src/domain/tracking/issues/page.ts';
import { type Walk, walk } from '#src/domain/tracking/issues/walk.ts';
import {
  callerIn,
  holdsText,
  lookedUp,
  namedLabels,
  namesPerson,
  ofLabelsThere,
  type Searched,
  searchOf,
  userOf,
} from '#src/domain/tracking/subjects/filter.ts';
import { EACH_HIT, FEW_HITS } from '#src/domain/tracking/subjects/hits.ts';
import { isKeyed } from '#src/domain/tracking/subjects/order.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import type { PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { between, sorted } from '#src/platform/records/order.ts';
import type { Asked } from '#src/platform/records/parents.ts';
import { counted } from '#src/platform/records/read.ts';

const { sql, join } = Prisma;
const [issue, issueLabel] = [alias('Issue', 'i'), alias('IssueLabel', 'bl')];

/** The parent of issues: a project, or a milestone or label of it, or a board, of whose lists they are in none. */
export interface IssueParent {
  project: ProjectRow;
  milestoneId?: number;
  labelId?: number;
  boardId?: number;
}

/** A parent as statements know it. */
export type ParentRow = {
  project: number;
  path: string;
  /** Whether the actor can see the confidential issues of the project. */
  sees: boolean;
  milestone: number | null;
  label: number | null;
  board: number | null;
};

export const ASKED_TYPES = {
  project: 'int',
  path: 'text',
  sees: 'boolean',
  milestone: 'int',
  label: 'int',
  board: 'int',
} as const;

/** A parent with what the actor can see of it. */
export function asked(actor: Actor | null, { project, milestoneId, labelId, boardId }: IssueParent): ParentRow {
  const sees = actor?.admin === true || can(actor, 'read_confidential_issue', project);
  const within = { milestone: milestoneId ?? null, label: labelId ?? null, board: boardId ?? null };
  return { project: project.id, path: project.fullPath, sees, ...within };
}

/** The issues of a parent. */
export function ofParent(
  actor: Actor | null,
  { project, path, sees, milestone, label, board }: Asked<ParentRow>,
  below: 'project' | 'milestone' | 'label' | 'board',
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
): Source {
  const labelled = sql`SELECT ${issueLabel.issueId} FROM ${table(issueLabel)} WHERE ${issueLabel.labelId} = ${label}`;
  const conditions = [
    sql`${issue.projectId} = ${project}`,
    ...(below === 'milestone' ? [sql`${issue.milestoneId} = ${milestone}`] : []),
    ...(below === 'label' ? [sql`${issue.id} IN (${labelled})`] : []),
    ...(below === 'board' ? [inNoList(issue.id, board)] : []),
    issueVisible(issue, actor, sees),
    ...unsearchedConditions(issue, filter, actor, (row) => ofProjectOrAncestorGroups(row, project)),
  ];
  const params = { actor, projectPath: path };
  const searched = searchOf(filter);
  if (searched) {
    const each = [holdsText(issue, searched), ...conditions];
    const read = (rest: Prisma.Sql[], end: Prisma.Sql) => sql`SELECT i.* FROM (
      SELECT ${firstOf(order)} FROM ${table(issue)} WHERE ${all([...each, ...rest])} ${end} OFFSET 0) i`;
    return { ...withText({ searched, conditions, read, order, page, areFew: hasFewIssues(project) }), params };
  }
  const isCounted = countsSuffice(filter) && below === 'project';
  const total = isCounted ? countFromCounters(actor, project, filter, sees) : null;
  return { ...where(conditions, order, page), total, params };
}

/** How many issues of a project are searched one by one: finding what has the text on the whole server takes longer than that. */
const FEW_ISSUES = 5_000;

function hasFewIssues(project: Prisma.Sql | number): Prisma.Sql {
  return sql`(SELECT fc.last_issue_iid FROM project_counters fc WHERE fc.project_id = ${project}) <= ${FEW_ISSUES}`;
}

/** Whether an issue is in none of the lists of a board. */
export function inNoList(issueId: Prisma.Sql, board: number | null | Prisma.Sql): Prisma.Sql {
  return sql`NOT EXISTS (SELECT 1 FROM board_lists nl JOIN issue_labels nil ON nil.label_id = nl.label_id
    WHERE nl.board_id = ${board} AND nil.issue_id = ${issueId})`;
}

/** The issues of all of the subquery `places`, by the index that helps most. */
export function ofEverywhere(actor: Actor | null, filter: IssueFilter, order: IssueOrder, page: PageRequest): Source {
  const source = isOfPerson(filter) || searchOf(filter) ? ofAnyPlace : ofPlaces;
  return source(actor, filter, order, page);
}

/** The issues of the subquery `places`, reading each place in turn. */
export function ofPlaces(actor: Actor | null, filter: IssueFilter, order: IssueOrder, page: PageRequest): Source {
  const titles = namedLabels(filter);
  if (titles.length > 0) return ofLabels(titles, actor, filter, order, page);
  const conditions = [
    issueVisible(issue, actor, sql`v.confidential`),
    ...issueConditions(issue, filter, actor, ofLabelsThere),
  ];
  const ofPlace = sql`${issue.projectId} = v.id`;
  const among = sql`places v JOIN ${table(issue)} ON ${ofPlace}`;
  const { source, paged } = where(conditions, order, page, among);
  const reach = page.limit + page.offset + 1;
  const isCounted = countsSuffice(filter);
  // From each place as many issues as the page may need, in order, by index.
  const first = firstOf(order);
  const ofPage = all([ofPlace, ...conditions, ...between(issue, orderOf(order), page)]);
  const firsts = sql`places v CROSS JOIN LATERAL (SELECT ${first} FROM ${table(issue)}
    WHERE ${ofPage} ORDER BY ${sorted(issue, orderOf(order), page.isBackwards)} LIMIT ${reach}) i`;
  const total = isCounted ? countFromPlaces(actor, filter, page) : null;
  const list = { source, total, params: { actor }, isPartial: true };
  const walked = walk(first, inAnyPlace(actor, filter), order, page);
  if (!walked) return { ...list, paged: isCounted && reach <= FAR ? firsts : paged };
  // What a filter keeps is found once for page and total, if that is needed.
  const isShared = page.withTotal && !isCounted;
  const read = isShared ? sql`rest i` : isCounted && reach <= FAR ? firsts : paged;
  const rest = sql`SELECT i.* FROM (SELECT ${first} FROM ${read}) i WHERE NOT ${walked.suffices}`;
  const both = sql`((SELECT i.* FROM walked i WHERE ${walked.suffices}) UNION ALL (${rest})) i`;
  const more = sql`rest AS MATERIALIZED (SELECT ${first} FROM ${source})`;
  return {
    ...list,
    paged: isShared ? sql`${both} WHERE ${all([sql`TRUE`, ...between(issue, orderOf(order), page)])}` : both,
    total: isShared
      ? sql`(CASE WHEN ${walked.suffices} THEN ${counted(source, page)} ELSE (SELECT count(*) FROM rest) END)`
      : total,
    subqueries: [walked.subquery, ...(isShared ? [more] : [])],
  };
}

/** The conditions for the issues of the subquery `places` that a filter keeps, wherever they are, without its text. */
function inAnyPlace(actor: Actor | null, filter: IssueFilter): Prisma.Sql[] {
  return [
    within(issue.projectId),
    issueVisible(issue, actor, within(issue.projectId, 'confidential')),
    ...unsearchedConditions(issue, filter, actor, ofLabelsThere),
  ];
}

/** Like ofPlaces, for filters that name labels: those with all of them, each by its key. */
function ofLabels(
  titles: readonly string[],
  actor: Actor | null,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
): Source {
  const conditions = [
    sql`${issue.id} = labelled.id`,
    within(issue.projectId),
    issueVisible(issue, actor, within(issue.projectId, 'confidential')),
    ...issueConditions(issue, { ...filter, labels: null }, actor, ofLabelsThere).map(lookedUp),
  ];
  const source = sql`(${issuesWithLabels(titles)}) labelled CROSS JOIN LATERAL (SELECT ${firstOf(order)} FROM ${table(issue)}
    WHERE ${all(conditions)} OFFSET 0) i`;
  const more = between(issue, orderOf(order), page);
  const paged = more.length === 0 ? source : sql`${source} WHERE ${all(more)}`;
  return { source, paged, total: null, params: { actor }, isPartial: true };
}

/** Like ofPlaces, for filters with a better index: issues of a person, and those with a text. */
function ofAnyPlace(actor: Actor | null, filter: IssueFilter, order: IssueOrder, page: PageRequest): Source {
  const searched = searchOf(filter);
  if (isOfPerson(filter) || !searched) {
    const isHeld = searchConditions(issue, filter);
    const assignee = assigneeIn(filter, actor);
    if (assignee === null) {
      const conditions = [...inAnyPlace(actor, filter), ...isHeld];
      return { ...where(conditions, order, page), total: null, params: { actor } };
    }
    const conditions = [...inAnyPlace(actor, withoutAssignee(filter)), ...isHeld];
    return { ...ofAssignee(assignee, conditions, order, page), total: null, params: { actor } };
  }
  const conditions = inAnyPlace(actor, filter);
  const each = [sql`${issue.projectId} = v.id`, holdsText(issue, searched), ...conditions];
  const read = (rest: Prisma.Sql[], end: Prisma.Sql) => sql`SELECT i.* FROM places v CROSS JOIN LATERAL (
    SELECT ${firstOf(order)} FROM ${table(issue)} WHERE ${all([...each, ...rest])} ${end} OFFSET 0) i`;
  const walked = walk(firstOf(order), [holdsText(issue, searched), ...conditions], order, page);
  return { ...withText({ searched, conditions, read, order, page, walked }), params: { actor } };
}

interface WithText {
  searched: Searched;
  /** Of the issues that are listed, without the text. */
  conditions: Prisma.Sql[];
  /**
   * A statement that reads all of them for the text, and may go on with WHERE.
   *
   * @param rest further conditions
   * @param end the order, and how many are wanted
   */
  read: (rest: Prisma.Sql[], end: Prisma.Sql) => Prisma.Sql;
  order: IssueOrder;
  page: PageRequest;
  walked?: Walk | null;
  /** Whether there are so few that they are read. */
  areFew?: Prisma.Sql;
}

/**
 * The issues that meet the conditions and have a text: each hit is looked up by its key. For a very common text, or one that no index finds, or where
 * there are few issues, they are read in the order of the list, which soon finds those of a page.
 */
function withText({ searched, conditions, read, order, page, walked = null, areFew = sql`FALSE` }: WithText) {
  const { isIndexed } = searched;
  const hits = sql`SELECT i.* FROM ${EACH_HIT} CROSS JOIN LATERAL (SELECT ${firstOf(order)} FROM ${table(issue)}
    WHERE ${issue.id} = h.id AND ${all(conditions)} OFFSET 0) i WHERE NOT ${areFew}`;
  const areRead = isIndexed ? sql`(${areFew} OR NOT ${FEW_HITS})` : sql`TRUE`;
  const everything = sql`${read([], Prisma.empty)} WHERE ${areRead}`;
  const source = isIndexed ? sql`((${hits}) UNION ALL (${everything})) i` : sql`(${everything}) i`;
  if (isKeyed(order.by)) return { source, paged: source, total: null, isPartial: true };
  const by = orderOf(order);
  const first = sql`ORDER BY ${sorted(issue, by, page.isBackwards)} LIMIT ${page.limit + page.offset + 1}`;
  const rest = walked ? sql`NOT ${walked.suffices}` : sql`TRUE`;
  const parts = [
    ...(isIndexed ? [sql`(SELECT i.* FROM rare i)`] : []),
    ...(walked ? [sql`(SELECT i.* FROM walked i WHERE ${areRead} AND ${walked.suffices})`] : []),
    sql`(${read(between(issue, by, page), first)} WHERE ${areRead} AND ${rest})`,
  ];
  const paged = sql`(${join(parts, ' UNION ALL ')}) i WHERE ${all([sql`TRUE`, ...between(issue, by, page)])}`;
  const counts = isIndexed
    ? sql`((SELECT i.id FROM rare i) UNION ALL (SELECT i.id FROM (${everything}) i)) i`
    : sql`(${everything}) i`;
  const total = counted(counts, page);
  return {
    source,
    paged,
    total: walked?.isLarge
      ? sql`(CASE WHEN ${areRead} AND ${walked.isLarge} THEN ${page.countUpTo} + 1 ELSE ${total} END)`
      : total,
    isPartial: true,
    subqueries: [...(isIndexed ? [sql`rare AS MATERIALIZED (${hits})`] : []), ...(walked ? [walked.subquery] : [])],
  };
}

/** Whether a filter names the author, the assignee or who closed it, who has few issues. */
function isOfPerson(filter: IssueFilter): boolean {
  return namesPerson(filter) || filter.closedById != null;
}

/** The assignee that a filter names; null if it does not. */
function assigneeIn(
  { scope, assigneeId, assigneeUsername }: IssueFilter,
  actor: Actor | null,
): Prisma.Sql | number | null {
  if (scope === 'assigned_to_me') return callerIn(actor).id;
  if (typeof assigneeId === 'number') return assigneeId;
  return assigneeUsername ? userOf(assigneeUsername) : null;
}

/** A filter without the assignee that it names. */
function withoutAssignee({ scope, assigneeId, assigneeUsername, ...rest }: IssueFilter): IssueFilter {
  const named =
    scope === 'assigned_to_me'
      ? { assigneeId, assigneeUsername }
      : typeof assigneeId === 'number'
        ? { scope, assigneeUsername }
        : { scope, assigneeId };
  return { ...rest, ...named };
}

/**
 * The issues of an assignee that meet the conditions: those of which they are the first come in either order by index, and of
 * the others, which are few, there are as many as the page may need.
 */
export function ofAssignee(
  userId: Prisma.Sql | number,
  conditions: Prisma.Sql[],
  order: IssueOrder,
  page: PageRequest,
) {
  const more = between(issue, orderOf(order), page);
  const further = sql`(${furtherOf('Issue', userId)}) f JOIN ${table(issue)} ON ${issue.id} = f.issue_id`;
  const first = firstOf(order);
  const both = (conditions: Prisma.Sql[], rest: Prisma.Sql) => sql`(
    (SELECT ${first} FROM ${table(issue)} WHERE ${all([sql`${issue.assigneeId} = ${userId}`, ...conditions])} ${rest})
    UNION ALL (SELECT ${first} FROM ${further} WHERE ${all(conditions)} ${rest})) i`;
  const reach = page.limit + page.offset + 1;
  const firsts = sql`ORDER BY ${sorted(issue, orderOf(order), page.isBackwards)} LIMIT ${reach}`;
  return { source: both(conditions, Prisma.empty), paged: both([...conditions, ...more], firsts), isPartial: true };
}

/** The issues that meet the conditions, and the part for the page. */
export function where(conditions: Prisma.Sql[], order: IssueOrder, page: PageRequest, among = table(issue)) {
  const more = between(issue, orderOf(order), page);
  const source = sql`${among} WHERE ${all(conditions)}`;
  return { source, paged: more.length === 0 ? source : sql`${among} WHERE ${all([...conditions, ...more])}` };
}

/** Maximum number of issues per project that are merged and sorted; beyond that all of them are. */
const FAR = 1_000;

/**
 * The subquery `places` of lists across projects: those with issues that meet the condition and the filter. The filter's rest is
 * for the issues in them.
 */
export function placesFor(
  actor: Actor | null,
  { nonArchived, ...rest }: IssueFilter,
  where?: Prisma.Sql,
): { places: Prisma.Sql; rest: IssueFilter } {
  const conditions = [...(where ? [where] : []), ...(nonArchived ? [sql`NOT p.archived`] : []), sql`TRUE`];
  return { places: seenPlaces(actor, all(conditions), 'issues'), rest };
}
