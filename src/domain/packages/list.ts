import '#src/domain/packages/computed_fields.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { all, containing, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const pack = alias('Package', 'k');
const file = alias('PackageFile', 'f');

/** The packages with these IDs that the actor may read, hidden ones too. */
export const { findByIds: findPackagesByIds } = projectScoped({ ability: 'read_package', rows: pack });
/** The files of packages with these IDs that the actor may read. */
export const { findByIds: findPackageFilesByIds } = projectScoped({ ability: 'read_package', rows: file });

/** Which packages a list has, and in which order. */
export interface PackageFilter {
  orderBy: 'createdAt' | 'name' | 'version' | 'type';
  sort: 'asc' | 'desc';
  type?: Columns['Package']['type'] | null | undefined;
  /** Anywhere in the name, in any case. */
  name?: string | null | undefined;
  /** The whole version. */
  version?: string | null | undefined;
  /** Those that are not hidden when absent. */
  status?: Columns['Package']['status'] | null | undefined;
}

/** A page of the packages of each project, in one statement; an error in place of those that the actor may not read. */
export async function listPackages<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: PackageFilter,
  page: PageRequest,
  selection: Selection<'Package', R>,
): Promise<(Page<R> | Error)[]> {
  const sorted = orderOf(filter);
  const conditions = conditionsOf(filter);
  const pageOf = ({ project }: Asked<{ project: number }>) => {
    const where = all([sql`${pack.projectId} = ${project}`, ...conditions]);
    return pageOfRows(selection, { rows: pack, where, order: sorted }, page);
  };
  const read = (permitted: ProjectRow[]) => {
    const parents = permitted.map(({ id }) => ({ project: id }));
    return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
  };
  return forPermittedParents(projects, (project) => authorize(context.actor, 'read_package', project), read);
}

/** A page of the packages of the projects below each group that the actor may read, in one statement. Throws InsufficientScope. */
export async function listGroupPackages<R>(
  context: Context,
  groups: readonly GroupRow[],
  filter: PackageFilter & { excludeSubgroups: boolean },
  page: PageRequest,
  selection: Selection<'Package', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const sorted = orderOf(filter);
  const conditions = conditionsOf(filter);
  const pageOf = ({ group }: Asked<{ group: number }>) => {
    const inside = filter.excludeSubgroups ? sql`gn.id = ${group}` : sql`gn.lineage @> ARRAY[${group}]::int[]`;
    const ofGroup = sql`${pack.projectId} IN (SELECT gp.id FROM projects gp JOIN namespaces gn ON gn.id = gp.namespace_id WHERE ${inside})`;
    const where = all([ofGroup, within(pack.projectId, 'packages'), ...conditions]);
    return pageOfRows(selection, { rows: pack, where, order: sorted }, page);
  };
  const parents = groups.map(({ id }) => ({ group: id }));
  const ids = sql`n.lineage && ${groups.map(({ id }) => id)}::int[]`;
  return readPages<R>(context.db, page, perParent(parents, { group: 'int' }, pageOf, [seenPlaces(actor, ids)]));
}

function orderOf({ orderBy, sort }: PackageFilter) {
  return order('Package', [orderBy, 'id'], sort);
}

function conditionsOf({ type, name, version, status }: PackageFilter): Prisma.Sql[] {
  return [
    sql`${pack.status} = ${status ?? 'default'}::package_status`,
    ...(type ? [sql`${pack.type} = ${type}::package_type`] : []),
    ...(name ? [sql`${pack.name} ILIKE ${containing(name)}`] : []),
    ...(version ? [sql`${pack.version} = ${version}`] : []),
  ];
}

/** A package of a project by its ID. Throws NotFound, Forbidden, Unauthenticated. */
export async function findPackage<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Package', R>,
): Promise<R> {
  authorize(context.actor, 'read_package', project);
  const where = sql`${pack.id} = ${id} AND ${pack.projectId} = ${project.id}`;
  const found = await readRow(context.db, selection, { rows: pack, where });
  if (!found) throw new NotFound('Package');
  return found;
}

