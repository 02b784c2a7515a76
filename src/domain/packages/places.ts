import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Where packages are looked for: the projects whose packages the actor may read. */
export interface Places {
  /** What stands before the other subqueries of a statement. */
  before: Prisma.Sql;
  /** Whether a project is one of them. */
  has: (projectId: Prisma.Sql) => Prisma.Sql;
}

/** Which registry a client has: that of a project, of the projects below a group, or of all projects of the server. */
export type RegistryPlace = { project: IdOrPath } | { group: IdOrPath } | 'server';

/** The projects of a registry. Throws NotFound, Forbidden, Unauthenticated, InsufficientScope. */
export async function placesOf(context: Context, place: RegistryPlace): Promise<Places> {
  if (place === 'server') return onServer(context);
  if ('project' in place) return inProject(context, await findProject(context, place.project));
  return inGroup(context, await findGroup(context, place.group));
}

/** One project. Throws Forbidden, Unauthenticated. */
export function inProject({ actor }: Context, project: ProjectRow): Places {
  authorize(actor, 'read_package', project);
  return { before: Prisma.empty, has: (id) => sql`${id} = ${project.id}` };
}

/** The projects in the group and its subgroups. Throws InsufficientScope. */
export function inGroup(context: Context, group: GroupRow): Places {
  const places = seenPlaces(readerOf(context), sql`n.lineage @> ARRAY[${group.id}]::int[]`);
  return { before: sql`${places},`, has: (id) => within(id, 'packages') };
}

/** The projects of the server. Throws InsufficientScope. */
export function onServer(context: Context): Places {
  return { before: sql`${seenPlaces(readerOf(context), sql`TRUE`)},`, has: (id) => within(id, 'packages') };
}

/** The projects below a group or user, by its path; none if there is nothing to be seen. Throws InsufficientScope. */
export function belowPath(context: Context, path: string): Places {
  const top = sql`(SELECT id FROM namespaces WHERE lower(full_path) = lower(${path}))`;
  const places = seenPlaces(readerOf(context), sql`n.lineage @> ARRAY[${top}]::int[]`);
  return { before: sql`${places},`, has: (id) => within(id, 'packages') };
}
