import { authorize, MASTER } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { projectLevels } from '#src/access/permissions/visibility.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPage, readRow, readRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [key, link] = [alias('DeployKey', 'k'), alias('ProjectDeployKey', 'l')];
const NEWEST_FIRST = order('DeployKey', ['id'], 'desc');

/** A condition for the keys of a project. */
function ofProject(projectId: number | Prisma.Sql): Prisma.Sql {
  return sql`${key.id} IN (SELECT ${link.deployKeyId} FROM ${table(link)} WHERE ${link.projectId} = ${projectId})`;
}

/**
 * A condition for keys that the actor may add elsewhere: public ones, and those of projects whose keys they administer; for administrators
 * all.
 */
export function accessibleTo(actor: Pick<Actor, 'id' | 'admin'>): Prisma.Sql {
  if (actor.admin) return sql`TRUE`;
  return sql`(${key.isPublic} OR ${key.id} IN (SELECT ${link.deployKeyId} FROM ${table(link)}
    JOIN (${projectLevels(actor)}) own ON own.project_id = ${link.projectId} AND own.level >= ${MASTER}
    JOIN projects p ON p.id = own.project_id AND p.deleted_at IS NULL))`;
}

/**
 * A page of the deploy keys of each project, newest first, in one statement; Forbidden in place of those that the actor does not
 * administer. Throws Unauthenticated.
 */
export async function listDeployKeys<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'DeployKey', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const read = (permitted: ProjectRow[]) => {
    const parents = permitted.map(({ id }) => ({ project: id }));
    const lists = perParent(parents, { project: 'int' }, ({ project }) =>
      pageOfRows(selection, { rows: key, where: ofProject(project), order: NEWEST_FIRST }, page),
    );
    return readPages<R>(context.db, page, lists);
  };
  return forPermittedParents(projects, (project) => authorize(actor, 'admin_deploy_key', project), read);
}

/** One of the deploy keys of a project. Throws NotFound, Forbidden, Unauthenticated. */
export async function findDeployKey<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'DeployKey', R>,
): Promise<R> {
  authorize(requireActor(context), 'admin_deploy_key', project);
  return changedDeployKey(context, { project, id }, selection);
}

/** Like findDeployKey, for reading back what the actor was allowed to change. */
export async function changedDeployKey<R>(
  { db }: Context,
  { project, id }: ChangedRecord,
  selection: Selection<'DeployKey', R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows: key, where: sql`${key.id} = ${id} AND ${ofProject(project.id)}` });
  if (!found) throw new NotFound('Deploy Key');
  return found;
}

/** Any deploy key of the server, for administrators. Throws Unauthenticated, Forbidden, NotFound. */
export async function findAnyDeployKey<R>(
  context: Context,
  { id }: { id: number },
  selection: Selection<'DeployKey', R>,
): Promise<R> {
  requireAdmin(context);
  const found = await readRow(context.db, selection, { rows: key, where: sql`${key.id} = ${id}` });
  if (!found) throw new NotFound('Deploy Key');
  return found;
}

/** All deploy keys of the server, newest first, for administrators. Throws Unauthenticated, Forbidden. */
export async function listAllDeployKeys<R>(
  context: Context,
  page: PageRequest,
  selection: Selection<'DeployKey', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  return readPage(context.db, selection, { rows: key, where: sql`TRUE`, order: NEWEST_FIRST }, page);
}

/** The deploy keys with these IDs that the actor may see. Throws Unauthenticated. */
export async function findDeployKeysByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'DeployKey', R>,
): Promise<R[]> {
  const actor = requireActor(context);
  const where = sql`${key.id} = ANY(${[...ids]}::int[]) AND ${accessibleTo(actor)}`;
  return readRows(context.db, selection, { rows: key, where });
}
