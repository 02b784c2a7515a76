import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, readerOf, requireActor, requireApiScope } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { accessibleProjects, assignedTo, issueVisible } from '#src/access/permissions/visibility.ts';
import { commentsAsNotes } from '#src/domain/changes/comments_as_notes.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { activityVisible } from '#src/domain/users/private_profile.ts';
import { type UserRow, userJson } from '#src/domain/users/rows.ts';
import { all, Prisma, queryPage } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { between, type Order, order, placePair, slice, sorted } from '#src/platform/records/order.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');
const [e, c] = [alias('Event', 'e'), alias('AuthorEventCount', 'c')];

/** A user's action (behaviour.md 7, Event). */
export interface EventRow {
  id: number;
  projectId: number;
  /** `opened`, `closed`, `created`, `joined` … */
  action: string;
  targetId: number | null;
  /** Number within the project of the issue, merge request or milestone; the ID of a comment. */
  targetIid: number | null;
  targetType: string | null;
  targetTitle: string | null;
  author: UserRow;
  /** The push; null for other events. */
  data: unknown;
  /** The comment, with what is selected of it; null for other events. */
  note: unknown;
  /** ISO 8601. */
  createdAt: string;
}

/** A page of a feed as it was when a given event was the newest: pages stay the same while new events arrive. */
export interface EventPageRequest extends PageRequest {
  /** ID of that event; the current feed when absent. */
  upTo?: number | null | undefined;
  filter?: EventFilter | undefined;
}

/** The actions of events, by the words of filters. */
const ACTIONS = {
  created: ['created', 'imported', 'opened'],
  // What is changed without being closed or opened leaves no event.
  updated: [],
  closed: ['closed'],
  reopened: ['opened'],
  pushed: ['pushed new', 'pushed to', 'deleted'],
  commented: ['commented on'],
  merged: ['accepted'],
  joined: ['joined'],
  left: ['left'],
  destroyed: ['destroyed'],
  // Memberships that expire leave no event.
  expired: [],
  approved: ['approved'],
} satisfies Record<string, readonly string[]>;

/** The target types of events, by the words of filters: there are none about snippets, users, wikis, designs and epics. */
const TARGETS = {
  issue: ['Issue'],
  milestone: ['Milestone'],
  merge_request: ['MergeRequest'],
  note: ['Note', 'IssueNote', 'MergeRequestNote'],
  project: [],
  snippet: [],
  user: [],
  wiki: [],
  design: [],
  epic: [],
} satisfies Record<string, readonly string[]>;

/** Which events of a feed, and from which end. */
export interface EventFilter {
  action?: keyof typeof ACTIONS | null | undefined;
  targetType?: keyof typeof TARGETS | null | undefined;
  /** Only events of days before this one (UTC), `YYYY-MM-DD`. */
  before?: string | null | undefined;
  /** Only events of days after this one (UTC). */
  after?: string | null | undefined;
  /** Newest first by default. */
  sort?: Direction | undefined;
}

/** The conditions of a filter on the event `e`. */
function matches({ action, targetType, before, after }: EventFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (action) {
    conditions.push(sql`e.action = ANY(${[...ACTIONS[action]]}::text[])`);
    // What was opened before is opened again.
    const again = sql`EXISTS (SELECT 1 FROM events f
      WHERE f.target_type = e.target_type AND f.target_id = e.target_id AND f.action = 'opened' AND f.id < e.id)`;
    if (action === 'created') conditions.push(sql`(e.action <> 'opened' OR NOT ${again})`);
    if (action === 'reopened') conditions.push(again);
  }
  if (targetType === 'project') conditions.push(PLAIN);
  else if (targetType) conditions.push(sql`e.target_type = ANY(${[...TARGETS[targetType]]}::text[])`);
  if (before) conditions.push(sql`e.created_at < (${before}::date)::timestamp AT TIME ZONE 'UTC'`);
  if (after) conditions.push(sql`e.created_at >= (${after}::date + 1)::timestamp AT TIME ZONE 'UTC'`);
  return conditions;
}

function until({ upTo }: EventPageRequest): Prisma.Sql {
  return upTo == null ? sql`TRUE` : sql`e.id <= ${upTo}`;
}

