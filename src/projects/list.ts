import type { Visibility } from '#src/access/abilities.ts';
import { type Actor, type Context, requireApiScope } from '#src/access/actor.ts';
import { accessibleProjects, live, projectListed } from '#src/access/visibility.ts';
import { all, containing, hasTrigrams, holds, Prisma, readPages } from '#src/platform/db.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, ofEach } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/projects/own_values.ts';
import '#src/users/own_values.ts';

const { sql } = Prisma;
const project = alias('Project', 'p');

/** The filters of every project list (rest-api-v4.md, Groups and namespaces; endpoints-beyond.md, Projects). */
export interface ProjectFilter {
  /** Only archived ones, or only others; both when absent. */
  archived?: boolean | null | undefined;
  visibility?: Visibility | null | undefined;
  /** Found anywhere in path, name, description or the name of the namespace, whatever its case. */
  search?: string | null | undefined;
  /** Those in the actor's personal namespace and in groups that the actor owns. */
  owned?: boolean | null | undefined;
  starred?: boolean | null | undefined;
  /** Those in which the actor has any access level. */
  membership?: boolean | null | undefined;
}

export interface ProjectOrder {
  by: 'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at';
  direction: Direction;
}

/** Which projects of which the actor sees, in which order. */
export interface ProjectList {
  filter: ProjectFilter;
  order: ProjectOrder;
}

/** The projects that the actor sees; for anonymous callers too. */
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
 * The projects of each parent that the actor sees, in one statement; for anonymous callers too.
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
  const pageOf = (parent: Asked<P>) => {
    const where = all([...scope(project, parent), ...projectConditions(actor, filter)]);
    return pageOfRows(selection, { rows: project, where, order: orderOf(by), given: { actor } }, page);
  };
  return readPages(db, page, ofEach(parents, types, pageOf));
}

/** What the actor sees of what the filter lets through. */
function projectConditions(actor: Actor | null, filter: ProjectFilter): Prisma.Sql[] {
  const conditions = [projectListed(actor, project)];
  const { archived, visibility, search, owned, starred, membership } = filter;
  if (archived != null) conditions.push(archived ? project.archived : sql`NOT ${project.archived}`);
  if (visibility) conditions.push(sql`${project.visibility} = ${visibility}::visibility`);
  if (search?.trim()) conditions.push(searched(search.trim()));
  // Nothing is an anonymous caller's own.
  if (!actor) return owned || starred || membership ? [sql`FALSE`] : conditions;
  if (owned) conditions.push(sql`${project.namespaceId} IN (${ownedNamespaces(actor)})`);
  if (starred) {
    conditions.push(sql`${project.id} IN (SELECT st.project_id FROM project_stars st WHERE st.user_id = ${actor.id})`);
  }
  if (membership) conditions.push(sql`${project.id} IN (${accessibleProjects(actor)})`);
  return conditions;
}

/** One branch for each column, so that each finds its rows by its own index; without one all rows are looked at. */
function searched(text: string): Prisma.Sql {
  const pattern = containing(text);
  if (!hasTrigrams(text)) {
    const own = [project.name, project.path, project.description].map((column) => holds(column, pattern));
    const around = sql`${project.namespaceId} IN (SELECT sn.id FROM namespaces sn WHERE ${holds(sql`sn.name`, pattern)})`;
    return sql`(${Prisma.join([...own, around], ' OR ')})`;
  }
  return sql`${project.id} IN (SELECT sp.id FROM projects sp WHERE sp.name ILIKE ${pattern}
    UNION SELECT sp.id FROM projects sp WHERE sp.path ILIKE ${pattern}
    UNION SELECT sp.id FROM projects sp WHERE sp.description ILIKE ${pattern}
    UNION SELECT sp.id FROM namespaces sn JOIN projects sp ON sp.namespace_id = sn.id WHERE sn.name ILIKE ${pattern})`;
}

/** The actor's personal namespace, and the groups that the actor owns with those inside. */
function ownedNamespaces({ id }: Actor): Prisma.Sql {
  return sql`SELECT own.id FROM namespaces own WHERE own.owner_id = ${id}
    UNION ALL SELECT own.id FROM namespaces own WHERE own.lineage && ARRAY(SELECT m.namespace_id FROM members m
      WHERE m.user_id = ${id} AND m.namespace_id IS NOT NULL AND m.access_level = 50 AND ${live('m')})`;
}

/** Each order has an index that ends with the ID. */
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
