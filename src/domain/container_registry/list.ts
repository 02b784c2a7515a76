import '#src/domain/container_registry/computed_fields.ts';
import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type ProjectOf, projectScoped } from '#src/domain/projects/project_scoped.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPermitted, readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const repository = alias('ContainerRepository', 'cr');
const tag = alias('ContainerTag', 'tg');

/** The repositories of images with these IDs that the actor may read. */
export const { findByIds: findRepositoriesByIds } = projectScoped({
  ability: 'read_container_image',
  rows: repository,
});

const BY_ID = order('ContainerRepository', ['id'], 'asc');
const BY_NAME = order('ContainerTag', ['name', 'id'], 'asc');

/** A page of the repositories of images of each project, in one statement; an error in place of those that the actor may not read. */
export async function listRepositories<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'ContainerRepository', R>,
): Promise<(Page<R> | Error)[]> {
  const pageOf = ({ project }: Asked<{ project: number }>) =>
    pageOfRows(selection, { rows: repository, where: sql`${repository.projectId} = ${project}`, order: BY_ID }, page);
  const read = (permitted: ProjectRow[]) => {
    const parents = permitted.map(({ id }) => ({ project: id }));
    return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
  };
  return forPermittedParents(projects, (project) => authorize(context.actor, 'read_container_image', project), read);
}

/** A page of the repositories of the projects below each group that the actor may read, in one statement. Throws InsufficientScope. */
export async function listGroupRepositories<R>(
  context: Context,
  groups: readonly GroupRow[],
  page: PageRequest,
  selection: Selection<'ContainerRepository', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const pageOf = ({ group }: Asked<{ group: number }>) => {
    const ofGroup = sql`${repository.projectId} IN (SELECT gp.id FROM projects gp JOIN namespaces gn ON gn.id = gp.namespace_id
      WHERE gn.lineage @> ARRAY[${group}]::int[])`;
    const where = all([ofGroup, within(repository.projectId, 'images')]);
    return pageOfRows(selection, { rows: repository, where, order: BY_ID }, page);
  };
  const parents = groups.map(({ id }) => ({ group: id }));
  const ids = sql`n.lineage && ${groups.map(({ id }) => id)}::int[]`;
  return readPages<R>(context.db, page, perParent(parents, { group: 'int' }, pageOf, [seenPlaces(actor, ids)]));
}

/** A repository of a project by its ID. Throws NotFound, Forbidden, Unauthenticated. */
export async function findContainerRepository<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'ContainerRepository', R>,
): Promise<R> {
  authorize(context.actor, 'read_container_image', project);
  const where = sql`${repository.id} = ${id} AND ${repository.projectId} = ${project.id}`;
  const found = await readRow(context.db, selection, { rows: repository, where });
  if (!found) throw new NotFound('ContainerRepository');
  return found;
}

/** A repository by its ID alone. Throws NotFound, Forbidden, InsufficientScope. */
export async function findAnyRepository<R>(
  context: Context,
  id: number,
  selection: Selection<'ContainerRepository', R>,
): Promise<R> {
  readerOf(context);
  const known = await context.db.containerRepository.findUnique({ where: { id }, select: { projectId: true } });
  if (!known) throw new NotFound('ContainerRepository');
  const project = await findProject(context, known.projectId).catch((error) => {
    throw error instanceof NotFound ? new NotFound('ContainerRepository') : error;
  });
  return findContainerRepository(context, project, id, selection);
}

/** A page of the tags of each repository that the actor may read, by their names, in one statement. */
export async function listTags<R>(
  { db }: Pick<Context, 'db'>,
  repositories: readonly { id: number }[],
  page: PageRequest,
  selection: Selection<'ContainerTag', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ repository: id }: Asked<{ repository: number }>) =>
    pageOfRows(selection, { rows: tag, where: sql`${tag.repositoryId} = ${id}`, order: BY_NAME }, page);
  const parents = repositories.map(({ id }) => ({ repository: id }));
  return readPages<R>(db, page, perParent(parents, { repository: 'int' }, pageOf));
}

/** Maximum number of tags beside a repository. */
const MAX_TAGS = 100;

/** The first tags of each repository that the actor may read, in one statement. */
export async function firstTags<R>(
  context: Pick<Context, 'db'>,
  repositories: readonly { id: number }[],
  selection: Selection<'ContainerTag', R>,
): Promise<R[][]> {
  const page = { limit: MAX_TAGS, offset: 0, withTotal: false };
  return (await listTags(context, repositories, page, selection)).map(({ nodes }) => nodes);
}

const IN_PROJECT = select('ContainerTag', { id: true, repository: { projectId: true } });

/**
 * The tags of images with these IDs that the actor may read, in one statement.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export function findTagsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'ContainerTag', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const actor = readerOf(context);
  return readPermitted(
    context.db,
    selection,
    { rows: tag, ids, keys: IN_PROJECT },
    async ({ repository: { projectId } }) => {
      const project = await projectOf(projectId);
      return project !== null && can(actor, 'read_container_image', project);
    },
  );
}

/** A tag of a repository that the actor may read. Throws NotFound. */
export async function findTag<R>(
  { db }: Pick<Context, 'db'>,
  { id }: { id: number },
  name: string,
  selection: Selection<'ContainerTag', R>,
): Promise<R> {
  const where = sql`${tag.repositoryId} = ${id} AND ${tag.name} = ${name}`;
  const found = name.includes('\0') ? undefined : await readRow(db, selection, { rows: tag, where });
  if (!found) throw new NotFound('ContainerTag');
  return found;
}
