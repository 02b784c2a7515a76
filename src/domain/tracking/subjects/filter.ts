import type { Actor } from '#src/access/permissions/actor.ts';
import { assignedTo, TODAY } from '#src/access/permissions/visibility.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { MAX_LABELS } from '#src/domain/tracking/labels/ensure.ts';
import { containing, hasTrigrams, holds, Prisma } from '#src/platform/database/db.ts';
import { timestamp } from '#src/platform/database/timestamp.ts';
import { BadRequest, Unauthenticated } from '#src/platform/errors.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

const { sql, join } = Prisma;
const [label, milestone, award] = [alias('Label', 'l'), alias('Milestone', 'm'), alias('AwardEmoji', 'aw')];
const subscription = alias('Subscription', 'sb');

/** A user by ID, or whether there is any. */
export type UserMatch = number | 'none' | 'any';

/** The traits by which issues and merge requests are filtered, to include or to exclude them. */
interface Traits {
  /** Titles of labels; `No Label` and `None` mean without labels, `Any` with at least one. */
  labels?: readonly string[] | null | undefined;
  /** A title, `No Milestone`, `None`, `Any`, `#upcoming` or `#started`. */
  milestone?: string | null | undefined;
  authorId?: number | null | undefined;
  /** Case-insensitive, as is that of the assignee. */
  authorUsername?: string | null | undefined;
  assigneeId?: UserMatch | null | undefined;
  assigneeUsername?: string | null | undefined;
  /** An emoji that the actor reacted with, or `None` or `Any`. */
  myReactionEmoji?: string | null | undefined;
}

/** The common filters of lists of issues and of merge requests; absent or blank ones do not filter. */
export interface SubjectFilter extends Traits {
  /** The actor's relation to the records; reviews are of merge requests alone. */
  scope?: 'created_by_me' | 'assigned_to_me' | 'reviews_for_me' | 'all' | null | undefined;
  iids?: readonly number[] | null | undefined;
  /** Inclusive. */
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  updatedAfter?: Date | null | undefined;
  updatedBefore?: Date | null | undefined;
  /** Matches anywhere in title or description, ignoring case. */
  search?: string | null | undefined;
  /** The columns searched; both when absent. */
  in?: readonly SearchedColumn[] | null | undefined;
  /** Excludes records that match any of it. */
  not?: (Traits & { iids?: readonly number[] | null | undefined }) | null | undefined;
}

export type SearchedColumn = 'title' | 'description';

/** The columns of an issue or merge request that filters use. */
type SearchedSubject = Readonly<
  Record<
    'id' | 'iid' | 'projectId' | 'authorId' | 'assigneeId' | 'milestoneId' | 'createdAt' | 'updatedAt' | SearchedColumn,
    Prisma.Sql
  >
>;

/** The columns of labels and milestones that say whose they are. */
export type OfPlace = Pick<Alias<'Label'>, 'projectId' | 'groupId'>;

/** Labels and milestones of the projects in the subquery `places`, and of groups: those that the projects have are around them. */
export const ofLabelsThere = ({ projectId, groupId }: OfPlace) =>
  sql`(${projectId} IN (SELECT v.id FROM places v) OR ${groupId} IS NOT NULL)`;

/** The tables of subjects and their labels. */
export interface Subjects {
  type: Subject['type'];
  columns: SearchedSubject;
  /** The join table of labels. */
  pairs: { table: Prisma.Sql; subjectId: Prisma.Sql; labelId: Prisma.Sql };
  /** A condition on labels and on milestones that narrows their look-ups. */
  inProjects: (of: OfPlace) => Prisma.Sql;
}

/** The conditions of a filter except its text search. Throws BadRequest. */
export function subjectConditions(of: Subjects, filter: SubjectFilter, actor: Actor | null): Prisma.Sql[] {
  const { authorId, iid, createdAt, updatedAt } = of.columns;
  const { scope, iids, createdAfter, createdBefore, updatedAfter, updatedBefore, labels, not, ...traits } = filter;
  const conditions = keptLabels(of, labels);
  if (traits.milestone) {
    const isOfMilestone = milestoneCondition(of, traits.milestone);
    conditions.push(namesPerson(filter) ? lookedUp(isOfMilestone) : isOfMilestone);
  }
  if (scope === 'created_by_me') conditions.push(sql`${authorId} = ${callerIn(actor).id}`);
  if (scope === 'assigned_to_me') conditions.push(assignedTo(of.type, of.columns, callerIn(actor).id));
  if (iids && iids.length > 0) conditions.push(sql`${iid} = ANY(${[...iids]}::int[])`);
  if (createdAfter) conditions.push(sql`${createdAt} >= ${timestamp(createdAfter)}`);
  if (createdBefore) conditions.push(sql`${createdAt} <= ${timestamp(createdBefore)}`);
  if (updatedAfter) conditions.push(sql`${updatedAt} >= ${timestamp(updatedAfter)}`);
  if (updatedBefore) conditions.push(sql`${updatedAt} <= ${timestamp(updatedBefore)}`);
  conditions.push(...traitConditions(of, { ...traits, milestone: null }, actor));
  if (not) conditions.push(...leftOut(of, not, actor));
  if (not?.iids && not.iids.length > 0) conditions.push(sql`${iid} <> ALL(${[...not.iids]}::int[])`);
  return conditions;
}