/**
 * The events of a project, as far as the actor may see them; also for anonymous callers. An event is visible only
 * to those who may read its target; events of kinds that are not listed here are visible to no one.
 */
export async function listProjectEvents(
  context: Context,
  project: ProjectRow,
  page: EventPageRequest,
  shown: Shown,
): Promise<Page<EventRow>> {
  return load(context, projectFeed(context.actor, project), page, shown);
}

/** One event of a project, if the actor may see it; also for anonymous callers. Throws NotFound. */
export async function findProjectEvent(
  context: Context,
  project: ProjectRow,
  id: number,
  shown: Shown,
): Promise<EventRow> {
  const feed = projectFeed(context.actor, project);
  const one = { ...feed, of: sql`${feed.of} AND e.id = ${id}` };
  const { nodes } = await load(context, one, { limit: 1, offset: 0, withTotal: false }, shown);
  if (!nodes[0]) throw new NotFound('Event');
  return nodes[0];
}

/** The events with these IDs that the actor may see, in one statement. */
export async function findEventsByIds(context: Context, ids: readonly number[], shown: Shown): Promise<EventRow[]> {
  const actor = readerOf(context);
  const feed = { of: sql`e.id = ANY(${[...ids]}::int[])`, visible: seenBy(actor), counted: sql`0` };
  const places = seenPlaces(
    actor,
    sql`p.id IN (SELECT w.project_id FROM events w WHERE w.id = ANY(${[...ids]}::int[]))`,
  );
  return (await load(context, { ...feed, places }, { limit: ids.length, offset: 0, withTotal: false }, shown)).nodes;
}

/** The events of a project that the actor may see. Throws InsufficientScope. */
function projectFeed(actor: Actor | null, project: ProjectRow): Feed {
  requireApiScope(actor);
  const readsIssues = can(actor, 'read_issue', project);
  const seesConfidential = readsIssues && can(actor, 'read_confidential_issue', project);
  const readsCommits = can(actor, 'read_commit', project);
  const kinds = [
    { kind: 'plain', is: PLAIN, seen: true },
    { kind: 'push', is: PUSH, seen: readsCommits },
    { kind: 'note', is: IS_NOTE, seen: readsCommits },
    { kind: 'milestone', is: IS_MILESTONE, seen: can(actor, 'read_milestone', project) },
    { kind: 'merge_request', is: IS_MERGE_REQUEST, seen: can(actor, 'read_merge_request', project) },
    { kind: 'issue', is: issueEvent(actor, seesConfidential), seen: readsIssues },
    // Already covered by the condition on issues.
    { kind: 'confidential', is: sql`FALSE`, seen: seesConfidential },
  ].filter(({ seen }) => seen);
  const ofProject = sql`e.project_id = ${project.id}`;
  const visible = sql`(${Prisma.join(
    kinds.map(({ is }) => is),
    ' OR ',
  )})`;
  const own = readsIssues && !seesConfidential ? ownConfidential(actor, ofProject) : sql`0`;
  const counted = sql`(SELECT COALESCE(sum(c.count), 0) FROM project_event_counts c WHERE c.project_id = ${project.id}
    AND c.kind::text = ANY(${kinds.map(({ kind }) => kind)}::text[])) + ${own}`;
  return { of: ofProject, visible, counted };
}

/** The events of a user in projects and on issues that the actor may see; none of others with a private profile. */
export async function listUserEvents(
  context: Context,
  userId: number,
  page: EventPageRequest,
  shown: Shown,
): Promise<Page<EventRow>> {
  const actor = readerOf(context);
  const isShown = activityVisible(actor, sql`${userId}::int`);
  const ofUser = sql`e.author_id = ${userId} AND ${isShown}`;
  const others = sql`${within(e.projectId, 'issues')} AND NOT ${within(e.projectId, 'confidential')}`;
  const own = actor?.admin ? sql`0` : ownConfidential(actor, sql`${ofUser} AND ${others}`);
  const counted = sql`(SELECT COALESCE(sum(c.count), 0) FROM author_event_counts c
    WHERE c.author_id = ${userId} AND ${isShown} AND CASE c.kind WHEN 'issue' THEN ${within(c.projectId, 'issues')}
      WHEN 'confidential' THEN ${within(c.projectId, 'issues')} AND ${within(c.projectId, 'confidential')}
      WHEN 'push' THEN ${within(c.projectId, 'commits')} WHEN 'note' THEN ${within(c.projectId, 'commits')}
      WHEN 'merge_request' THEN ${within(c.projectId, 'merge_requests')} WHEN 'milestone' THEN ${within(c.projectId, 'planning')} ELSE ${within(c.projectId)} END) + ${own}`;
  return load(context, { of: ofUser, visible: seenBy(actor), counted, places: seenPlaces(actor) }, page, shown);
}

