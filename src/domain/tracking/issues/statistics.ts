import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { hasFeature } from '#src/access/permissions/features.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { countsSuffice, type IssueFilter } from '#src/domain/tracking/issues/filter.ts';
import type { IssueOrder, Source } from '#src/domain/tracking/issues/page.ts';
import {
  ASKED_TYPES,
  asked,
  ofEverywhere,
  ofParent,
  ofPlaces,
  type ParentRow,
  placesFor,
} from '#src/domain/tracking/issues/sources.ts';
import { searchOf } from '#src/domain/tracking/subjects/filter.ts';
import { searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { Prisma, queryJson } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import type { PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, onlyOne, perParent } from '#src/platform/records/parents.ts';
import { counted } from '#src/platform/records/read.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

/** How many issues there are in each state. */
export interface IssueCounts {
  opened: number;
  closed: number;
}

/** Filters of issues in any state. */
export type CountFilter = Omit<IssueFilter, 'state'>;

/** How far the issues of each state are counted where counters do not know: `upTo + 1` is said of more. To the end if absent. */
export interface CountLimit {
  upTo?: number | null | undefined;
}

// Counts have neither an order nor pages.
const ORDER: IssueOrder = { by: 'created_at', direction: 'desc' };
const PAGE: PageRequest = { limit: 0, offset: 0, withTotal: false };

/** The counts of the issues of each project that the actor can see, in one statement; none of projects without issues for the actor. */
export async function countIssuesOf(
  context: Context,
  projects: readonly ProjectRow[],
  filter: CountFilter,
  limit: CountLimit = {},
): Promise<IssueCounts[]> {
  const actor = readerOf(context);
  const open = projects.filter((project) => hasFeature(actor, 'issues', project));
  const wanted = open.map((project) => asked(actor, { project }));
  const countsOf = (parent: Asked<ParentRow>) =>
    countsJson(filter, limit, (filter) => ofParent(actor, parent, 'project', filter, ORDER, PAGE));
  const counts = perParent<ParentRow>(wanted, ASKED_TYPES, countsOf, searchHits(searchOf(filter)));
  const found = wanted.length === 0 ? [] : await queryJson<IssueCounts[]>(context.db, counts);
  const ofOpen = new Map(open.map((project, index) => [project, found[index]]));
  return projects.map((project) => ofOpen.get(project) ?? { opened: 0, closed: 0 });
}

/** The counts of the issues of all projects in each group and its subgroups that the actor can see, in one statement. */
export async function countIssuesOfGroups(
  context: Context,
  groups: readonly GroupRow[],
  filter: CountFilter,
  limit: CountLimit = {},
): Promise<IssueCounts[]> {
  const actor = readerOf(context);
  const parents = groups.map(({ id }) => ({ group: id }));
  const { places, rest } = placesFor(actor, filter, sql`n.lineage && ${groups.map(({ id }) => id)}::int[]`);
  // Of the places of all groups those of each.
  const countsOf = ({ group }: Asked<{ group: number }>) => sql`(WITH places AS (SELECT v.* FROM places v
      JOIN projects gp ON gp.id = v.id JOIN namespaces gn ON gn.id = gp.namespace_id WHERE gn.lineage @> ARRAY[${group}]::int[])
    SELECT ${countsJson(rest, limit, (filter) => ofPlaces(actor, filter, ORDER, PAGE))})`;
  const common = [places, ...searchHits(searchOf(filter))];
  return queryJson<IssueCounts[]>(context.db, perParent(parents, { group: 'int' }, countsOf, common));
}

/** The counts of all issues that the actor can see. Throws InsufficientScope. */
export async function countIssues(context: Context, filter: CountFilter, limit: CountLimit = {}): Promise<IssueCounts> {
  const actor = readerOf(context);
  const { places, rest } = placesFor(actor, filter);
  const common = [places, ...searchHits(searchOf(filter))];
  const counts = () => countsJson(rest, limit, (filter) => ofEverywhere(actor, filter, ORDER, PAGE));
  return onlyOne(await queryJson<IssueCounts[]>(context.db, perParent([{}], {}, counts, common)));
}

type SourceOf = (filter: IssueFilter) => Source;

/** An expression for the counts as JSON: from the counters where they know, otherwise by reading the issues, once if they are counted to the end. */
function countsJson(filter: CountFilter, { upTo }: CountLimit, of: SourceOf): Prisma.Sql {
  if (upTo != null && upTo < 1) throw new ValidationFailed({ upTo: ['must be at least 1'] });
  const each = (count: (source: Source) => Prisma.Sql | null) =>
    sql`json_build_object('opened', ${count(of({ ...filter, state: 'opened' }))}, 'closed', ${count(of({ ...filter, state: 'closed' }))})`;
  if (countsSuffice(filter)) return each(({ total }) => total);
  if (upTo != null) return each(({ source }) => counted(source, { ...PAGE, countUpTo: upTo }));
  const count = (state: string) => sql`count(*) FILTER (WHERE ${issue.state} = ${state}::issue_state)`;
  return sql`(SELECT json_build_object('opened', ${count('opened')}, 'closed', ${count('closed')}) FROM ${of(filter).source})`;
}
