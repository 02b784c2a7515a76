import { REPORTER, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import { featureThere } from '#src/access/permissions/features.ts';
import {
  accessibleProjects,
  notExpired,
  openTo,
  projectLevels,
  projectListed,
} from '#src/access/permissions/visibility.ts';
import { hasCustomAttributes } from '#src/domain/administration/custom_attributes.ts';
import { projectsAt } from '#src/domain/projects/named.ts';
import { all, containing, hasTrigrams, holds, Prisma, readPages } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/projects/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const project = alias('Project', 'p');

/** The filters of all lists of projects (rest-api-v4.md, Groups and namespaces; endpoints-beyond.md, Projects). */
export interface ProjectFilter {
  /** Only archived ones, or only others; both when absent. */
  archived?: boolean | null | undefined;
  /** Those with one of these IDs, and with one of these full paths, ignoring case; at most 100 each. */
  ids?: readonly number[] | null | undefined;
  fullPaths?: readonly string[] | null | undefined;
  visibility?: Visibility | null | undefined;
  /** Words that must all occur in path, name, description or the name of the namespace, ignoring case. */
  search?: string | null | undefined;
  /** Whether they may also occur in the full path. */
  searchNamespaces?: boolean | null | undefined;
  /** Those in the actor's personal namespace and in groups owned by the actor. */
  owned?: boolean | null | undefined;
  starred?: boolean | null | undefined;
  /** Those in which the actor has any access level. */
  membership?: boolean | null | undefined;
  /** Those in which the actor has at least this access level. */
  minAccessLevel?: number | null | undefined;
  /** Those with larger, or smaller, IDs. */
  idAfter?: number | null | undefined;
  idBefore?: number | null | undefined;
  /** Inclusive. */
  lastActivityAfter?: Date | null | undefined;
  lastActivityBefore?: Date | null | undefined;
  /** Inclusive; only in the order of this time. */
  updatedAfter?: Date | null | undefined;
  updatedBefore?: Date | null | undefined;
  /** Only those that are not archived, or only archived ones; takes precedence over `archived`. */
  active?: boolean | null | undefined;
  /** Those whose repositories the actor had imported. */
  imported?: boolean | null | undefined;
  /** Those with all of these topics, ignoring case. */
  topics?: readonly string[] | null | undefined;
  /** Those with the topic of this ID. */
  topicId?: number | null | undefined;
  /** Those with files in this programming language on their default branch, ignoring case. */
  withProgrammingLanguage?: string | null | undefined;
  /** Those with issues enabled. */
  withIssuesEnabled?: boolean | null | undefined;
  /** Those with merge requests enabled and readable by the actor. */
  withMergeRequestsEnabled?: boolean | null | undefined;
  /** Those with all of these custom attributes, values by their keys; ignored unless the actor is an administrator. */
  customAttributes?: unknown;
}

export interface ProjectOrder {
  by: 'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at';
  direction: Direction;
}

/** Which of the visible projects a list contains, and their order. */
export interface ProjectList {
  filter: ProjectFilter;
  order: ProjectOrder;
}

/** The projects that the actor can see; also for anonymous callers. */
export async function listProjects<R>(
  context: Context,
  list: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>> {
  const [found] = await listProjectsOf(context, [{}], {}, () => [], list, page, selection);
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}

/**
 * The projects of each parent that the actor can see, in one statement; also for anonymous callers.
 *
 * @param scope which projects belong to a parent
 */
export async function listProjectsOf<P extends Readonly<Record<string, number>>, R>(
  context: Context,
  parents: readonly P[],
  types: { readonly [Name in keyof P]: 'int' },
  scope: (project: Alias<'Project'>, parent: Asked<P>) => Prisma.Sql[],
  { filter, order: by }: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  const { db, actor } = context;
  requireApiScope(actor);
  if ((filter.updatedAfter || filter.updatedBefore) && by.by !== 'updated_at') {
    throw new BadRequest('`updated_at` filter and `updated_at` sorting must be paired', 'orderBy');
  }
  const pageOf = (parent: Asked<P>) => {
    const where = all([...scope(project, parent), ...projectConditions(actor, filter)]);
    return pageOfRows(selection, { rows: project, where, order: orderOf(by), params: { actor } }, page);
  };
  return readPages(db, page, perParent(parents, types, pageOf));
}

/** The conditions for a filter and visibility. Throws BadRequest. */
function projectConditions(actor: Actor | null, filter: ProjectFilter): Prisma.Sql[] {
  const conditions = [projectListed(actor, project), ...namedConditions(filter), ...placeConditions(filter)];
  const { archived, visibility, owned, starred, membership, minAccessLevel } = filter;
  if (archived != null && filter.active == null)
    conditions.push(archived ? project.archived : sql`NOT ${project.archived}`);
  if (filter.active != null) conditions.push(filter.active ? sql`NOT ${project.archived}` : project.archived);
  if (filter.imported)
    conditions.push(sql`${project.importStatus} IS NOT NULL AND ${project.creatorId} = ${actor?.id ?? 0}`);
  if (visibility) conditions.push(sql`${project.visibility} = ${visibility}::visibility`);
  conditions.push(...searchConditions(filter), ...topicConditions(filter.topics));
  if (filter.topicId != null) {
    conditions.push(
      sql`lower_texts(${project.tagList}) @> ARRAY(SELECT lower(ft.name) FROM topics ft WHERE ft.id = ${filter.topicId})`,
    );
    conditions.push(sql`EXISTS (SELECT 1 FROM topics ft WHERE ft.id = ${filter.topicId})`);
  }
  const language = filter.withProgrammingLanguage?.trim().toLowerCase();
  if (language) {
    conditions.push(
      sql`${project.id} IN (SELECT lc.project_id FROM language_counts lc WHERE lc.names @> ARRAY[${language}]::text[])`,
    );
  }
  if (language) conditions.push(readsCode(actor));
  if (filter.withIssuesEnabled) conditions.push(featureThere('issues', project, memberOf(actor)));
  if (filter.withMergeRequestsEnabled)
    conditions.push(featureThere('mergeRequests', project, memberOf(actor)), readsCode(actor));
  conditions.push(...hasCustomAttributes(actor, 'projectId', project.id, filter.customAttributes));
  // Anonymous callers have no projects of their own.
  if (!actor) return owned || starred || membership || minAccessLevel != null ? [sql`FALSE`] : conditions;
  if (owned) conditions.push(sql`${project.namespaceId} IN (${ownedNamespaces(actor)})`);
  if (starred) {
    conditions.push(sql`${project.id} IN (SELECT st.project_id FROM project_stars st WHERE st.user_id = ${actor.id})`);
  }
  if (membership) conditions.push(sql`${project.id} IN (${accessibleProjects(actor)})`);
  if (minAccessLevel != null) conditions.push(hasLevel(actor, minAccessLevel));
  return conditions;
}

/** Maximum number of projects that a filter names. */
const MAX_NAMED = 100;

/** Those that are named by IDs, or by full paths. Throws BadRequest for too many. */
function namedConditions({ ids, fullPaths }: ProjectFilter): Prisma.Sql[] {
  for (const [name, given] of Object.entries({ ids, fullPaths })) {
    if (given && given.length > MAX_NAMED)
      throw new BadRequest(`${name} has too many entries (maximum is ${MAX_NAMED})`, name);
  }
  return [
    ...(ids ? [sql`${project.id} = ANY(${[...ids]}::int[])`] : []),
    ...(fullPaths ? [sql`${project.id} IN (${projectsAt(fullPaths)})`] : []),
  ];
}

/** Bounds of IDs, of the last activity and of the last change. */
function placeConditions({
  idAfter,
  idBefore,
  lastActivityAfter,
  lastActivityBefore,
  updatedAfter,
  updatedBefore,
}: ProjectFilter): Prisma.Sql[] {
  const { id, lastActivityAt, updatedAt } = project;
  return [
    ...(idAfter != null ? [sql`${id} > ${idAfter}`] : []),
    ...(idBefore != null ? [sql`${id} < ${idBefore}`] : []),
    ...(lastActivityAfter ? [sql`${lastActivityAt} >= ${lastActivityAfter.toISOString()}::timestamptz`] : []),
    ...(updatedAfter ? [sql`${updatedAt} >= ${updatedAfter.toISOString()}::timestamptz`] : []),
    ...(updatedBefore ? [sql`${updatedAt} <= ${updatedBefore.toISOString()}::timestamptz`] : []),
    ...(lastActivityBefore ? [sql`${lastActivityAt} <= ${lastActivityBefore.toISOString()}::timestamptz`] : []),
  ];
}

function hasLevel(actor: Actor, level: number): Prisma.Sql {
  return sql`${project.id} IN (SELECT lp.project_id FROM (${projectLevels(actor)}) lp WHERE lp.level >= ${level})`;
}

/** Whether the actor may read the files of a visible project, and thereby its merge requests. */
function readsCode(actor: Actor | null): Prisma.Sql {
  const isThere = featureThere('repository', project, memberOf(actor));
  if (!actor || actor.admin) return isThere;
  return sql`(${isThere} AND (${openTo(actor, project)} OR ${hasLevel(actor, REPORTER)}))`;
}

/** Whether what is for members is for the actor. */
function memberOf(actor: Actor | null): Prisma.Sql | boolean {
  return actor !== null && (actor.admin || sql`${project.id} IN (${accessibleProjects(actor)})`);
}

/** Maximum number of topics in a filter, and of words in a search. */
const MAX_TOPICS = 100;
const MAX_WORDS = 20;

/** The index of topics is in lower case. */
function topicConditions(topics: readonly string[] | null | undefined): Prisma.Sql[] {
  const wanted = [...new Set(topics ?? [])];
  if (wanted.length > MAX_TOPICS) {
    throw new BadRequest(`topic has too many names (maximum is ${MAX_TOPICS})`, 'topics');
  }
  if (wanted.length === 0) return [];
  return [sql`lower_texts(${project.tagList}) @> lower_texts(${wanted}::text[])`];
}

function searchConditions({ search, searchNamespaces }: ProjectFilter): Prisma.Sql[] {
  const words = [...new Set(search?.trim().split(/\s+/, MAX_WORDS + 1))].filter((word) => word !== '');
  if (words.length > MAX_WORDS) throw new BadRequest(`search has too many words (maximum is ${MAX_WORDS})`, 'search');
  return words.map((word) => searched(word, searchNamespaces === true));
}

/**
 * One branch per column, so that each finds its rows by its own index; otherwise all rows would be read.
 *
 * @param withPath whether the text may also occur in the path or name of any parent group, or across the full path
 */
function searched(text: string, withPath: boolean): Prisma.Sql {
  const pattern = containing(text);
  const { id, name, path, description, namespaceId } = project;
  const across = sql`SELECT sp.id FROM namespaces sn JOIN projects sp ON sp.namespace_id = sn.id
    WHERE sn.full_path || '/' || sp.path ILIKE ${pattern}`;
  const isAcross = withPath && text.includes('/');
  if (!hasTrigrams(text)) {
    const around = [sql`sn.name`, ...(withPath ? [sql`sn.full_path`, sql`sn.full_name`] : [])];
    const held = Prisma.join(
      around.map((column) => holds(column, pattern)),
      ' OR ',
    );
    const branches = [
      ...[name, path, description].map((column) => holds(column, pattern)),
      sql`${namespaceId} IN (SELECT sn.id FROM namespaces sn WHERE ${held})`,
      ...(isAcross ? [sql`${id} IN (${across})`] : []),
    ];
    return sql`(${Prisma.join(branches, ' OR ')})`;
  }
  const inside = sql`SELECT sp.id FROM namespaces sn JOIN projects sp ON sp.namespace_id = sn.id`;
  const branches = [
    sql`SELECT sp.id FROM projects sp WHERE sp.name ILIKE ${pattern}`,
    sql`SELECT sp.id FROM projects sp WHERE sp.path ILIKE ${pattern}`,
    sql`SELECT sp.id FROM projects sp WHERE sp.description ILIKE ${pattern}`,
    withPath
      ? sql`${inside} WHERE sn.lineage && ARRAY(SELECT an.id FROM namespaces an WHERE an.name ILIKE ${pattern}
          UNION SELECT an.id FROM namespaces an WHERE an.path ILIKE ${pattern})`
      : sql`${inside} WHERE sn.name ILIKE ${pattern}`,
    ...(isAcross ? [across] : []),
  ];
  return sql`${id} IN (${Prisma.join(branches, ' UNION ')})`;
}

/** The actor's personal namespace, and the groups owned by the actor with their subgroups. */
function ownedNamespaces({ id }: Actor): Prisma.Sql {
  return sql`SELECT own.id FROM namespaces own WHERE own.owner_id = ${id}
    UNION ALL SELECT own.id FROM namespaces own WHERE own.lineage && ARRAY(SELECT m.namespace_id FROM members m
      WHERE m.user_id = ${id} AND m.namespace_id IS NOT NULL AND m.access_level = 50 AND ${notExpired('m')})`;
}

/** Each order has an index that ends in the ID. */
function orderOf({ by, direction }: ProjectOrder): Order<'Project'> {
  return order('Project', by === 'id' ? ['id'] : [COLUMNS[by], 'id'], direction);
}

const COLUMNS = {
  name: 'name',
  path: 'path',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  last_activity_at: 'lastActivityAt',
} as const;