/** The events in all projects that the caller is a member of, by itself or through groups, as far as it may see them. */
export async function listEventsOfMemberships(
  context: Context,
  page: EventPageRequest,
  shown: Shown,
): Promise<Page<EventRow>> {
  const actor = requireActor(context);
  return loadOfPlaces(context, actor, sql`p.id IN (${accessibleProjects(actor)})`, page, shown);
}

/** The events in the projects of a group and the groups inside, as far as the actor may see them. */
export async function listGroupEvents(
  context: Context,
  { id }: Pick<GroupRow, 'id'>,
  page: EventPageRequest,
  shown: Shown,
): Promise<Page<EventRow>> {
  return loadOfPlaces(context, readerOf(context), sql`n.lineage @> ARRAY[${id}]::int[]`, page, shown);
}

/** @param where a condition on projects `p` and their namespaces `n` */
function loadOfPlaces(
  context: Context,
  actor: Actor | null,
  where: Prisma.Sql,
  page: EventPageRequest,
  shown: Shown,
): Promise<Page<EventRow>> {
  const places = seenPlaces(actor, where);
  const others = sql`${within(e.projectId, 'issues')} AND NOT ${within(e.projectId, 'confidential')}`;
  const own = actor?.admin ? sql`0` : ownConfidential(actor, others);
  const counted = sql`(SELECT COALESCE(sum(c.count), 0) FROM project_event_counts c JOIN places v ON v.id = c.project_id
    WHERE CASE c.kind WHEN 'issue' THEN v.issues WHEN 'confidential' THEN v.issues AND v.confidential WHEN 'push' THEN v.commits
      WHEN 'note' THEN v.commits WHEN 'merge_request' THEN v.merge_requests WHEN 'milestone' THEN v.planning ELSE TRUE END) + ${own}`;
  return load(context, { of: 'places', visible: seenBy(actor), counted, places }, page, shown);
}

/** Whether the actor may see the event `e`, by the subquery `places`. */
export function seenBy(actor: Actor | null): Prisma.Sql {
  const issues = sql`(${within(e.projectId, 'issues')} AND ${issueEvent(actor, within(e.projectId, 'confidential'))})`;
  return sql`CASE WHEN ${PLAIN} THEN ${within(e.projectId)} WHEN ${IS_MILESTONE} THEN ${within(e.projectId, 'planning')} WHEN ${PUSH} OR ${IS_NOTE} THEN ${within(e.projectId, 'commits')}
    WHEN ${IS_MERGE_REQUEST} THEN ${within(e.projectId, 'merge_requests')} ELSE ${issues} END`;
}

const PLAIN = sql`(e.target_type IS NULL AND e.data IS NULL)`;

/** Pushes show commits. */
const PUSH = sql`(e.target_type IS NULL AND e.data IS NOT NULL)`;

const IS_MILESTONE = sql`e.target_type = 'Milestone'`;

/** A note on a commit. */
const IS_NOTE = sql`e.target_type = 'Note'`;

/** Deleted merge requests leave no events, so the project alone decides. */
const IS_MERGE_REQUEST = sql`e.target_type IN ('MergeRequest', 'MergeRequestNote')`;

/** The issue that an event or its note is about. */
const ISSUE_ID = sql`CASE e.target_type WHEN 'Issue' THEN e.target_id WHEN 'IssueNote' THEN e.subject_id END`;

