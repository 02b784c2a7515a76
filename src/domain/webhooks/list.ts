import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { findGroup, findGroupsByIds, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPage, readPermitted, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/webhooks/computed_fields.ts';

const { sql } = Prisma;
const hook = alias('Hook', 'h');
const NEWEST_FIRST = { rows: hook, order: order('Hook', ['id'], 'desc') };
/** Those of integrations are found by these alone. */
const isWebhook = sql`${hook.integrationId} IS NULL`;
const ofServer = sql`${hook.projectId} IS NULL AND ${hook.namespaceId} IS NULL AND ${isWebhook}`;

/** The hooks of each project, newest first, for its masters; Forbidden in place of those of others. */
export function listProjectHooks<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Hook', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ project }: Asked<{ project: number }>) =>
    pageOfRows(selection, { ...NEWEST_FIRST, where: sql`${hook.projectId} = ${project} AND ${isWebhook}` }, page);
  return forPermittedParents(
    projects,
    (project) => authorize(actor, 'admin_hook', project),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ project: id }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
    },
  );
}

/** The hooks of each group, newest first, for its owners; Forbidden in place of those of others. */
export function listGroupHooks<R>(
  context: Context,
  groups: readonly GroupRow[],
  page: PageRequest,
  selection: Selection<'Hook', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ group }: Asked<{ group: number }>) =>
    pageOfRows(selection, { ...NEWEST_FIRST, where: sql`${hook.namespaceId} = ${group} AND ${isWebhook}` }, page);
  return forPermittedParents(
    groups,
    (group) => authorize(actor, 'admin_group_hook', group),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ group: id }));
      return readPages<R>(context.db, page, perParent(parents, { group: 'int' }, pageOf));
    },
  );
}

/** The hooks of the server, newest first, for administrators. Throws Forbidden. */
export async function listSystemHooks<R>(
  context: Context,
  page: PageRequest,
  selection: Selection<'Hook', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  return readPage(context.db, selection, { ...NEWEST_FIRST, where: ofServer }, page);
}

/** Identifies a hook: one of this project or group, a system hook, or any. If the place is given, its permission is checked first. */
export interface HookRef {
  id: number;
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
  isSystem?: boolean | undefined;
}

const PLACE = select('Hook', { id: true, projectId: true, namespaceId: true });

/** Where a hook belongs. */
export type HookPlace = typeof PLACE.row;

/**
 * The hook with the selected fields, for those who administer its place. Throws Unauthenticated, NotFound, and Forbidden if the
 * actor can see the project or group, or for a system hook.
 */
export async function findHook<R = unknown>(
  context: Context,
  { id, project, group, isSystem = false }: HookRef,
  selection?: Selection<'Hook', R>,
): Promise<HookPlace & R> {
  requireActor(context);
  const wanted = (selection ? PLACE.with(selection) : PLACE) as Selection<'Hook', HookPlace & R>;
  const read = (where: Prisma.Sql) => readRow(context.db, wanted, { rows: hook, where });
  if (isSystem) {
    requireAdmin(context);
    const found = await read(sql`${hook.id} = ${id} AND ${ofServer}`);
    if (!found) throw new NotFound('System hook');
    return found;
  }
  if (project != null) {
    const { id: projectId } = await administered(context, project);
    const found = await read(sql`${hook.id} = ${id} AND ${hook.projectId} = ${projectId} AND ${isWebhook}`);
    if (!found) throw new NotFound('Hook');
    return found;
  }
  if (group != null) {
    const { id: groupId } = await administeredGroup(context, group);
    const found = await read(sql`${hook.id} = ${id} AND ${hook.namespaceId} = ${groupId} AND ${isWebhook}`);
    if (!found) throw new NotFound('Hook');
    return found;
  }
  const found = await read(sql`${hook.id} = ${id} AND ${isWebhook}`);
  if (!found) throw new NotFound('Hook');
  await requireRight(context, found);
  return found;
}

/** The project, for those who may administer its hooks. Throws Unauthenticated, NotFound, Forbidden. */
export async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_hook', project);
  return project;
}

/** Like administered, for a group. */
export async function administeredGroup(context: Context, ref: IdOrPath): Promise<GroupRow> {
  const actor = requireActor(context);
  const group = await findGroup(context, ref);
  authorize(actor, 'admin_group_hook', group);
  return group;
}

/** The existence of a hook is not revealed to those who cannot see its project or group. */
async function requireRight(context: Context, { projectId, namespaceId }: HookPlace): Promise<void> {
  try {
    if (projectId !== null) await administered(context, projectId);
    else if (namespaceId !== null) await administeredGroup(context, namespaceId);
    else requireAdmin(context);
  } catch (error) {
    throw error instanceof NotFound ? new NotFound('Hook') : error;
  }
}

/** The hooks with these IDs that the actor administers; those of integrations only if they are wanted. */
export async function findHooksByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Hook', R>,
  projectOf: ProjectOf,
  withIntegrations = false,
): Promise<(R & HookPlace)[]> {
  const actor = requireActor(context);
  const where = sql`${hook.id} = ANY(${[...ids]}::int[]) AND (${isWebhook} OR ${withIntegrations}::boolean)`;
  const found = (await readRows(context.db, PLACE.with(selection), { rows: hook, where })) as (R & HookPlace)[];
  const groupIds = [...new Set(found.flatMap(({ namespaceId }) => namespaceId ?? []))];
  const groups = groupIds.length === 0 ? [] : await findGroupsByIds(context, groupIds);
  const projects = await Promise.all(found.map(({ projectId }) => (projectId === null ? null : projectOf(projectId))));
  return found.filter(({ projectId, namespaceId }, index) => {
    if (projectId === null && namespaceId === null) return actor.admin;
    const project = projects[index];
    if (projectId !== null) return project != null && can(actor, 'admin_hook', project);
    const group = groups.find(({ id }) => id === namespaceId);
    return group !== undefined && can(actor, 'admin_group_hook', group);
  });
}

const OF_HOOK = select('HookDelivery', { id: true, hookId: true });

/**
 * The deliveries with these IDs of hooks that the actor administers.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findDeliveriesByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'HookDelivery', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  requireActor(context);
  const list = { rows: alias('HookDelivery', 'd'), ids, keys: OF_HOOK };
  const found = await readPermitted(context.db, selection, list, () => true);
  const hookIds = [...new Set(found.map(({ hookId }) => hookId))];
  const hooks = await findHooksByIds(context, hookIds, select('Hook', { id: true }), projectOf, true);
  const seen = new Set(hooks.map(({ id }) => id));
  return found.filter(({ hookId }) => seen.has(hookId));
}