/** Whether a filter names the author or the assignee, who has few of all records. */
export function namesPerson({
  scope,
  authorId,
  authorUsername,
  assigneeId,
  assigneeUsername,
}: Pick<SubjectFilter, 'scope' | 'authorId' | 'authorUsername' | 'assigneeId' | 'assigneeUsername'>): boolean {
  const isScoped = scope === 'created_by_me' || scope === 'assigned_to_me';
  const isAssignee = typeof assigneeId === 'number' || !!assigneeUsername;
  return isScoped || authorId != null || !!authorUsername || isAssignee;
}

/** The actor of a filter that is about the caller. Throws Unauthenticated. */
export function callerIn(actor: Actor | null): Actor {
  if (!actor) throw new Unauthenticated();
  return actor;
}

function traitConditions(of: Subjects, traits: Traits, actor: Actor | null): Prisma.Sql[] {
  const { type, columns } = of;
  const { id, authorId, assigneeId } = columns;
  const conditions: Prisma.Sql[] = [];
  if (traits.milestone) conditions.push(milestoneCondition(of, traits.milestone));
  if (traits.authorId != null) conditions.push(sql`${authorId} = ${traits.authorId}`);
  if (traits.authorUsername) conditions.push(sql`${authorId} = ${userOf(traits.authorUsername)}`);
  if (traits.assigneeId === 'none') conditions.push(sql`${assigneeId} IS NULL`);
  else if (traits.assigneeId === 'any') conditions.push(sql`${assigneeId} IS NOT NULL`);
  else if (traits.assigneeId != null) conditions.push(assignedTo(type, columns, traits.assigneeId));
  if (traits.assigneeUsername) conditions.push(assignedTo(type, columns, userOf(traits.assigneeUsername)));
  if (traits.myReactionEmoji) conditions.push(reactionCondition(type, id, traits.myReactionEmoji, actor));
  return conditions;
}

/** Whether the actor reacted with that emoji, with any, or with none. */
function reactionCondition(type: Subjects['type'], id: Prisma.Sql, emoji: string, actor: Actor | null): Prisma.Sql {
  const word = emoji.toLowerCase();
  const isNamed = word === 'none' || word === 'any' ? sql`TRUE` : sql`${award.name} = ${emoji}`;
  const reacted = sql`EXISTS (SELECT 1 FROM ${table(award)} WHERE ${award.subjectType} = ${type} AND ${award.subjectId} = ${id}
    AND ${award.userId} = ${callerIn(actor).id} AND ${isNamed})`;
  return word === 'none' ? sql`NOT ${reacted}` : reacted;
}

/** The ID of the user with that name; NULL, which equals nothing, if there is none. */
export function userOf(username: string): Prisma.Sql {
  return sql`(SELECT u.id FROM users u WHERE lower(u.username) = lower(${username}))`;
}

function leftOut(of: Subjects, { labels, ...traits }: Traits, actor: Actor | null): Prisma.Sql[] {
  const labelled = titlesOf(labels).map((title) => labelCondition(of, title));
  const matched = [...labelled, ...traitConditions(of, traits, actor)];
  // For records without milestone or assignee, conditions on these are NULL rather than true or false.
  return matched.map((condition) => sql`(${condition}) IS NOT TRUE`);
}

/** All of the labels; none if a word for that is among them. */
function keptLabels(of: Subjects, labels: readonly string[] | null | undefined): Prisma.Sql[] {
  const titles = titlesOf(labels);
  const none = titles.find(meansNone);
  return (none === undefined ? titles : [none]).map((title) => labelCondition(of, title));
}

function titlesOf(labels: readonly string[] | null | undefined): string[] {
  const titles = [...new Set(labels ?? [])];
  if (titles.length > MAX_LABELS) {
    throw new BadRequest(`labels has too many names (maximum is ${MAX_LABELS})`, 'labels');
  }
  return titles;
}

const meansNone = (title: string) => title === 'No Label' || title.toLowerCase() === 'none';
const meansAny = (title: string) => title.toLowerCase() === 'any';

/** The titles of labels that a filter names; empty if it names none, or wants records without labels. */
export function namedLabels({ labels }: Pick<Traits, 'labels'>): string[] {
  const titles = titlesOf(labels);
  return titles.some(meansNone) ? [] : titles.filter((title) => !meansAny(title));
}

/**
 * The IDs, as `id`, of the subjects with labels of all these titles, by the index of each label. A list that starts at them looks
 * each of them up once: for several conditions that it joins, PostgreSQL may expect few rows, and look for each label of each row.
 */
export function withLabels({ pairs, inProjects }: Omit<Subjects, 'columns'>, titles: readonly string[]): Prisma.Sql {
  const haveAll = titles.length > 1 ? sql`HAVING count(DISTINCT ${label.title}) = ${titles.length}` : Prisma.empty;
  return sql`SELECT ${pairs.subjectId} AS id FROM ${pairs.table} JOIN ${table(label)} ON ${label.id} = ${pairs.labelId}
    WHERE ${label.title} = ANY(${[...titles]}::text[]) AND ${inProjects(label)} GROUP BY 1 ${haveAll}`;
}