/** Whether the actor sees the issue of the event. Of a deleted issue only its deletion is shown, to those who saw the issue. */
function issueEvent(actor: Actor | null, seesConfidential: Prisma.Sql | boolean): Prisma.Sql {
  return sql`(e.target_type IN ('Issue', 'IssueNote') AND EXISTS (SELECT 1 FROM ${table(issue)} WHERE ${issue.id} = ${ISSUE_ID}
    AND (${issue.deletedAt} IS NULL OR e.action = 'destroyed') AND ${issueVisible(issue, actor, seesConfidential)}))`;
}

/**
 * How many of the events selected by `of` are about confidential issues that the actor sees as author or assignees. They are
 * looked up by issue alone: the condition on the feed seems more selective to the planner, but seldom is.
 */
function ownConfidential(actor: Actor | null, of: Prisma.Sql): Prisma.Sql {
  if (!actor) return sql`0`;
  return sql`(SELECT count(*) FROM (
      SELECT i.id, i.deleted_at FROM issues i WHERE i.confidential AND i.author_id = ${actor.id}
      UNION SELECT i.id, i.deleted_at FROM issues i WHERE i.confidential AND ${assignedTo('Issue', issue, actor.id)}) i
    CROSS JOIN LATERAL (SELECT e.* FROM events e WHERE e.target_type = 'Issue' AND e.target_id = i.id
      UNION ALL SELECT e.* FROM events e WHERE e.target_type = 'IssueNote' AND e.subject_id = i.id AND e.subject_id IS NOT NULL OFFSET 0) e
    WHERE (i.deleted_at IS NULL OR e.action = 'destroyed') AND ${of})`;
}

/** The target's current title, which viewers may know; the recorded one if the target is gone. */
const TITLE = sql`COALESCE(CASE WHEN e.target_type IN ('Issue', 'IssueNote') THEN (SELECT i.title FROM issues i WHERE i.id = ${ISSUE_ID})
  WHEN e.target_type = 'MergeRequest' THEN (SELECT m.title FROM merge_requests m WHERE m.id = e.target_id)
  WHEN e.target_type = 'MergeRequestNote' THEN (SELECT m.title FROM merge_requests m WHERE m.id = e.subject_id)
  WHEN e.target_type = 'Milestone' THEN (SELECT m.title FROM milestones m WHERE m.id = e.target_id) END, e.target_title)`;

/** The number of the target within its project, as it was; the ID of a comment. */
const TARGET_IID = sql`CASE e.target_type WHEN 'Issue' THEN (SELECT i.iid FROM issues i WHERE i.id = e.target_id)
  WHEN 'MergeRequest' THEN (SELECT m.iid FROM merge_requests m WHERE m.id = e.target_id)
  WHEN 'Milestone' THEN (SELECT m.iid FROM milestones m WHERE m.id = e.target_id) ELSE e.target_id END`;

/** What is read of the authors of events, and of the comments. */
export interface Shown {
  users: Selection<'User'>;
  notes: Selection<'Note'>;
}

const NOTES = order('Note', ['id']);

/** The comment of the event `e`; null without one. */
function noteJson(notes: Selection<'Note'>): Prisma.Sql {
  const one = (from: Prisma.Sql) => sql`${rowsJson(notes, { from, order: (row) => sorted(row, NOTES) })} -> 0`;
  return sql`CASE WHEN ${IS_NOTE} THEN ${one(commentsAsNotes(sql`c.id = e.target_id`))}
    WHEN e.target_type IN ('IssueNote', 'MergeRequestNote') THEN ${one(sql`SELECT nt.* FROM notes nt WHERE nt.id = e.target_id`)} END`;
}

/** The target type of notes is shown as Note, whatever they are on. */
const TARGET_TYPE = sql`CASE WHEN e.target_type IN ('IssueNote', 'MergeRequestNote') THEN 'Note' ELSE e.target_type END`;

/** Conditions on the events of a feed under alias `e`. */
interface Feed {
  /** Which events belong to the feed; or those of each of the subquery `places`. */
  of: Prisma.Sql | 'places';
  /** Which of them the actor may see. */
  visible: Prisma.Sql;
  /** Their number, from the counts that triggers maintain. */
  counted: Prisma.Sql;
  /** A subquery that the conditions use, computed once. */
  places?: Prisma.Sql;
}

