import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { furtherOf, issueVisible } from '#src/access/permissions/visibility.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ofOrAround } from '#src/domain/projects/groups_around.ts';
import { countFromCounters, countFromPlaces } from '#src/domain/tracking/issues/count.ts';
import {
  countsSuffice,
  type IssueFilter,
  issueConditions,
  unsearchedConditions,
} from '#src/domain/tracking/issues/filter.ts';
import { FIRST, type IssueOrder, issuePage, orderOf } from '#src/domain/tracking/issues/page.ts';
import { holdsText, ofLabelsThere, searchOf, userOf } from '#src/domain/tracking/subjects/filter.ts';
import { EACH_HIT, FEW_HITS, searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { between, sorted } from '#src/platform/records/order.ts';
import { type Asked, ofEach } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [issue, issueLabel] = [alias('Issue', 'i'), alias('IssueLabel', 'bl')];

/** The parent of issues: a project, or a milestone or label of it. */
export interface IssueParent {
  project: ProjectRow;
  milestoneId?: number;
  labelId?: number;
}

/** The issues of each parent that the actor can see, in one statement; none of projects with issues disabled. */
export async function listIssuesOf<R>(
  context: Context,
  parents: readonly IssueParent[],
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const open = parents.filter(({ project }) => project.issuesEnabled);
  const asked = open.map(({ project, milestoneId = null, labelId = null }) => ({
    project: project.id,
    path: project.fullPath,
    sees: actor.admin || can(actor, 'read_confidential_issue', project),
    milestone: milestoneId,
    label: labelId,
  }));
  const below = asked.some(({ milestone }) => milestone !== null)
    ? 'milestone'
    : asked.some(({ label }) => label !== null)
      ? 'label'
      : 'project';
  const types = { project: 'int', path: 'text', sees: 'boolean', milestone: 'int', label: 'int' } as const;
  const pageOf = (parent: Asked<AskedParent>) => parentPage(actor, parent, { filter, order, page, selection, below });
  const pages = ofEach<AskedParent>(asked, types, pageOf, searchHits(searchOf(filter)));
  const found = asked.length === 0 ? [] : await readPages<R>(context.db, page, pages);
  const ofOpen = new Map(open.map((parent, index) => [parent, found[index]]));
  return parents.map((parent) => ofOpen.get(parent) ?? { nodes: [], offset: page.offset, total: 0 });
}

type AskedParent = {
  project: number;
  path: string;
  /** Whether the actor can see the confidential issues of the project. */
  sees: boolean;
  milestone: number | null;
  label: number | null;
};

interface List {
  filter: IssueFilter;
  order: IssueOrder;
  page: PageRequest;
  selection: Selection<'Issue'>;
}

function parentPage(
  actor: Actor,
  { project, path, sees, milestone, label }: Asked<AskedParent>,
  { filter, order, page, selection, below }: List & { below: 'project' | 'milestone' | 'label' },
): Prisma.Sql {
  const labelled = sql`SELECT ${issueLabel.issueId} FROM ${table(issueLabel)} WHERE ${issueLabel.labelId} = ${label}`;
  const conditions = [
    sql`${issue.projectId} = ${project}`,
    ...(below === 'milestone' ? [sql`${issue.milestoneId} = ${milestone}`] : []),
    ...(below === 'label' ? [sql`${issue.id} IN (${labelled})`] : []),
    issueVisible(issue, actor, sees),
    ...issueConditions(issue, filter, actor, (row) => ofOrAround(row, project)),
  ];
  const isCounted = countsSuffice(filter) && below === 'project';
  const total = isCounted ? countFromCounters(actor, project, filter, sees) : null;
  const params = { actor, projectPath: path };
  return issuePage(selection, { ...where(conditions, order, page), total, params }, order, page);
}

/** A user's role in an issue. */
export type IssueRole = 'author' | 'assignee';

/** The issues of which each user is the author, or the assignee, as far as the actor can see them, in one statement. */
export async function listIssuesOfUsers<R>(
  context: Context,
  userIds: readonly number[],
  role: IssueRole,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const pageOf = ({ user }: Asked<{ user: number }>) => {
    const isAuthor = role === 'author';
    const conditions = [
      ...(isAuthor ? [sql`${issue.authorId} = ${user}`] : []),
      within(issue.projectId, 'issues'),
      issueVisible(issue, actor, within(issue.projectId, 'confidential')),
      ...issueConditions(issue, filter, actor, ofLabelsThere),
    ];
    const source = isAuthor ? where(conditions, order, page) : ofAssignee(user, conditions, order, page);
    return issuePage(selection, { ...source, total: null, params: { actor } }, order, page);
  };
  const common = [seenPlaces(actor), ...searchHits(searchOf(filter))];
  const users = userIds.map((user) => ({ user }));
  return readPages(context.db, page, ofEach(users, { user: 'int' }, pageOf, common));
}

/** The issues of all projects in a group and its subgroups that the actor can see. */
export async function listGroupIssues<R>(
  context: Context,
  group: GroupRow,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  const places = seenPlaces(actor, sql`p.issues_enabled AND n.lineage @> ARRAY[${group.id}]::int[]`);
  return readOf(context, places, ofPlaces(actor, filter, order, page), { filter, order, page, selection });
}

/** All issues that the actor can see, in one statement. Throws Unauthenticated. */
export async function listIssues<R>(
  context: Context,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  const source = namesPerson(filter) || searchOf(filter) ? ofAnyPlace : ofPlaces;
  const places = seenPlaces(actor, sql`p.issues_enabled`);
  return readOf(context, places, source(actor, filter, order, page), { filter, order, page, selection });
}

type Source = Parameters<typeof issuePage>[1];

async function readOf<R>(
  context: Context,
  places: Prisma.Sql,
  source: Source,
  { filter, order, page, selection }: List & { selection: Selection<'Issue', R> },
): Promise<Page<R>> {
  const common = [places, ...searchHits(searchOf(filter))];
  const pages = ofEach([{}], {}, () => issuePage(selection, source, order, page), common);
  const [found] = await readPages<R>(context.db, page, pages);
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}

/** The issues of the subquery `places`, reading each place in turn. */
function ofPlaces(actor: Actor, filter: IssueFilter, order: IssueOrder, page: PageRequest): Source {
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
  const ofPage = all([ofPlace, ...conditions, ...between(issue, orderOf(order), page)]);
  const firsts = sql`places v CROSS JOIN LATERAL (SELECT ${FIRST} FROM ${table(issue)}
    WHERE ${ofPage} ORDER BY ${sorted(issue, orderOf(order), page.isBackwards)} LIMIT ${reach}) i`;
  return {
    source,
    paged: isCounted && reach <= FAR ? firsts : paged,
    total: isCounted ? countFromPlaces(actor, filter) : null,
    params: { actor },
    isPartial: true,
  };
}

/** Like ofPlaces, for filters with a better index: issues of a person, and those with a text. */
function ofAnyPlace(actor: Actor, filter: IssueFilter, order: IssueOrder, page: PageRequest): Source {
  const seen = [within(issue.projectId), issueVisible(issue, actor, within(issue.projectId, 'confidential'))];
  const searched = searchOf(filter);
  if (namesPerson(filter) || !searched) {
    const conditions = [...seen, ...issueConditions(issue, filter, actor, ofLabelsThere)];
    const assignee = assigneeIn(filter, actor);
    const source = assignee === null ? where(conditions, order, page) : ofAssignee(assignee, conditions, order, page);
    return { ...source, total: null, params: { actor } };
  }
  const conditions = all([...seen, ...unsearchedConditions(issue, filter, actor, ofLabelsThere)]);
  // Each hit is looked up by its key; for a very common text, or one that no index finds, all issues are read.
  const rare = sql`SELECT i.* FROM ${EACH_HIT} CROSS JOIN LATERAL (
    SELECT ${FIRST} FROM ${table(issue)} WHERE ${issue.id} = h.id AND ${conditions} OFFSET 0) i`;
  const common = sql`SELECT i.* FROM places v CROSS JOIN LATERAL (SELECT ${FIRST} FROM ${table(issue)}
    WHERE ${issue.projectId} = v.id AND ${holdsText(issue, searched)} AND ${conditions} OFFSET 0) i`;
  const source = searched.isIndexed
    ? sql`((${rare}) UNION ALL (${common} WHERE NOT ${FEW_HITS})) i`
    : sql`(${common}) i`;
  const paged = sql`${source} WHERE ${all(between(issue, orderOf(order), page))}`;
  return { source, paged, total: null, params: { actor }, isPartial: true };
}

/** Whether a filter names the author or the assignee, who has few issues. */
function namesPerson({ scope, authorId, authorUsername, assigneeId, assigneeUsername }: IssueFilter): boolean {
  const isScoped = scope === 'created_by_me' || scope === 'assigned_to_me';
  return isScoped || authorId != null || !!authorUsername || typeof assigneeId === 'number' || !!assigneeUsername;
}

/** The assignee that a filter names; null if it does not. */
function assigneeIn({ scope, assigneeId, assigneeUsername }: IssueFilter, actor: Actor): Prisma.Sql | number | null {
  if (scope === 'assigned_to_me') return actor.id;
  if (typeof assigneeId === 'number') return assigneeId;
  return assigneeUsername ? userOf(assigneeUsername) : null;
}

/**
 * The issues of an assignee that meet the conditions: those of which they are the first come in either order by index, and of
 * the others, which are few, there are as many as the page may need.
 */
function ofAssignee(userId: Prisma.Sql | number, conditions: Prisma.Sql[], order: IssueOrder, page: PageRequest) {
  const more = between(issue, orderOf(order), page);
  const further = sql`(${furtherOf('Issue', userId)}) f JOIN ${table(issue)} ON ${issue.id} = f.issue_id`;
  const both = (conditions: Prisma.Sql[], rest: Prisma.Sql) => sql`(
    (SELECT ${FIRST} FROM ${table(issue)} WHERE ${all([sql`${issue.assigneeId} = ${userId}`, ...conditions])} ${rest})
    UNION ALL (SELECT ${FIRST} FROM ${further} WHERE ${all(conditions)} ${rest})) i`;
  const reach = page.limit + page.offset + 1;
  const firsts = sql`ORDER BY ${sorted(issue, orderOf(order), page.isBackwards)} LIMIT ${reach}`;
  return { source: both(conditions, Prisma.empty), paged: both([...conditions, ...more], firsts), isPartial: true };
}

/** The issues that meet the conditions, and the part for the page. */
function where(conditions: Prisma.Sql[], order: IssueOrder, page: PageRequest, among = table(issue)) {
  const more = between(issue, orderOf(order), page);
  const source = sql`${among} WHERE ${all(conditions)}`;
  return { source, paged: more.length === 0 ? source : sql`${among} WHERE ${all([...conditions, ...more])}` };
}

/** Maximum number of issues per project that are merged and sorted; beyond that all of them are. */
const FAR = 1_000;