/** A condition in a form of which the sets are built once and looked up for each row; joined, they might be read for each of them. */
export function lookedUp(condition: Prisma.Sql): Prisma.Sql {
  return sql`((${condition}) IS TRUE)`;
}

function labelCondition({ columns: { id }, pairs, inProjects }: Subjects, title: string): Prisma.Sql {
  // OFFSET 0 has each looked up by index; joined, the labels of all records on the server would be read.
  const own = sql`EXISTS (SELECT 1 FROM ${pairs.table} WHERE ${pairs.subjectId} = ${id} OFFSET 0)`;
  if (meansNone(title)) return sql`NOT ${own}`;
  if (meansAny(title)) return own;
  return sql`${id} IN (SELECT ${pairs.subjectId} FROM ${pairs.table}
    JOIN ${table(label)} ON ${label.id} = ${pairs.labelId} WHERE ${label.title} = ${title} AND ${inProjects(label)})`;
}

/** Whether the milestone is one of several. */
export function ofMilestones(of: Subjects, titles: readonly string[]): Prisma.Sql {
  return sql`(${join(
    titles.map((title) => sql`(${milestoneCondition(of, title)}) IS TRUE`),
    ' OR ',
  )})`;
}

/** Whether the actor has subscribed by hand, or unsubscribed for false. */
export function subscribedTo(
  { type, columns: { id } }: Subjects,
  subscribed: boolean,
  actor: Actor | null,
): Prisma.Sql {
  return sql`${id} IN (SELECT ${subscription.subjectId} FROM ${table(subscription)} WHERE ${subscription.subjectType} = ${type}
    AND ${subscription.userId} = ${callerIn(actor).id} AND ${subscription.subscribed} = ${subscribed})`;
}

/** The condition on the milestone, by title or a special word. */
function milestoneCondition({ columns, inProjects }: Subjects, title: string): Prisma.Sql {
  const { milestoneId, projectId } = columns;
  const { id, dueDate, startDate, title: named } = milestone;
  switch (title.toLowerCase()) {
    case 'no milestone':
    case 'none':
      return sql`${milestoneId} IS NULL`;
    case 'any':
      return sql`${milestoneId} IS NOT NULL`;
    case '#upcoming':
      return sql`${milestoneId} = (SELECT ${id} FROM ${table(milestone)} WHERE ${ofProjectOrAncestorGroups(milestone, projectId)}
        AND ${milestone.state} = 'active' AND ${dueDate} > ${TODAY} ORDER BY ${dueDate}, ${id} LIMIT 1)`;
    // The milestone of a record is one that its project has.
    case '#started':
      return sql`(SELECT ${milestone.state} = 'active' AND ${startDate} <= ${TODAY} FROM ${table(milestone)}
        WHERE ${id} = ${milestoneId})`;
    default:
      return sql`${milestoneId} IN (SELECT ${id} FROM ${table(milestone)} WHERE ${named} = ${title} AND ${inProjects(milestone)})`;
  }
}

/** Whether a record has a milestone, and when that is. */
export type MilestoneMatch = 'None' | 'Any' | 'Upcoming' | 'Started';

/** The condition for a milestone at all, one that is due in the future, or one that is going on. */
export function milestoneMatches(
  { columns: { milestoneId }, inProjects }: Pick<Subjects, 'columns' | 'inProjects'>,
  match: MilestoneMatch,
): Prisma.Sql {
  if (match === 'None') return sql`${milestoneId} IS NULL`;
  if (match === 'Any') return sql`${milestoneId} IS NOT NULL`;
  const { id, state, dueDate, startDate } = milestone;
  const isThen =
    match === 'Upcoming'
      ? sql`${dueDate} > ${TODAY}`
      : sql`${startDate} <= ${TODAY} AND (${dueDate} IS NULL OR ${dueDate} >= ${TODAY})`;
  return sql`${milestoneId} IN (SELECT ${id} FROM ${table(milestone)} WHERE ${state} = 'active' AND ${isThen} AND ${inProjects(milestone)})`;
}

/** The text and columns of a search; null without one. */
export interface Searched {
  text: string;
  columns: readonly SearchedColumn[];
  /** Whether an index supports it. */
  isIndexed: boolean;
}

export function searchOf({ search, in: columns }: SubjectFilter): Searched | null {
  if (!search?.trim()) return null;
  const places = [...new Set(columns ?? [])];
  return {
    text: search,
    columns: places.length > 0 ? places : ['title', 'description'],
    isIndexed: hasTrigrams(search),
  };
}

/** Whether a record contains the searched text, ignoring case, evaluated per row. */
export function holdsText(of: Pick<SearchedSubject, SearchedColumn>, { text, columns }: Searched): Prisma.Sql {
  const pattern = containing(text);
  const held = columns.map((column) => holds(of[column], pattern));
  return sql`(${join(held, ' OR ')})`;
}