/** Identifies the versions of a package of a project. */
export interface PackageKey {
  id: number;
  projectId: number;
  type: Columns['Package']['type'];
  name: string;
}

/** Maximum number of versions beside a package. */
const MAX_VERSIONS = 100;

/** The other versions of packages that the actor may read, newest first, none hidden; in one statement. */
export async function otherVersions<R>(
  { db }: Pick<Context, 'db'>,
  keys: readonly PackageKey[],
  selection: Selection<'Package', R>,
): Promise<R[][]> {
  const page = { limit: MAX_VERSIONS, offset: 0, withTotal: false };
  const parents = keys.map(({ id, projectId: project, type, name }) => ({ id, project, type, name }));
  const pageOf = ({ id, project, type, name }: Asked<(typeof parents)[number]>) => {
    const isVersion = sql`${pack.projectId} = ${project} AND ${pack.type} = ${type}::package_type AND ${pack.name} = ${name}`;
    const where = sql`${isVersion} AND ${pack.id} <> ${id} AND ${pack.status} = 'default'`;
    return pageOfRows(selection, { rows: pack, where, order: order('Package', ['id'], 'desc') }, page);
  };
  const types = { id: 'int', project: 'int', type: 'text', name: 'text' } as const;
  return (await readPages<R>(db, page, perParent(parents, types, pageOf))).map(({ nodes }) => nodes);
}

/** Orders of the files of a package. */
export interface FileOrder {
  orderBy: 'id' | 'fileName' | 'createdAt';
  sort: 'asc' | 'desc';
}

/** A page of the files of each package that the actor may read, in one statement. */
export async function listPackageFiles<R>(
  { db }: Pick<Context, 'db'>,
  packages: readonly { id: number }[],
  { orderBy, sort }: FileOrder,
  page: PageRequest,
  selection: Selection<'PackageFile', R>,
): Promise<Page<R>[]> {
  const sorted = order('PackageFile', orderBy === 'id' ? ['id'] : [orderBy, 'id'], sort);
  const pageOf = ({ pack: id }: Asked<{ pack: number }>) =>
    pageOfRows(selection, { rows: file, where: sql`${file.packageId} = ${id}`, order: sorted }, page);
  const parents = packages.map(({ id }) => ({ pack: id }));
  return readPages<R>(db, page, perParent(parents, { pack: 'int' }, pageOf));
}

/** Identifies a file as its address does. */
export interface FileAddress {
  type: Columns['Package']['type'];
  name: string;
  /** Null where the name of the file tells it. */
  version: string | null;
  fileName: string;
}

/** The newest file at an address of a package of this type, hidden ones included. Throws NotFound, Forbidden, Unauthenticated. */
export async function findPackageFile<R>(
  context: Context,
  project: ProjectRow,
  { type, name, version, fileName }: FileAddress,
  selection: Selection<'PackageFile', R>,
): Promise<R> {
  authorize(context.actor, 'read_package', project);
  const isNul = [name, version ?? '', fileName].some((text) => text.includes('\0'));
  const newest = sql`SELECT nf.id FROM package_files nf JOIN packages np ON np.id = nf.package_id
    WHERE np.project_id = ${project.id} AND np.type = ${type}::package_type AND np.name = ${name}
      ${version === null ? Prisma.empty : sql`AND np.version = ${version}`} AND nf.file_name = ${fileName} ORDER BY nf.id DESC LIMIT 1`;
  const where = sql`${file.id} = (${newest})`;
  const found = isNul ? undefined : await readRow(context.db, selection, { rows: file, where });
  if (!found) throw new NotFound('PackageFile');
  return found;
}

/** Reads back a file that was published. Throws NotFound. */
export async function publishedFile<R>(
  { db }: Pick<Context, 'db'>,
  id: number,
  selection: Selection<'PackageFile', R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows: file, where: sql`${file.id} = ${id}` });
  if (!found) throw new NotFound('PackageFile');
  return found;
}
