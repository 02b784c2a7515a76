import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { hasFeature } from '#src/access/permissions/features.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { type IssueFilter, issueConditions } from '#src/domain/tracking/issues/filter.ts';
import { type IssueOrder, issuePage, type Source } from '#src/domain/tracking/issues/page.ts';
import {
  ASKED_TYPES,
  asked,
  type IssueParent,
  ofAssignee,
  ofEverywhere,
  ofParent,
  ofPlaces,
  type ParentRow,
  placesFor,
  where,
} from '#src/domain/tracking/issues/sources.ts';
import { ofLabelsThere, searchOf } from '#src/domain/tracking/subjects/filter.ts';
import { searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

/** The issues of each parent that the actor can see, in one statement; none of projects without issues for the actor. */
export async function listIssuesOf<R>(
  context: Context,
  parents: readonly IssueParent[],
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const open = parents.filter(({ project }) => hasFeature(actor, 'issues', project));
  const wanted = open.map((parent) => asked(actor, parent));
  const kinds = ['milestone', 'label', 'board'] as const;
  const below = kinds.find((kind) => wanted.some((parent) => parent[kind] !== null)) ?? 'project';
  const pageOf = (parent: Asked<ParentRow>) =>
    issuePage(selection, ofParent(actor, parent, below, filter, order, page), order, page);
  const pages = perParent<ParentRow>(wanted, ASKED_TYPES, pageOf, searchHits(searchOf(filter)));
  const found = wanted.length === 0 ? [] : await readPages<R>(context.db, page, pages);
  const ofOpen = new Map(open.map((parent, index) => [parent, found[index]]));
  return parents.map((parent) => ofOpen.get(parent) ?? { nodes: [], offset: page.offset, total: 0 });
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
  const actor = readerOf(context);
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
  return readPages(context.db, page, perParent(users, { user: 'int' }, pageOf, common));
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
  const actor = readerOf(context);
  const { places, rest } = placesFor(actor, filter, sql`n.lineage @> ARRAY[${group.id}]::int[]`);
  const source = searchOf(filter) ? ofEverywhere : ofPlaces;
  return readOf(context, places, source(actor, rest, order, page), { filter, order, page, selection });
}

/** All issues that the actor can see, in one statement. Throws InsufficientScope. */
export async function listIssues<R>(
  context: Context,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const { places, rest } = placesFor(actor, filter);
  return readOf(context, places, ofEverywhere(actor, rest, order, page), { filter, order, page, selection });
}

interface List<R> {
  filter: IssueFilter;
  order: IssueOrder;
  page: PageRequest;
  selection: Selection<'Issue', R>;
}

async function readOf<R>(
  context: Context,
  places: Prisma.Sql,
  source: Source,
  { filter, order, page, selection }: List<R>,
): Promise<Page<R>> {
  const common = [places, ...searchHits(searchOf(filter))];
  const pages = perParent([{}], {}, () => issuePage(selection, source, order, page), common);
  const [found] = await readPages<R>(context.db, page, pages);
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}