/** Loads the page with authors and total in one statement. */
async function load(
  { db }: Context,
  { of, visible, counted, places }: Feed,
  page: EventPageRequest,
  { users, notes }: Shown,
): Promise<Page<EventRow>> {
  const { withTotal, upTo, filter = {} } = page;
  const sort = order('Event', ['id'], filter.sort ?? 'desc');
  const matching = matches(filter);
  const isOf = of === 'places' ? sql`e.project_id = v.id` : of;
  const from = of === 'places' ? sql`places v CROSS JOIN LATERAL` : sql``;
  const found = all([isOf, visible, until(page), ...matching, ...between(e, sort, page)]);
  // From each place as many as the page may need, by index.
  const reach = { ...page, limit: page.limit + page.offset, offset: 0 };
  const firsts = of === 'places' ? slice(e, sort, reach) : sql``;
  const read = sql`SELECT e.* FROM ${from} (SELECT e.* FROM events e WHERE ${found} ${firsts}) e`;
  const walked = of === 'places' ? walkedEvents(all([visible, until(page), ...matching]), sort, reach) : null;
  const either = walked
    ? sql`SELECT e.* FROM walked e WHERE ${walked.suffices} UNION ALL SELECT e.* FROM (${read}) e WHERE NOT ${walked.suffices}`
    : read;
  const nodes = sql`(SELECT COALESCE(json_agg(json_build_object('id', e.id, 'projectId', e.project_id, 'action', e.action,
      'targetId', e.target_id, 'targetIid', ${TARGET_IID}, 'targetType', ${TARGET_TYPE}, 'targetTitle', ${TITLE}, 'author', ${userJson('u', users)},
      'data', e.data, 'note', ${noteJson(notes)}, 'createdAt', e.created_at, ${placePair(e, sort)}) ORDER BY ${sorted(e, sort)}), '[]')
    FROM (SELECT e.* FROM (${either}) e ${slice(e, sort, page)}) e
      JOIN users u ON u.id = e.author_id)`;
  const count = (conditions: Prisma.Sql[]) =>
    sql`(SELECT count(*) FROM ${from} (SELECT e.id FROM events e WHERE ${all([isOf, visible, ...conditions])}) e)`;
  // The counts are current: later events are subtracted. What is filtered is counted.
  const since = upTo == null ? sql`0` : count([sql`e.id > ${upTo}`]);
  const total = matching.length > 0 ? count([until(page), ...matching]) : sql`(${counted} - ${since})`;
  const common = walked && places ? sql`${places}, ${walked.subquery}` : places;
  return queryPage(db, page, nodes, withTotal && total, common);
}

/** Up to so many places are read one after the other. */
const MANY_PLACES = 50;
/** How many events are looked at: this many, and so many for each one that the page needs. */
const [AT_LEAST, FOR_EACH] = [5_000, 20];

/**
 * The events for a page of the feed of many places, found by looking at the first events of the server: the subquery `walked`, and whether it
 * suffices. Where the places have few of these, it does not.
 */
function walkedEvents(
  conditions: Prisma.Sql,
  sort: Order<'Event'>,
  reach: PageRequest,
): { subquery: Prisma.Sql; suffices: Prisma.Sql } {
  const ahead = all([sql`TRUE`, ...between(e, sort, reach)]);
  // A power of two keeps statements few.
  const most = Prisma.raw(String(AT_LEAST + FOR_EACH * 2 ** Math.ceil(Math.log2(reach.limit + 1))));
  const by = sorted(e, sort, reach.isBackwards);
  const first = sql`SELECT e.* FROM events e WHERE ${ahead} ORDER BY ${by} LIMIT ${most}`;
  const areMany = sql`(SELECT count(*) FROM places) > ${MANY_PLACES}`;
  const wanted = reach.limit + (reach.withPlaces ? 1 : 0);
  return {
    subquery: sql`walked AS MATERIALIZED (SELECT e.* FROM (${first}) e WHERE ${areMany} AND ${within(e.projectId)} AND ${conditions}
      ORDER BY ${by} LIMIT ${wanted})`,
    suffices: sql`((SELECT count(*) FROM walked) = ${wanted})`,
  };
}
